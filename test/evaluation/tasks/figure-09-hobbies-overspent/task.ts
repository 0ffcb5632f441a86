/** The months of a year in which a category was below zero at their end, which is another thing than high spending. */
import type { Task } from '../../task.ts';
import { during, first, leftByMonth, monthsFrom, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'In how many months of 2025 did our hobbies category end the month overspent? Which month was the worst, how much was ' +
      'missing at its end, and how much had we spent on hobbies in it?',
  ],
  expected: (before) => {
    const left = leftByMonth(before, 'Hobbies');
    const overspent = monthsFrom('2025-01', '2025-12')
      .map((month) => ({ month, missing: -(left.get(month) ?? 0) }))
      .filter(({ missing }) => missing > 0)
      .toSorted((one, other) => other.missing - one.missing);
    const { month, missing } = first(overspent);
    const spent = during(spendingOf(before), month, `${month}-31`).filter(
      ({ category }) => category === 'Hobbies',
    );
    return { results: [[overspent.length, month, units(missing), units(sum(spent))]], changes: [] };
  },
};
