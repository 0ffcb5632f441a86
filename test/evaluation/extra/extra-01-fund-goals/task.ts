/** Every goal that lacks money this month gets it from one category, which has a goal of its own. */
import { budgetedMore } from '../../changes.ts';
import { monthOf } from '../../export.ts';
import type { Task } from '../../task.ts';

const FUND = 'Emergency Fund';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'Please fill up every goal that still lacks money this month, and take all of it from the Emergency Fund. The fund itself can wait.',
  ],
  expected: (before) => {
    const lacking = monthOf(before, '2026-11').categories.flatMap(({ name, goal_under_funded }) =>
      name !== FUND && goal_under_funded ? [{ name, more: goal_under_funded }] : [],
    );
    return {
      results: ['done'],
      changes: [
        ...lacking.map(({ name, more }) => budgetedMore(before, name, more)),
        budgetedMore(before, FUND, -lacking.reduce((total, { more }) => total + more, 0)),
      ],
    };
  },
};
