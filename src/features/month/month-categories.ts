/**
 * What the categories of a month lack and what is left in them. The service's own categories do not count. The interface
 * gives one balance for each category, and does not say how much of an overspending was by card (docs/interface.md,
 * Category).
 */
import { dueText } from '../../answers/goal-text.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Account, Category } from '../../model/replica/entities.ts';
import type { CategoryKinds } from '../../model/sums/category-kinds.ts';
import { byAmount, firstRows } from '../../model/sums/first-rows.ts';
import { isSnoozed, lackingIn, underfundedIn } from '../../model/sums/goals.ts';
import { sumOf } from '../../model/sums/sum.ts';
import type { CategoryAmount, MonthCategories, UncoveredCard, UnderfundedCategory } from './month-schema.ts';

/** `max` is the largest number of rows: `left` of what is left, which nothing has to be done about, and `rows` of the others. */
export function checkCategories(
  categories: readonly Category[],
  { isInternal, isPayment }: CategoryKinds,
  max: { readonly rows: number; readonly left: number },
): Omit<MonthCategories, 'to_be_assigned' | 'uncovered_cards'> {
  const own = categories.filter((each) => !isInternal(each));
  const belowZero = (rows: readonly Category[]) =>
    listOf(
      rows.filter(({ balance }) => balance < 0).map((each) => amountOf(each, -each.balance)),
      max.rows,
    );
  const positive = own.filter(({ balance }) => balance > 0);
  const goals = own.filter(({ goal_type, hidden }) => goal_type !== null && !hidden);
  return {
    overspent: belowZero(own.filter((each) => !isPayment(each))),
    cards_below_zero: belowZero(own.filter(isPayment)),
    underfunded: listOf(own.filter((each) => lackOf(each) > 0).map(underfundedOf), max.rows),
    goals: goals.length,
    snoozed: listOf(
      goals.filter(isSnoozed).map((each) => amountOf(each, lackingIn(each))),
      max.rows,
    ),
    left: listOf(
      positive.filter((each) => !isPayment(each)).map((each) => amountOf(each, each.balance)),
      max.left,
    ),
    set_aside_for_cards: sumOf(positive.filter(isPayment), ({ balance }) => balance),
  };
}

const listOf = <Row extends CategoryAmount>(rows: readonly Row[], max: number) =>
  firstRows(rows.toSorted(byAmount), max, (row) => row.amount);

const amountOf = ({ id, name, hidden }: Category, amount: number): CategoryAmount => ({
  category_id: id,
  name,
  hidden,
  amount,
});

/** What its goal still needs. Goals that are hidden or snoozed do not count. */
export const lackOf = (category: Category): number => (category.hidden ? 0 : underfundedIn(category));

const underfundedOf = (category: Category): UnderfundedCategory => ({
  ...amountOf(category, lackOf(category)),
  goal_target: category.goal_target,
  goal_due: dueText(category),
  goal_percentage_complete: category.goal_percentage_complete,
  has_date: category.goal_type !== 'TB',
});

/**
 * The cards that owe more than their payment category has left. The interface does not say which card a payment category
 * belongs to: it has the name of the card. A name that two open accounts have is left out.
 */
export function uncoveredCards(
  categories: readonly Category[],
  { isPayment }: CategoryKinds,
  accounts: readonly Account[],
): UncoveredCard[] {
  const open = groupBy(
    accounts.filter((each) => each.on_budget && !each.closed),
    (each) => each.name,
  );
  return categories.filter(isPayment).flatMap(({ id, name, balance }) => {
    const [card, another] = open.get(name) ?? [];
    const owed = card && !another ? -card.balance : 0;
    const set_aside = Math.max(0, balance);
    return owed > set_aside ? [{ category_id: id, name, owed, set_aside, amount: owed - set_aside }] : [];
  });
}
