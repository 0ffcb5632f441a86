/** The change of the net worth between two days in the past, and that of two debts. */
import type { Task } from '../../task.ts';
import { balanceOn, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'By how much did everything that we own, less everything that we owe, grow between the end of June 2025 and the end of ' +
      'June 2026? And by how much did our debt on the mortgage and the car loan together go down in that time?',
  ],
  expected: (before) => {
    const growth = (...names: string[]) =>
      units(balanceOn(before, '2026-06-30', ...names) - balanceOn(before, '2025-06-30', ...names));
    return { results: [[growth(), growth('Mortgage', 'Car Loan')]], changes: [] };
  },
};
