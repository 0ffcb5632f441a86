/** Two groups of categories over three years, and the largest category of both. Some receipts are split. */
import type { Task } from '../../task.ts';
import { during, first, spendingOf, sum, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'In the three years 2022 to 2024, what did everything in the Garden group cost us, what everything in the Kitchen group, ' +
      'and which single category out of both groups cost the most?',
  ],
  expected: (before) => {
    const spending = during(spendingOf(before), '2022-01-01', '2024-12-31');
    const groups = ['Garden', 'Kitchen'];
    const largest = first(
      sumsBy(
        spending.filter(({ group }) => groups.includes(group)),
        ({ category }) => category,
      ),
    );
    const results = groups.map((name) => units(sum(spending.filter(({ group }) => group === name))));
    return { results: [[...results, largest[0]]], changes: [] };
  },
};
