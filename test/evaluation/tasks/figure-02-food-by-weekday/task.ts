/** Weekends against the other days, and the most expensive day of the week. Some receipts are split. */
import type { Task } from '../../task.ts';
import { during, first, spendingOf, sum, sumsBy, units, weekdayOf } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'From January to the end of October this year: what did we spend on groceries and eating out together on ' +
      'Saturdays and Sundays, what on Mondays to Fridays, and on which day of the week did we spend the most on them?',
  ],
  expected: (before) => {
    const food = during(spendingOf(before), '2026-01-01', '2026-10-31').filter(({ category }) =>
      ['Groceries', 'Eating Out'].includes(category),
    );
    const weekend = sum(food.filter((line) => ['Saturday', 'Sunday'].includes(weekdayOf(line))));
    const [day] = first(sumsBy(food, weekdayOf));
    return { results: [[units(weekend), units(sum(food) - weekend), [day, `${day}s`]]], changes: [] };
  },
};
