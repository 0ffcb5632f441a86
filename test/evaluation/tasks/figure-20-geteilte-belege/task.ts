/** A category with and without the lines of split receipts. */
import type { Task } from '../../task.ts';
import { during, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Wie viel haben wir vom 1. Juli 2025 bis zum 30. Juni 2026 für Haushaltswaren ausgegeben, wie viel davon auf Belegen, die ' +
      'auf Lebensmittel und Haushaltswaren aufgeteilt sind, und wie viele solche Belege waren das?',
  ],
  expected: (before) => {
    const goods = during(spendingOf(before), '2025-07-01', '2026-06-30').filter(
      ({ category }) => category === 'Haushaltswaren',
    );
    const split = goods.filter(({ transaction }) =>
      before.subtransactions.some((leg) => leg.transaction_id === transaction),
    );
    return { results: [[units(sum(goods)), units(sum(split)), split.length]], changes: [] };
  },
};
