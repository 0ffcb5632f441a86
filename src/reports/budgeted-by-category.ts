/** What is budgeted for each category and group in whole months. Pure. */
import type { BudgetReplica } from '../replica/budget-replica.ts';

/** In milliunits, by the ids of categories and of groups. `from` and `to` are months such as `2026-11`. */
export function budgetedByCategory(
  { months }: BudgetReplica,
  from: string,
  to: string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const add = (id: string, amount: number) => sums.set(id, (sums.get(id) ?? 0) + amount);
  const inRange = months.list().filter(({ month }) => month.slice(0, 7) >= from && month.slice(0, 7) <= to);
  for (const { month } of inRange) {
    for (const { id, category_group_id, budgeted } of months.detail(month).categories) {
      add(id, budgeted);
      add(category_group_id, budgeted);
    }
  }
  return sums;
}
