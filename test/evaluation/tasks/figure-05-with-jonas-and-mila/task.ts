/** The text of memos, where payees have the same names, and a split purchase has its memo on the whole. */
import type { Task } from '../../task.ts';
import { during, first, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'From March 2025 to the end of October 2026, how many purchases did we note as "with Jonas & Mila", what did they come to altogether, ' +
      'and where and when was the most expensive one of them?',
  ],
  expected: (before) => {
    const noted = during(before.transactions, '2025-03-01', '2026-10-31')
      .filter(({ memo }) => memo?.includes('with Jonas & Mila'))
      .toSorted((one, other) => one.amount - other.amount);
    const { payee_id, date } = first(noted);
    const payee = first(before.payees.filter(({ id }) => id === payee_id)).name;
    return { results: [[noted.length, units(-sum(noted)), payee, date]], changes: [] };
  },
};
