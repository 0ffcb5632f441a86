/** What was budgeted in whole months, and what is left in a category at their end. Pure. */
import { lastOfMonth } from '../../base/calendar.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { FlowQuery } from './cash-flow.ts';
import { countedCategories, keysOf } from './counted-categories.ts';
import type { Range } from './periods.ts';

/**
 * Of the spending categories, or of those that `category` names: by their ids, by those of their groups, or all together by the key
 * `NONE`. The first and the last day of the range stand for their months.
 */
export function budgetedBy(
  replica: BudgetReplica,
  { since, until }: Range,
  { by, category }: Pick<FlowQuery, 'by' | 'category'>,
): Map<string, { budgeted: number; left: number }> {
  const { categories } = countedCategories(replica, 'spending', category);
  const keys = keysOf(categories, by);
  /** In milliunits. What is left is at the end of the last month, and negative if it is overspent. */
  const sums = new Map([...keys.values()].map((key) => [key, { budgeted: 0, left: 0 }]));
  const months = replica.months
    .list()
    .map(({ month }) => month)
    .filter((month) => month.slice(0, 7) >= since.slice(0, 7) && month <= until)
    .toSorted();
  for (const month of months) {
    for (const { id, budgeted, balance } of replica.months.detail(month).categories) {
      const sum = sums.get(keys.get(id) ?? id);
      if (!sum) continue;
      sum.budgeted += budgeted;
      if (month === months.at(-1)) sum.left += balance;
    }
  }
  return sums;
}

/** Budgeted amounts are those of whole categories in whole months. The last month may still be going on. */
export const isBudgeted = (
  replica: BudgetReplica,
  { since, until }: Range,
  { payee, account, text, flag_color }: Pick<FlowQuery, 'payee' | 'account' | 'text' | 'flag_color'>,
): boolean =>
  since.endsWith('-01') &&
  (until === lastOfMonth(until) || until >= newestDay(replica, until)) &&
  (payee ?? account ?? text ?? flag_color) === undefined;

export const newestDay = (replica: BudgetReplica, otherwise: string) =>
  replica.transactions.days?.last ?? otherwise;
