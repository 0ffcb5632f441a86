/** What an assignment of money to several categories changes, as data and as text: each category before and after, and the rest. */
import { z } from 'zod';
import { READY } from '../../answers/ready-to-assign.ts';
import { firstOf, joinWords, quote, type TextContext, type TextPart, word } from '../../answers/text.ts';
import { flag, integer, milliunits, text } from '../../base/schema/fields.ts';
import type { Category } from '../../model/replica/entities.ts';
import type { BudgetedAmount } from '../../model/sums/ready-to-assign.ts';

const named = { id: text, name: text };

export const assignedMoney = z.object({
  month: text,
  /** The category that gives the money. Missing for Ready to Assign. */
  from: z.object(named).optional(),
  ready_before: milliunits,
  /** Missing if it could not be read. */
  ready_after: milliunits.optional(),
  /** In the order in which they are written: what is lowered comes first. */
  changes: z.array(
    z.object({
      ...named,
      /** What this assigns to it. What others have changed meanwhile is in `budgeted_after` only. */
      amount: milliunits.optional(),
      budgeted_before: milliunits,
      budgeted_after: milliunits,
      left_before: milliunits,
      /** Missing if it could not be read. */
      left_after: milliunits.optional(),
      /** What is budgeted was changed elsewhere since it was planned. The amounts include it. */
      changed_meanwhile: flag.optional(),
    }),
  ),
  /** What the money does not suffice for, in the order of the budget. */
  lacking: z.array(z.object({ ...named, given: milliunits, lacking: milliunits })),
  /** Whether it is `limit` that the rest is lacking by. */
  is_limited: flag.optional(),
  /**
   * The categories that `amounts` bring below zero in a later month, but not in this one. In a plan that an earlier version has
   * kept, Ready to Assign may be among them, without an id.
   */
  below_zero_later: z.array(z.object({ id: text.optional(), name: text })).optional(),
  /** Goals that lack something and that a rule leaves alone: snoozed ones, and those whose type is not known. */
  not_funded: z.array(z.object({ ...named, lacking: milliunits, is_snoozed: flag.optional() })).optional(),
  /** Payment categories of cards, which no rule covers. */
  cards_below_zero: z.array(
    z.object({ ...named, left_before: milliunits, left_after: milliunits.optional() }),
  ),
  /** If it went on with a call that was interrupted: when that began, and how many categories each of the two has written. */
  rest_of: z.object({ call: text, written_before: integer, written_now: integer }).optional(),
  /** Something else may have been changed just before one of the writes, which would then have replaced it. */
  may_have_replaced: flag.optional(),
});

export type AssignedMoney = z.output<typeof assignedMoney>;
export type AssignedChange = AssignedMoney['changes'][number];

const MAX_CHANGES = 25;
const MAX_NAMES = 10;

const tenses = {
  done: { assigned: 'Assigned', took: 'Took', lacks: 'got' },
  planned: { assigned: 'It would assign', took: 'It would take', lacks: 'would get' },
} as const;

export function formatAssignment(
  assigned: AssignedMoney,
  tense: keyof typeof tenses,
  context: TextContext,
): TextPart[] {
  const { money } = context;
  const { from, changes, lacking, ready_before, rest_of } = assigned;
  const words = tenses[tense];
  const month = assigned.month.slice(0, 7);
  const nameOf = ({ id, name }: { readonly id: string; readonly name: string }) =>
    context.withId('category', id, name);
  const source = from ? nameOf(from) : READY;
  const raised = changes.filter((each) => changeOf(each) > 0 && each.id !== from?.id);
  const lowered = changes.filter((each) => changeOf(each) < 0 && each.id !== from?.id);
  const named = (names: readonly string[]) => firstOf(names, MAX_NAMES).join(', ');
  const rest = changes.slice(MAX_CHANGES);
  const partly = lacking.filter(({ given }) => given > 0);
  const nothing = lacking.filter(({ given }) => given === 0);
  const amountsOf = (rows: typeof lacking) =>
    named(rows.map((each) => joinWords(nameOf(each), money(each.lacking))));
  return [
    rest_of &&
      `Your call of ${word(rest_of.call)}, which was interrupted, has written ${rest_of.written_before} of these categories, and ${rest_of.written_now === 0 ? 'nothing was left for this one' : `this one ${rest_of.written_now}`}. In all:`,
    changes.length === 0 && `Nothing ${lacking.length > 0 ? 'can' : 'needs to'} be assigned in ${month}.`,
    raised.length > 0 &&
      `${words.assigned} ${money(sumOf(raised))} to ${counted(raised)} in ${month}, from ${source}.`,
    lowered.length > 0 && `${words.took} ${money(-sumOf(lowered))} from ${counted(lowered)} in ${month}.`,
    ...changes.slice(0, MAX_CHANGES).map((each) => {
      const left = each.left_after === undefined ? 'not read since' : money(each.left_after);
      const own = each.changed_meanwhile ? ` (${money(changeOf(each))} of that by this)` : '';
      return `  ${nameOf(each)}: budgeted ${money(each.budgeted_before)} to ${money(each.budgeted_after)}${own}, left ${money(each.left_before)} to ${left}`;
    }),
    rest.length > 0 && `  and ${rest.length} more with ${money(sumOf(rest))}`,
    changes.length === 0 && `${READY}: ${money(ready_before)}.`,
    lacking.length > 0 &&
      joinWords(
        `${shortOf(assigned)}.`,
        partly.length > 0 && `Still lacking: ${amountsOf(partly)}.`,
        nothing.length > 0 && `These ${words.lacks} nothing: ${amountsOf(nothing)}.`,
        assigned.is_limited
          ? 'To assign more, give a higher `limit`.'
          : 'To assign more than there is, give these figures as `amounts`.',
      ),
    ...belowZeroLines(assigned, context),
    ...notFundedLines(assigned, context),
    assigned.cards_below_zero.length > 0 &&
      `Payment categories of cards are not covered: ${named(
        assigned.cards_below_zero.map((each) =>
          joinWords(
            nameOf(each),
            money(each.left_before),
            tense === 'done' && each.left_after !== undefined && `before, ${money(each.left_after)} now`,
          ),
        ),
      )}. Covering what was overspent by card may mend them.`,
    changes.some(({ changed_meanwhile }) => changed_meanwhile) &&
      `Somebody else has changed what is budgeted meanwhile: ${named(changes.filter((each) => each.changed_meanwhile).map(nameOf))}. These were decided again.`,
    assigned.may_have_replaced &&
      'Something else was changed at the same moment. If that was what is budgeted in one of these categories, this has replaced it.',
  ];
}

export const amountsWith = (
  { budgeted, balance }: Pick<Category, 'budgeted' | 'balance'>,
  amount: number,
) => ({
  amount,
  budgeted_before: budgeted,
  budgeted_after: budgeted + amount,
  left_before: balance,
  left_after: balance + amount,
});

interface Side {
  readonly id: string;
  readonly budgeted_before?: number | undefined;
  readonly budgeted_after?: number | undefined;
}

/** The budgeted amounts after a move or an assignment. Nothing is budgeted in Ready to Assign. */
export const budgetedAfter = (month: string, sides: readonly Side[]): BudgetedAmount[] =>
  sides.flatMap(({ id, budgeted_before, budgeted_after = budgeted_before }) =>
    budgeted_after === undefined ? [] : { month, category_id: id, budgeted: budgeted_after },
  );

/** What is assigned to the category. A plan that an earlier version has kept has no amount. */
export const changeOf = ({
  budgeted_before,
  budgeted_after,
  amount = budgeted_after - budgeted_before,
}: AssignedChange): number => amount;

const sumOf = (changes: readonly AssignedChange[]) => changes.reduce((sum, each) => sum + changeOf(each), 0);

const counted = (changes: readonly AssignedChange[]) =>
  changes.length === 1 ? quote(changes[0]?.name ?? '') : `${changes.length} categories`;

export const shortOf = ({ is_limited }: AssignedMoney): string =>
  is_limited ? 'The limit is reached' : 'The money does not suffice';

function notFundedLines({ not_funded = [] }: AssignedMoney, context: TextContext): TextPart[] {
  const namesOf = (rows: typeof not_funded) =>
    firstOf(
      rows.map(({ id, name, lacking }) =>
        joinWords(context.withId('category', id, name), context.money(lacking)),
      ),
      MAX_NAMES,
    ).join(', ');
  const snoozed = not_funded.filter(({ is_snoozed }) => is_snoozed);
  const others = not_funded.filter(({ is_snoozed }) => !is_snoozed);
  return [
    snoozed.length > 0 && `Snoozed, so not funded: ${namesOf(snoozed)}.`,
    others.length > 0 && `Not funded, because this type of goal is not known here: ${namesOf(others)}.`,
  ];
}

/** What is below zero because the amounts ask for it. */
function belowZeroLines({ changes, below_zero_later = [] }: AssignedMoney, context: TextContext): TextPart[] {
  const below = changes.filter(
    (each) => changeOf(each) < 0 && each.left_after !== undefined && each.left_after < 0,
  );
  const namesOf = (rows: NonNullable<AssignedMoney['below_zero_later']>) =>
    firstOf(
      rows.map(({ id, name }) => (id === undefined ? name : context.withId('category', id, name))),
      MAX_NAMES,
    ).join(', ');
  return [
    below.length > 0 && `Below zero by this: ${namesOf(below)}.`,
    below_zero_later.length > 0 && `Below zero in a later month by this: ${namesOf(below_zero_later)}.`,
  ];
}
