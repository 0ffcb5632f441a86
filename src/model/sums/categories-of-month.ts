/**
 * Categories as they are in the month of a person, which begins earlier or later than that of the service, in UTC: the service
 * has the amounts of its own month in every category that it sends without a month. Pure; amounts in milliunits.
 */
import type { Category, MonthDetail } from '../replica/entities.ts';

type Amounts = Pick<
  Category,
  | 'budgeted'
  | 'activity'
  | 'balance'
  | 'to_be_budgeted'
  | 'goal_percentage_complete'
  | 'goal_months_to_budget'
  | 'goal_under_funded'
  | 'goal_overall_funded'
  | 'goal_overall_left'
  | 'goal_snoozed_at'
>;

/** The same category with the amounts of the month. */
export type InMonth = <Row extends Amounts & Pick<Category, 'id'>>(row: Row) => Row;

/** For a month that the budget does not have, because it begins later: there is nothing in it. */
const empty: InMonth = (row) => carriedOver({ ...row, balance: 0 });

export function categoriesOf(month?: Pick<MonthDetail, 'categories' | 'to_be_budgeted'>): InMonth {
  if (!month) return empty;
  const rows = new Map(month.categories.map((row) => [row.id, row]));
  return (row) => {
    const found = rows.get(row.id) ?? row;
    return {
      ...row,
      budgeted: found.budgeted,
      activity: found.activity,
      balance: found.balance,
      ...(row.to_be_budgeted !== undefined && { to_be_budgeted: month.to_be_budgeted }),
      goal_percentage_complete: found.goal_percentage_complete,
      goal_months_to_budget: found.goal_months_to_budget,
      goal_under_funded: found.goal_under_funded,
      goal_overall_funded: found.goal_overall_funded,
      goal_overall_left: found.goal_overall_left,
      goal_snoozed_at: found.goal_snoozed_at,
    };
  };
}

/** In the next month. How a goal goes on is known to the service alone. */
export const carriedOver = <Row extends Pick<Amounts, 'balance' | 'goal_under_funded'>>(row: Row): Row => ({
  ...row,
  budgeted: 0,
  activity: 0,
  balance: Math.max(row.balance, 0),
  goal_under_funded: null,
});
