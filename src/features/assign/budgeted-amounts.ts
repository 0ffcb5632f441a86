/** What is budgeted and left in a category in a month, or what is ready to be assigned. Amounts in milliunits. */
import { isInternalCategory, isReadyToAssign } from '../../model/bookkeeping/own-categories.ts';
import type { BudgetMonths } from '../../model/sums/month-to-come.ts';

export interface BudgetedAmounts {
  readonly id: string;
  readonly name: string;
  readonly isReadyToAssign: boolean;
  /** Whether it is a category of the service itself in which nothing can be budgeted. False for Ready to Assign. */
  readonly isInternal: boolean;
  /** 0 for Ready to Assign. */
  readonly budgeted: number;
  /** The balance of the category at the end of the month, or what is ready to be assigned in it. */
  readonly left: number;
  /** The overspent amount. Without overspending, what the goal still needs in this month. */
  readonly lacking: number;
  /** What is left at the end of this month and of each later one, in their order. Each month is a first day. */
  readonly leftByMonth: readonly { readonly month: string; readonly amount: number }[];
}

/** `month` is a first day. Throws `resource_not_found` if the budget has no such month or category. */
export function budgetedAmounts(replica: BudgetMonths, month: string, id: string): BudgetedAmounts {
  const { to_be_budgeted } = replica.months.summary(month);
  const head = replica.categories.get(id);
  const { name } = head;
  const group = head.category_group_name ?? replica.groups.get(head.category_group_id).name;
  if (isReadyToAssign(head, group))
    return {
      id,
      name,
      isReadyToAssign: true,
      isInternal: false,
      budgeted: 0,
      left: to_be_budgeted,
      lacking: Math.max(-to_be_budgeted, 0),
      leftByMonth: monthsSince(replica, month).map((each) => ({
        month: each,
        amount: replica.months.summary(each).to_be_budgeted,
      })),
    };
  const { budgeted, balance, goal_under_funded } = replica.months.category(month, id);
  return {
    id,
    name,
    isReadyToAssign: false,
    isInternal: isInternalCategory(head, group),
    budgeted,
    left: balance,
    lacking: balance < 0 ? -balance : Math.max(goal_under_funded ?? 0, 0),
    leftByMonth: monthsSince(replica, month).flatMap((each) => {
      const found = replica.months.detail(each).categories.find((category) => category.id === id);
      return found ? [{ month: each, amount: found.balance }] : [];
    }),
  };
}

const monthsSince = ({ months }: BudgetMonths, first: string): string[] =>
  months
    .list()
    .map(({ month }) => month)
    .filter((month) => month >= first)
    .toSorted();
