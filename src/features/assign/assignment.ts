/**
 * How much of what categories need can be given to them: never more than there is in the month and in each later one. Pure;
 * amounts in milliunits.
 */

import { addMonths } from '../../base/calendar.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { type BudgetMonths, uncategorizedLeft } from '../../model/sums/month-to-come.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { budgetedAmounts } from './budgeted-amounts.ts';
import type { CategoryNeed } from './category-needs.ts';

export interface Supply {
  /** What is there in the month. */
  readonly now: number;
  /** The least of all later months. */
  readonly later: number;
  /**
   * Covering what was paid in cash takes nothing from later months, which have paid for it already. So much of the
   * overspending may have been by card, which they have not paid for.
   */
  readonly notPaidLater: number;
}

/**
 * Gives in the order of `needs` until there is no more money: the last one gets a part in whole steps of `unit`, and those after
 * it nothing. `limit` is the most to give in all.
 */
export function giveInOrder<Need extends Pick<CategoryNeed, 'amount' | 'covering'>>(
  needs: readonly Need[],
  { now, later, notPaidLater }: Supply,
  { limit = Number.POSITIVE_INFINITY, unit }: { readonly limit?: number | undefined; readonly unit: number },
) {
  let left = Math.max(Math.min(now, limit), 0);
  let leftLater = Math.max(later, 0);
  let covering = notPaidLater;
  let isSpent = false;
  return needs.map((need) => {
    // Covering takes from later months first: which part of the overspending was by card is not known.
    const costly = Math.min(need.covering, covering);
    const most = leftLater >= costly ? leftLater - costly + need.covering : leftLater;
    const possible = isSpent ? 0 : Math.min(left, most);
    isSpent ||= possible < need.amount;
    const given = possible >= need.amount ? need.amount : Math.floor(possible / unit) * unit;
    const covered = Math.min(given, need.covering);
    left -= given;
    leftLater -= Math.min(covered, covering) + given - covered;
    covering -= Math.min(covered, covering);
    return { need, given };
  });
}

/** What a category, or Ready to Assign without `from`, can give in a month that the budget has. */
export function supplyOf(replica: BudgetMonths, month: string, from?: string): Supply {
  if (from !== undefined) {
    const [now, ...later] = budgetedAmounts(replica, month, from).leftByMonth.map(({ amount }) => amount);
    return { now: now ?? 0, later: Math.min(...later), notPaidLater: Number.POSITIVE_INFINITY };
  }
  const { to_be_budgeted } = replica.months.summary(month);
  const later = replica.months.list().filter((each) => each.month > month);
  return {
    now: to_be_budgeted,
    later: Math.min(...later.map((each) => each.to_be_budgeted)),
    notPaidLater: overspentByCard(replica, month),
  };
}

/**
 * The most that may have been overspent by card. What was overspent in cash lowers the next month's `to_be_budgeted`, also
 * where it was in categories that cannot be covered.
 */
function overspentByCard(replica: BudgetMonths, month: string): number {
  const { categories, to_be_budgeted } = replica.months.detail(month);
  const next = replica.months.list().find((each) => each.month === addMonths(month, 1));
  const negative = categories.filter(({ balance }) => balance < 0);
  const { isOwn } = categoryKinds(replica);
  const overspent = -sumOf(negative.filter(isOwn), ({ balance }) => balance);
  const uncategorized = Math.max(-uncategorizedLeft(replica, month), 0);
  const others = uncategorized - sumOf(negative, ({ balance }) => balance) - overspent;
  const inCash = next ? to_be_budgeted + next.income - next.budgeted - next.to_be_budgeted : 0;
  return Math.max(overspent - Math.max(inCash - others, 0), 0);
}
