/** The median of 24 months, and the highest and the lowest one. */
import type { Task } from '../../task.ts';
import { during, first, monthsFrom, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'Take what groceries cost us in each of the 24 months of 2020 and 2021. What is the median of these 24 amounts (the mean ' +
      'of the two in the middle), and which months were the most expensive and the cheapest one?',
  ],
  expected: (before) => {
    const groceries = spendingOf(before).filter(({ category }) => category === 'Groceries');
    const months = monthsFrom('2020-01', '2021-12')
      .map((month) => ({ month, amount: sum(during(groceries, month, `${month}-31`)) }))
      .toSorted((one, other) => one.amount - other.amount);
    const median = sum(months.slice(11, 13)) / 2;
    return {
      results: [[units(median), first(months.toReversed()).month, first(months).month]],
      changes: [],
    };
  },
};
