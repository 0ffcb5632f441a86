/** What the view of `check_month` draws: all categories of the month by group, and what the check has found. */

import { dueText } from '../../answers/goal-text.ts';
import { namesOf } from '../../answers/left-out.ts';
import { fittingRows, shownName } from '../../answers/view-texts.ts';
import { groupBy } from '../../base/group-by.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Category } from '../../model/replica/entities.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { isSnoozed } from '../../model/sums/goals.ts';
import { lackOf } from './month-categories.ts';
import type { MonthCategories, MonthCheck, MonthContent } from './month-schema.ts';

/** The rest of the data is for what is scheduled. */
const CATEGORIES_CHARACTERS = 70_000;

/** A month that the budget does not have yet has no `categories`. */
export function monthContent(
  check: MonthCheck,
  replica: BudgetReplica,
  categories?: readonly Category[],
): MonthContent {
  const { month, scheduled, open } = check;
  const { payments, income } = scheduled;
  return {
    kind: 'month',
    month: month.slice(0, 7),
    months: replica.months
      .list()
      .map((each) => each.month.slice(0, 7))
      .toSorted(),
    ...(check.categories &&
      categories && { categories: categoriesOf(check.categories, categories, replica) }),
    uncoveredCards: (check.categories?.uncovered_cards ?? []).map((card) => ({
      ...card,
      name: shownName(card.name),
    })),
    scheduled: {
      payments,
      income,
      rows: [...payments.rows, ...income.rows]
        .map(({ dates, name, category_name, legs, amount }) => ({
          first: dates[0] ?? '',
          last: dates.at(-1) ?? '',
          times: dates.length,
          payee: name && shownName(name),
          category: shownCategories([category_name, ...legs.map((leg) => leg.category_name)]),
          amount,
        }))
        .toSorted((a, b) => (a.first < b.first ? -1 : 1)),
    },
    open,
    leftOut: namesOf(check.left_out ?? []),
  };
}

/** The names of the category of a transaction or of those of its legs. Null if none has one. */
function shownCategories(names: readonly (string | null)[]): string | null {
  const known = new Set(names.flatMap((each) => each ?? []));
  return known.size === 0 ? null : shownName([...known].join(', '));
}

function categoriesOf(
  { to_be_assigned, overspent, underfunded, goals, left }: MonthCategories,
  categories: readonly Category[],
  replica: BudgetReplica,
): NonNullable<MonthContent['categories']> {
  const { isInternal, isPayment, groupNameOf } = categoryKinds(replica);
  const shown = categories.filter((each) => {
    if (isInternal(each)) return false;
    // What is below zero or counted as underfunded has to be in the list.
    if (isPayment(each)) return each.balance < 0 || lackOf(each) > 0;
    const isEmpty = each.budgeted === 0 && each.activity === 0 && each.balance === 0;
    return !(isEmpty && each.hidden);
  });
  const rows = shown.map((each) => ({
    groupId: each.category_group_id,
    groupName: shownName(groupNameOf(each) ?? ''),
    category: categoryOf(each, isPayment(each)),
  }));
  const fitting = fittingRows(rows, CATEGORIES_CHARACTERS);
  // Two groups may have the same name.
  const groups = groupBy(fitting, ({ groupId }) => groupId);
  return {
    toBeAssigned: to_be_assigned,
    overspent,
    underfunded,
    goals,
    left,
    groups: [...groups.values()].map((group) => ({
      name: group[0]?.groupName ?? '',
      categories: group.map(({ category }) => category),
    })),
    omitted: rows.length - fitting.length,
  };
}

function categoryOf(category: Category, isCard: boolean) {
  const { id, name, hidden, budgeted, activity, balance, goal_type, goal_target } = category;
  const lacks = lackOf(category);
  return {
    id,
    name: shownName(name),
    ...(hidden && { isHidden: true }),
    ...(isCard && { isCard }),
    budgeted,
    activity,
    left: balance,
    ...(lacks > 0 && { lacks }),
    ...(isSnoozed(category) && { isSnoozed: true }),
    ...(goal_target !== null && goal_type !== null && { goal: goal_target, goalDue: dueText(category) }),
  };
}
