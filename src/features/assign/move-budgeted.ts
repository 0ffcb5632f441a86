/** Moves budgeted money between two categories, or from or to what is ready to be assigned. */
import { z } from 'zod';
import { plannedSteps } from '../../answers/planned-steps.ts';
import { present, quote } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { type Money, plainAmounts } from '../../answers/units.ts';
import { type WriteReport, writtenTogether } from '../../answers/write-report.ts';
import { firstOfMonth } from '../../base/calendar.ts';
import { amountSize, budgetId, categoryId, month } from '../../base/schema/fields.ts';
import { moveContent } from './assign-view.ts';
import { budgetedAfter, changeOf } from './assigned-money.ts';
import { assignedBy, assignmentSteps, interruptedAssignment } from './assignment-steps.ts';
import {
  changesOf,
  formatMove,
  type MovedMoney,
  movedAmounts,
  movedMoney,
  predictedAmounts,
} from './moved-money.ts';
import { planMove } from './planned-move.ts';

const input = z.strictObject({
  budget_id: budgetId,
  from: categoryId,
  to: categoryId,
  amount: amountSize.optional().meta({ description: 'default: what `to` lacks' }),
  left: amountSize.optional().meta({ description: 'instead: what `to` then has left' }),
  month: month.optional(),
});

export const moveBudgeted = defineTool({
  name: 'move_budgeted',
  title: 'Move budgeted money',
  description:
    'Moves (shifts) money between categories, or from or to Ready to Assign (unassigned): cover or fix overspending, take everything out of one and put it on another, take 20 off, give it back. Answers with both balances.',
  kind: 'update',
  isRepeatable: false,
  toolset: 'categories',
  input,
  output: writtenTogether(movedMoney),
  example: { from: 'Emergency Fund', to: 'Hobbies' },
  check: ({ from, to, amount, left }): string[] =>
    present([
      from === to && 'from and to are the same',
      amount !== undefined && amount <= 0 && 'amount must be more than 0; from gives it to to',
      amount !== undefined && left !== undefined && 'give amount or left, not both',
    ]),
  plan(call, { budget_id: _, month = firstOfMonth(call.today), ...rest }): Promise<PlannedWrite> {
    const requested = { ...rest, month };
    const money = plainAmounts(call.budget?.currency_format ?? null);
    return plannedSteps<MovedMoney>(call, {
      entry: moveBudgeted,
      args: requested,
      // The user has confirmed the amount that the last preview showed.
      plan: (replica, shown) =>
        predictedAmounts(planMove(replica, { ...requested, amount: rest.amount ?? shown?.amount }, money)),
      facts: (plan) => plan,
      agreed: ({ amount }) => amount,
      // What somebody else has budgeted in the receiving category meanwhile is kept.
      steps(plan, { months }, steps) {
        const done = assignedBy(steps);
        const open = changesOf(plan).filter(({ id }) => !done.has(id));
        const row = (id: string) => months.category(month, id);
        return assignmentSteps(
          month,
          open.map((change) => ({ change, row: row(change.id), amount: changeOf(change) })),
        );
      },
      isDecidedAgain: true,
      kept: { schema: movedMoney },
      nothingDone: 'budgeted nothing',
      interrupted: (plan, progress) =>
        interruptedAssignment({ month, changes: changesOf(plan) }, progress, money, howToGoOn(plan, money)),
      outcome: (plan, sent) => ({ data: movedAmounts(plan, sent), outcome: sent.outcome }),
      planned: (plan) => reportOf(plan, 'preview'),
      written: ({ data }) => reportOf(movedMoney.parse(data), 'written'),
    });
  },
});

const reportOf = (moved: MovedMoney, state: 'preview' | 'written'): WriteReport => ({
  data: moved,
  budgeted: budgetedAfter(moved.month, [moved.from, moved.to]),
  view: () => moveContent(state, moved),
  lines: (context) => formatMove(moved, state === 'written' ? 'done' : 'planned', context),
});

/** After the first write, which has lowered `from`. */
const howToGoOn = ({ amount, from, to, month }: MovedMoney, money: Money) =>
  `${money(amount)} of ${quote(from.name)} in ${month.slice(0, 7)} is ready to be assigned now, and ${quote(to.name)} did not get it. A move from Ready to Assign gives it that, and undo takes back what is written. The same call would move the amount once more.`;
