/** The budget of a month that does not exist yet, from that of the current one. */
import { budgetedTo } from '../../changes.ts';
import { monthOf } from '../../export.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'For December, budget each category of the Everyday group with the same amount that it has budgeted in November, except Groceries: give it ten percent more than in November.',
  ],
  expected: (before) => ({
    results: ['done'],
    changes: monthOf(before, '2026-11')
      .categories.filter(({ category_group_name }) => category_group_name === 'Everyday')
      .map(({ name, budgeted }) =>
        budgetedTo(before, '2026-12', name, name === 'Groceries' ? budgeted + budgeted / 10 : budgeted),
      ),
  }),
};
