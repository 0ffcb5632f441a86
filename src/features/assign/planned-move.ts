/** What a move of budgeted money would change, from the current budget. Refuses a move of more than there is. Pure. */

import { quote } from '../../answers/text.ts';
import type { Money } from '../../answers/units.ts';
import { BudgetError, invalidInput } from '../../base/errors.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { type BudgetedAmounts, budgetedAmounts } from './budgeted-amounts.ts';

export interface RequestedMove {
  readonly from: string;
  readonly to: string;
  /** Without it, what `to` lacks, or what it needs to have `left`. */
  readonly amount?: number | undefined;
  readonly left?: number | undefined;
  /** The first day of a month. */
  readonly month: string;
}

export type PlannedMove = ReturnType<typeof planMove>;

/** With the amounts of both sides before the move. Throws if the move is not possible, or if it would be computed from what could not be read. */
export function planMove(
  replica: BudgetReplica,
  { from: fromId, to: toId, month, ...requested }: RequestedMove,
  money: Money,
) {
  if (!replica.months.has(month)) throw noSuchMonth(month);
  const problem = replica.problemWith(month);
  if (problem !== undefined) refuse(`month: ${problem}`);
  const from = budgetedAmounts(replica, month, fromId);
  const to = budgetedAmounts(replica, month, toId);
  const internal = [from, to].find(({ isInternal }) => isInternal);
  if (internal)
    refuse(`${nameOf(internal)} is a category of the service itself: nothing can be budgeted in it`);
  const { left, amount = left === undefined ? to.lacking : left - to.left } = requested;
  if (left !== undefined && amount <= 0)
    refuse(`${nameOf(to)} has ${money(to.left)} left in ${month.slice(0, 7)} already`);
  if (amount === 0)
    refuse(
      `${nameOf(to)} lacks nothing in ${month.slice(0, 7)}${to.isSnoozed ? ', since its goal is snoozed' : ''}: give an amount`,
    );
  // Covering overspending takes nothing from later months, because they have paid for it already.
  const covered = from.isReadyToAssign ? Math.min(amount, Math.max(-to.left, 0)) : 0;
  const short = from.leftByMonth.find((each) => {
    const taken = each.month === month ? amount : amount - covered;
    return taken > 0 && each.amount < taken;
  });
  if (short)
    refuse(
      `${nameOf(from)} has ${money(short.amount)} left in ${short.month.slice(0, 7)}, less than ${money(amount)}`,
    );
  if (!Number.isSafeInteger(from.budgeted - amount) || !Number.isSafeInteger(to.budgeted + amount))
    refuse('the amount is too large to be added exactly');
  return { month, amount, from, to };
}

/** The service makes a month when something is budgeted in it. */
const noSuchMonth = (month: string) =>
  new BudgetError(
    'resource_not_found',
    `This budget does not have the month ${month.slice(0, 7)} yet. If it is one to come, assign_money makes it, and its amounts can take from one category and give to another.`,
  );

export const nameOf = ({ isReadyToAssign, name }: Pick<BudgetedAmounts, 'isReadyToAssign' | 'name'>) =>
  isReadyToAssign ? 'Ready to Assign' : quote(name);

function refuse(problem: string): never {
  throw invalidInput(`${problem}.`);
}
