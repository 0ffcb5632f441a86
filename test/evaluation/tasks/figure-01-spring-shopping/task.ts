/** Two categories over the same odd span of two years. Some receipts are split between them. */
import type { Task } from '../../task.ts';
import { during, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'Groceries and household goods together: what did we spend on them from 19 March to 2 June this year, and how much more ' +
      'or less is that than in the same days of last year? (This year minus last year, please.)',
  ],
  expected: (before) => {
    const spending = spendingOf(before).filter(({ category }) =>
      ['Groceries', 'Household Goods'].includes(category),
    );
    const now = sum(during(spending, '2026-03-19', '2026-06-02'));
    return {
      results: [[units(now), units(now - sum(during(spending, '2025-03-19', '2025-06-02')))]],
      changes: [],
    };
  },
};
