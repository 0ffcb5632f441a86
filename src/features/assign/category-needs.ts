/**
 * What categories need in a month by a rule: so much more has to be budgeted. No rule lowers an amount, and none looks at how
 * much money there is (`assignment.ts`). Pure; amounts in milliunits.
 */

import { addMonths, firstOfMonth } from '../../base/calendar.ts';
import type { Category } from '../../model/replica/entities.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { lackingIn, underfundedIn } from '../../model/sums/goals.ts';
import type { BudgetMonths } from '../../model/sums/month-to-come.ts';

export const assignmentRules = [
  'cover_overspent',
  'fund_goals',
  'repeat_last_month',
  'average_spent',
  'average_budgeted',
] as const;
export type AssignmentRule = (typeof assignmentRules)[number];

export interface RuleScope {
  readonly rule: AssignmentRule;
  /** The first day of a month that the budget has. */
  readonly month: string;
  /** The person's day. An average has no month that is not over. */
  readonly today: string;
  readonly months: number;
  /** Ids of categories and groups. Without it, all. */
  readonly categories?: readonly string[] | undefined;
  /** The id of the category that gives the money, which gets nothing. */
  readonly from?: string | undefined;
  /** The smallest amount of the currency. */
  readonly unit: number;
}

export interface CategoryNeed {
  /** As it is in the month. */
  readonly category: Category;
  /** More than zero. */
  readonly amount: number;
  /** The part that covers overspending. Zero for the payment category of a card, which rules do not cover. */
  readonly covering: number;
}

/**
 * In the order of the budget; goals without a date come last, since their figure is the whole target. Hidden categories are
 * covered, and other rules leave them out unless `categories` names them.
 */
export function needsByRule(replica: BudgetMonths, scope: RuleScope): CategoryNeed[] {
  const { rule } = scope;
  const { isPayment } = categoryKinds(replica);
  const needOf = needBy(replica, scope);
  const needs = categoriesOf(replica, scope).flatMap((category): CategoryNeed[] => {
    const amount = needOf(category);
    const overspent = isPayment(category) ? 0 : Math.max(-category.balance, 0);
    return amount > 0 ? [{ category, amount, covering: Math.min(amount, overspent) }] : [];
  });
  if (rule !== 'fund_goals') return needs;
  const isLast = ({ category }: CategoryNeed) => category.goal_type === 'TB';
  return [...needs.filter((need) => !isLast(need)), ...needs.filter(isLast)];
}

/** Goals that lack something and are not funded, because they are snoozed or because their type is not known. */
export const goalsNotFunded = (replica: BudgetMonths, scope: RuleScope): Category[] =>
  scope.rule === 'fund_goals'
    ? categoriesOf(replica, scope).filter((each) => lackingIn(each) > underfundedIn(each))
    : [];

/** The categories that a rule looks at. */
function categoriesOf(replica: BudgetMonths, { rule, month, categories: only, from }: RuleScope): Category[] {
  const kinds = categoryKinds(replica);
  return categoriesInOrder(replica, month).filter((category) => {
    const { id, category_group_id, hidden } = category;
    const isNamed = only?.includes(id) ?? false;
    return !(
      id === from ||
      kinds.isInternal(category) ||
      (only !== undefined && !isNamed && !only.includes(category_group_id)) ||
      (hidden && !isNamed && rule !== 'cover_overspent') ||
      (kinds.isPayment(category) && (rule === 'cover_overspent' || rule === 'average_spent'))
    );
  });
}

/** The categories as they are in a month, in the order of the budget. */
export function categoriesInOrder(replica: BudgetMonths, month: string): Category[] {
  const inMonth = new Map(replica.months.detail(month).categories.map((each) => [each.id, each]));
  return replica
    .categoryGroups()
    .flatMap(({ categories }) => categories)
    .flatMap(({ id }) => inMonth.get(id) ?? []);
}

function needBy(replica: BudgetMonths, scope: RuleScope): (category: Category) => number {
  const { rule, month, today, months, unit } = scope;
  const roundedUp = (amount: number) => Math.ceil(amount / unit) * unit;
  if (rule === 'cover_overspent') return ({ balance }) => roundedUp(-balance);
  if (rule === 'fund_goals') return (category) => roundedUp(underfundedIn(category));
  const isRepeated = rule === 'repeat_last_month';
  const current = firstOfMonth(today);
  // The present month is not over.
  const last = addMonths(!isRepeated && month > current ? current : month, -1);
  const first = isRepeated ? last : addMonths(last, 1 - months);
  const sums = new Map<string, number>();
  for (const each of replica.months.details().filter((each) => each.month >= first && each.month <= last))
    for (const { id, budgeted, activity } of each.categories)
      sums.set(id, (sums.get(id) ?? 0) + (rule === 'average_spent' ? -activity : budgeted));
  const count = isRepeated ? 1 : months;
  return ({ id, budgeted }) => Math.round((sums.get(id) ?? 0) / count / unit) * unit - budgeted;
}
