/** The first three payees of a category in order. One of them sells other things, too, and there are split receipts. */
import type { Task } from '../../task.ts';
import { during, first, spendingOf, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'At which three shops did we spend the most on groceries in 2019? Name them in order, the most first, and then how much ' +
      'went to the first of them for groceries. Only what is in the groceries category, please.',
  ],
  expected: (before) => {
    const groceries = during(spendingOf(before), '2019-01-01', '2019-12-31').filter(
      ({ category }) => category === 'Groceries',
    );
    const shops = sumsBy(groceries, ({ payee }) => payee);
    return { results: [[...shops.slice(0, 3).map(([name]) => name), units(first(shops)[1])]], changes: [] };
  },
};
