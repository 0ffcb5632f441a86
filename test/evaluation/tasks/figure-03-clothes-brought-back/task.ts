/** Purchases, refunds and what remains, and then the same for another span. */
import type { Task } from '../../task.ts';
import { during, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'Clothing in the whole of 2025: what did we pay before anything was brought back, how much did the shops refund us in ' +
      'that year, and what did it cost us in the end?',
    'And the same three figures for this year, up to the end of October?',
  ],
  expected: (before) => {
    const clothes = spendingOf(before).filter(({ category }) => category === 'Clothing');
    const figures = (since: string, until: string) => {
      const all = during(clothes, since, until);
      const paid = sum(all.filter(({ amount }) => amount > 0));
      return [units(paid), units(paid - sum(all)), units(sum(all))];
    };
    return {
      results: [figures('2025-01-01', '2025-12-31'), figures('2026-01-01', '2026-10-31')],
      changes: [],
    };
  },
};
