/** The result of a move of budgeted money, and its text: what both sides had before it and have after it. */
import { z } from 'zod';
import { READY } from '../../answers/ready-to-assign.ts';
import type { SentSteps } from '../../answers/send-steps.ts';
import type { TextContext, TextPart } from '../../answers/text.ts';
import { flag, milliunits, text } from '../../base/schema/fields.ts';
import type { AssignedChange } from './assigned-money.ts';
import { assignedBy } from './assignment-steps.ts';
import { type BudgetedAmounts, budgetedAmounts } from './budgeted-amounts.ts';
import type { PlannedMove } from './planned-move.ts';

const side = z.object({
  id: text,
  name: text,
  left_before: milliunits,
  /** Missing if it could not be read. */
  left_after: milliunits.optional(),
  /** Missing for Ready to Assign, like `budgeted_after`. */
  budgeted_before: milliunits.optional(),
  budgeted_after: milliunits.optional(),
  /** The overspent amount that is left, or what the goal still needs in this month. */
  lacking_after: milliunits.optional(),
  /** Somebody else has changed what is budgeted. The amounts include it. */
  changed_meanwhile: flag.optional(),
});

export const movedMoney = z.object({
  month: text,
  amount: milliunits,
  from: side,
  to: side,
  /** Something else may have been changed just before one of the writes, which would then have replaced it. */
  may_have_replaced: flag.optional(),
});

export type MoveSide = z.output<typeof side>;
export type MovedMoney = z.output<typeof movedMoney>;

const tenses = {
  done: { moved: 'Moved', before: 'left before', after: 'now', lacks: 'still lacks' },
  planned: { moved: 'It would move', before: 'left now', after: 'afterwards', lacks: 'would still lack' },
} as const;

export function formatMove(
  { month, amount, from, to, may_have_replaced }: MovedMoney,
  tense: keyof typeof tenses,
  context: TextContext,
): TextPart[] {
  const { money } = context;
  const words = tenses[tense];
  const nameOf = ({ id, name, budgeted_before }: MoveSide) =>
    budgeted_before === undefined ? READY : context.withId('category', id, name);
  const balances = (each: MoveSide) => {
    const { left_before, left_after } = each;
    const after = left_after === undefined ? 'not read since' : `${money(left_after)} ${words.after}`;
    return (
      each.budgeted_before !== undefined &&
      `${nameOf(each)}: ${money(left_before)} ${words.before}, ${after}.`
    );
  };
  const { lacking_after = 0 } = to;
  return [
    `${words.moved} ${money(amount)} from ${nameOf(from)} to ${nameOf(to)} in ${month.slice(0, 7)}.`,
    balances(from),
    balances(to),
    lacking_after > 0 && `${nameOf(to)} ${words.lacks} ${money(lacking_after)}.`,
    ...[from, to]
      .filter(({ changed_meanwhile }) => changed_meanwhile)
      .map((each) => `Somebody else has changed what is budgeted in ${nameOf(each)} at the same moment.`),
    may_have_replaced &&
      'Something else may have been changed at the same moment. If that was what is budgeted in one of the two, this move has replaced it.',
  ];
}

/** The amounts after a move, if nothing is changed elsewhere meanwhile. */
export function predictedAmounts({ month, amount, from, to }: PlannedMove): MovedMoney {
  return {
    month,
    amount,
    from: { ...before(from), ...after(from, from.left - amount, from.budgeted - amount) },
    to: {
      ...before(to),
      ...after(to, to.left + amount, to.budgeted + amount),
      lacking_after: Math.max(to.lacking - amount, 0),
    },
  };
}

/** What is budgeted, the lowered category first. Without Ready to Assign, which has nothing budgeted. */
export const changesOf = ({ from, to }: MovedMoney): AssignedChange[] =>
  [from, to].flatMap(({ budgeted_before, budgeted_after, ...side }) =>
    budgeted_before === undefined || budgeted_after === undefined
      ? []
      : [{ ...side, budgeted_before, budgeted_after }],
  );

/** The amounts after a move, as they were read after its last write. `planned` are those that were predicted before it. */
export function movedAmounts(
  planned: MovedMoney,
  { done, current, mayHaveReplaced }: Pick<SentSteps, 'done' | 'current' | 'mayHaveReplaced'>,
): MovedMoney {
  const answered = assignedBy(done);
  const side = ({ left_after: _, budgeted_after: wanted, lacking_after, ...each }: MoveSide): MoveSide => {
    const now = current && budgetedAmounts(current, planned.month, each.id);
    const answer = answered.get(each.id);
    const { budgeted, left } = now ?? { budgeted: answer?.budgeted, left: answer?.balance };
    if (budgeted === undefined || left === undefined) return each;
    return {
      ...each,
      left_after: left,
      ...(wanted !== undefined && { budgeted_after: budgeted }),
      ...(now && lacking_after !== undefined && { lacking_after: now.lacking }),
      ...(wanted !== undefined && budgeted !== wanted && { changed_meanwhile: true }),
    };
  };
  const { from, to } = planned;
  return {
    ...planned,
    from: side(from),
    to: side(to),
    ...(mayHaveReplaced && { may_have_replaced: true }),
  };
}

const before = ({ id, name, isReadyToAssign, left, budgeted }: BudgetedAmounts): MoveSide =>
  isReadyToAssign
    ? { id, name: READY, left_before: left }
    : { id, name, left_before: left, budgeted_before: budgeted };

const after = ({ isReadyToAssign }: BudgetedAmounts, left: number, budgeted: number) => ({
  left_after: left,
  ...(!isReadyToAssign && { budgeted_after: budgeted }),
});
