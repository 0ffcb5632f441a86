/** Two overspent categories are brought to zero, to the cent, from a third one. */
import { budgetedTo } from '../../changes.ts';
import { categoryNamed } from '../../export.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'ten-years',
  says: [
    'Hobbies and Garden tools are in the red this month. Bring both back to exactly zero, with money from the Emergency Fund.',
  ],
  expected: (before) => {
    const overspent = ['Hobbies', 'Garden tools'].map((name) => categoryNamed(before, name, '2026-11'));
    const lacking = overspent.reduce((sum, { balance }) => sum - balance, 0);
    const fund = categoryNamed(before, 'Emergency Fund', '2026-11');
    return {
      results: ['done'],
      changes: [
        ...overspent.map(({ name, budgeted, balance }) =>
          budgetedTo(before, '2026-11', name, budgeted - balance),
        ),
        budgetedTo(before, '2026-11', fund.name, fund.budgeted - lacking),
      ],
    };
  },
};
