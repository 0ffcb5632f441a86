/**
 * Moves budgeted money by one or two writes. The service sets absolute amounts, so each write is computed from a read
 * just before it. The giving category is lowered first: whatever fails afterwards, the money is ready to be assigned, and
 * never in two places. If the second write fails, the first one is taken back.
 */

import type { Money } from '../../answers/units.ts';
import { checkRequestsLeft } from '../../answers/write-together.ts';
import { BudgetError } from '../../base/errors.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { updateMonthCategory } from '../../operations/categories.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import { type BudgetedAmounts, budgetedAmounts } from './budgeted-amounts.ts';
import { nameOf, type PlannedMove, planMove, type RequestedMove } from './planned-move.ts';

export interface MoveDeps extends WriteSteps, Pick<BudgetCall, 'status'> {
  readonly money: Money;
}

/** A write that succeeded. Amounts in milliunits. */
export interface WrittenAmount {
  readonly id: string;
  /** What the response says. */
  readonly budgeted: number;
  readonly left: number;
  /** By how much it raised the `server_knowledge`. Undefined if the service did not say. */
  readonly rise: number | undefined;
  /** The budget that contains the write. Undefined if its changes could not be read. */
  readonly replica: BudgetReplica | undefined;
  readonly outcome: CallResult<unknown>['outcome'];
}

export interface CarriedOutMove {
  /** `to` has the amounts just before it was raised. */
  readonly move: PlannedMove;
  readonly writes: readonly WrittenAmount[];
  /** Whether another program or person has changed what is budgeted in `to` since the move was planned. */
  readonly isToChanged: boolean;
}

/** After the first read: two writes, the second one again, the reads around them, and some to search for a lost one. */
const MAX_REQUESTS = 10;

/** Throws `partly_written` or `outcome_unknown` with what stands if only a part was written, or may have been. */
export async function carryOutMove(deps: MoveDeps, requested: RequestedMove): Promise<CarriedOutMove> {
  const replica = await deps.update();
  const move = planMove(replica, requested, deps.money);
  const { from, to, amount } = move;
  if (from.isReadyToAssign) {
    const raised = await setBudgeted(deps, replica, move, to, amount);
    return { move, writes: [raised], isToChanged: false };
  }
  // A move that runs out of requests could not be taken back.
  if (!to.isReadyToAssign) await checkRequestsLeft(deps, MAX_REQUESTS, 'moved nothing');
  const lowered = await setBudgeted(deps, replica, move, from, -amount).catch((error: unknown) => {
    throw isUnknown(error) && !to.isReadyToAssign
      ? failure('outcome_unknown', error, [error.message, `${nameOf(to)} was not changed.`])
      : error;
  });
  if (to.isReadyToAssign) return { move, writes: [lowered], isToChanged: false };
  try {
    const current = lowered.replica ?? (await deps.update());
    checkStillThere(deps, current, move);
    const toNow = budgetedAmounts(current, move.month, to.id);
    const raised = await setBudgeted(deps, current, move, toNow, amount);
    const isToChanged = toNow.budgeted !== to.budgeted;
    return { move: { ...move, to: toNow }, writes: [lowered, raised], isToChanged };
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    throw isUnknown(error)
      ? failure('outcome_unknown', error, [stands(deps, move), error.message])
      : await takeBack(deps, move, error);
  }
}

/** Sets what is budgeted in a category to what it is plus `change`. */
async function setBudgeted(
  deps: MoveDeps,
  replica: BudgetReplica,
  { month }: PlannedMove,
  category: BudgetedAmounts,
  change: number,
): Promise<WrittenAmount> {
  const budgeted = category.budgeted + change;
  const knowledgeBefore = replica.knowledge;
  try {
    const input = { month, category_id: category.id, budgeted };
    const { data, outcome, changed } = await deps.write(updateMonthCategory, input);
    const knowledge = data.server_knowledge;
    const isRead = changed !== undefined && knowledge !== undefined && replica.knowledge >= knowledge;
    return {
      id: category.id,
      budgeted: data.category.budgeted,
      left: data.category.balance,
      rise: knowledge === undefined ? undefined : knowledge - knowledgeBefore,
      replica: isRead ? replica : undefined,
      outcome,
    };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const { money } = deps;
    throw failure('outcome_unknown', error, [
      `It is not known whether ${nameOf(category)} has ${money(budgeted)} budgeted in ${month.slice(0, 7)}, or still ${money(category.budgeted)}.`,
      error.message,
    ]);
  }
}

/** Checks that the money has not been taken elsewhere since the giving category was lowered. Throws `not_written`. */
function checkStillThere({ money }: MoveDeps, replica: BudgetReplica, move: PlannedMove): void {
  const { month, amount, toBeAssigned } = move;
  const from = budgetedAmounts(replica, month, move.from.id);
  const { to_be_budgeted } = replica.months.summary(month);
  const isChanged = from.budgeted !== move.from.budgeted - amount;
  if (!isChanged && to_be_budgeted >= amount + Math.min(toBeAssigned, 0)) return;
  throw new BudgetError(
    'not_written',
    `Somebody else has changed the budget at the same moment: ${nameOf(from)} has ${money(from.budgeted)} budgeted and ${money(to_be_budgeted)} is ready to be assigned.`,
  );
}

/** Gives the money back to the giving category. Returns the error of the whole move, with what stands. */
async function takeBack(deps: MoveDeps, move: PlannedMove, cause: BudgetError): Promise<BudgetError> {
  const { month, amount, from, to } = move;
  try {
    const replica = await deps.update();
    checkStillThere(deps, replica, move);
    const lowered = budgetedAmounts(replica, month, from.id);
    await setBudgeted(deps, replica, move, lowered, amount);
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return failure('partly_written', error, [
      stands(deps, move),
      `${nameOf(to)} was not changed: ${cause.message}`,
      `Taking it back: ${error.message}`,
    ]);
  }
  return failure('not_written', cause, [
    `${nameOf(to)} was not changed: ${cause.message}`,
    `${nameOf(from)} was lowered first and has ${deps.money(from.budgeted)} budgeted again.`,
  ]);
}

const stands = ({ money }: MoveDeps, { month, amount, from }: PlannedMove) =>
  `${nameOf(from)} was lowered from ${money(from.budgeted)} to ${money(from.budgeted - amount)} budgeted in ${month.slice(0, 7)}: ${money(amount)} became ready to be assigned.`;

const failure = (
  code: 'not_written' | 'partly_written' | 'outcome_unknown',
  cause: BudgetError,
  sentences: readonly string[],
) => new BudgetError(code, sentences.join(' '), { cause });

const isUnknown = (error: unknown): error is BudgetError =>
  error instanceof BudgetError && error.code === 'outcome_unknown';
