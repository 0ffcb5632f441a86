/** Moves budgeted money between two categories, or from or to what is ready to be assigned. */
import { z } from 'zod';
import { present, quote } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { type Money, plainAmounts } from '../../answers/units.ts';
import { computeFromBudget, readWholeBudget } from '../../answers/whole-budget.ts';
import {
  earlierError,
  outcomeTogether,
  previewTogether,
  writtenTogether,
} from '../../answers/write-together.ts';
import { firstOfMonth } from '../../base/calendar.ts';
import { BudgetError } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { amountSize, budgetId, categoryId, month } from '../../base/schema/fields.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import { moveContent } from './assign-view.ts';
import { budgetedAfter, changeOf } from './assigned-money.ts';
import { writeChanges } from './carry-out-assignment.ts';
import { formatMove, type MovedMoney, movedAmounts, movedMoney, predictedAmounts } from './moved-money.ts';
import { planMove, type RequestedMove } from './planned-move.ts';

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
  async plan(call, { budget_id: _, month = firstOfMonth(call.today), ...rest }): Promise<PlannedWrite> {
    const requested = { ...rest, month };
    const planned = plannedWrite(call, requested);
    // An earlier equal call may have changed the budget so that the move is not possible any more.
    if (!(await planned.isRepeat()))
      await computeFromBudget(call, (replica) => planMove(replica, requested, moneyOf(call)));
    return planned;
  },
});

const moneyOf = ({ budget }: BudgetCall) => plainAmounts(budget?.currency_format ?? null);

const budgetedBy = ({ month, from, to }: MovedMoney) => budgetedAfter(month, [from, to]);

function plannedWrite(call: BudgetCall, requested: RequestedMove): PlannedWrite {
  let shown: number | undefined;
  let hasBegun = false;
  return {
    isRepeat: () => call.isRepeated(moveBudgeted, { ...requested }),
    async run(mustNotSend) {
      const carryOut = async (steps: WriteSteps) => {
        const replica = await steps.update();
        hasBegun = true;
        const money = moneyOf(call);
        // The user has confirmed the amount that the last preview showed.
        const move = planMove(replica, { ...requested, amount: requested.amount ?? shown }, money);
        const planned = predictedAmounts(move);
        const written = await writeChanges({ ...steps, money, status: () => call.status() }, replica, {
          ...move,
          // What somebody else has budgeted in the receiving category meanwhile is kept.
          decide: ({ months }, open) =>
            open.map((change) => ({
              change,
              row: months.category(move.month, change.id),
              amount: changeOf(change),
            })),
          begin: () => steps.keepPlan({ args: canonicalJson(requested), planned }),
          howToGoOn: howToGoOn(planned, money),
        });
        return { data: { ...movedAmounts(planned, written) }, outcome: written.outcome };
      };
      const result = await call
        .writeTogether(moveBudgeted, { ...requested }, carryOut, { mustNotSend })
        .catch((error: unknown) => outcomeOfInterrupted(call, requested, earlierError(error, hasBegun)));
      const moved = movedMoney.parse(result.data);
      return outcomeTogether(result, {
        data: moved,
        budgeted: budgetedBy(moved),
        view: () => moveContent('written', moved),
        lines: (context) => formatMove(moved, 'done', context),
      });
    },
    async simulate() {
      const { replica, freshness } = await call.refresh(false);
      const move = planMove(replica, requested, moneyOf(call));
      shown = move.amount;
      const moved = predictedAmounts(move);
      return previewTogether(call, moveBudgeted, {
        freshness,
        data: moved,
        budgeted: budgetedBy(moved),
        view: () => moveContent('preview', moved),
        lines: (context) => formatMove(moved, 'planned', context),
      });
    },
  };
}

/** After the first write, which has lowered `from`. */
const howToGoOn = ({ amount, from, to, month }: MovedMoney, money: Money) =>
  `${money(amount)} of ${quote(from.name)} in ${month.slice(0, 7)} is ready to be assigned now, and ${quote(to.name)} did not get it. A move from Ready to Assign gives it that, and undo takes back what is written. The same call would move the amount once more.`;

/** The plan that is kept in the journal. `args` are those of the call. */
const keptMove = z.object({ args: z.string(), planned: movedMoney });

/** The outcome of an equal call whose process has ended, if it got to its end. Else throws its error with what stands. */
async function outcomeOfInterrupted(
  call: BudgetCall,
  requested: RequestedMove,
  error: BudgetError,
): Promise<CallResult<JsonObject>> {
  for (const { at, tool, steps, plan } of await call.journal()) {
    const { data: kept } = keptMove.safeParse(plan);
    if (tool !== moveBudgeted.name || kept?.args !== canonicalJson(requested)) continue;
    const { from, to } = kept.planned;
    const changes = [from, to].filter(({ budgeted_before }) => budgeted_before !== undefined);
    if (steps.length === changes.length) {
      const { replica, freshness } = await readWholeBudget(call);
      const now = { answered: new Map(), current: replica, mayHaveReplaced: false };
      return {
        data: { ...movedAmounts(kept.planned, now) },
        freshness,
        earlier_call: new Date(at).toISOString(),
      };
    }
    const goOn = howToGoOn(kept.planned, moneyOf(call));
    if (error.message.includes(goOn)) throw error;
    throw new BudgetError(error.code, `${error.message} ${goOn}`, { cause: error });
  }
  throw error;
}
