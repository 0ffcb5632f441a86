/** All payees with a word in their name. A visit with a split receipt is one visit. */
import type { Task } from '../../task.ts';
import { during, first, numberOfTransactions, spendingOf, sum, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'All the places with "Cinema" in their name together: how much did we spend there from July 2019 to June 2024, how many ' +
      'payments were that, and at which cinema did we leave the second most?',
  ],
  expected: (before) => {
    const visits = during(spendingOf(before), '2019-07-01', '2024-06-30').filter(({ payee }) =>
      payee.includes('Cinema'),
    );
    const second = first(sumsBy(visits, ({ payee }) => payee).slice(1));
    return { results: [[units(sum(visits)), numberOfTransactions(visits), second[0]]], changes: [] };
  },
};
