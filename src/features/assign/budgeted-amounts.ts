/** What is budgeted and left in a category in a month, or what is ready to be assigned. Amounts in milliunits. */
import { foundBy } from '../../base/errors.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { isSnoozed, underfundedIn } from '../../model/sums/goals.ts';
import type { BudgetMonths } from '../../model/sums/month-to-come.ts';

export type BudgetedAmounts = ReturnType<typeof budgetedAmounts>;

/** `month` is a first day. Throws `resource_not_found` if the budget has no such month or category. */
export function budgetedAmounts(
  replica: BudgetMonths,
  month: string,
  id: string,
  kinds = categoryKinds(replica),
) {
  const { months } = replica;
  const head = replica.categories.get(id);
  const isReadyToAssign = kinds.isReadyToAssign(head);
  const { to_be_budgeted } = months.summary(month);
  const row = isReadyToAssign ? undefined : months.category(month, id);
  const { budgeted, balance } = row ?? { budgeted: 0, balance: to_be_budgeted };
  const leftIn = (each: string) =>
    isReadyToAssign ? months.summary(each).to_be_budgeted : foundBy(() => months.category(each, id))?.balance;
  return {
    id,
    name: head.name,
    isReadyToAssign,
    /** Whether it is a category of the service itself in which nothing can be budgeted. False for Ready to Assign. */
    isInternal: !isReadyToAssign && kinds.isInternal(head),
    /** 0 for Ready to Assign. */
    budgeted,
    /** The balance of the category at the end of the month, or what is ready to be assigned in it. */
    left: balance,
    /** The overspent amount. Without overspending, what the goal still needs in this month, unless it is snoozed. */
    lacking: balance < 0 ? -balance : row ? underfundedIn(row) : 0,
    isSnoozed: row !== undefined && isSnoozed(row),
    /** What is left at the end of this month and of each later one, in their order. Each month is a first day. */
    leftByMonth: months
      .list()
      .map((each) => each.month)
      .filter((each) => each >= month)
      .toSorted()
      .flatMap((each) => {
        const amount = leftIn(each);
        return amount === undefined ? [] : [{ month: each, amount }];
      }),
  };
}
