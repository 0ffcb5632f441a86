/** A new category with a monthly target and money for this month, and a monthly payment from it. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'ten-years',
  says: [
    'Mila starts music school. Create a category "Music School" in the group Family with a target of 42.50 a month, and assign 42.50 to it for this month. Then schedule the payment: 42.50 to Quaver Music School from Checking, monthly, the first one on December 5, in that category.',
  ],
  expected: () => ({
    results: ['done'],
    changes: [
      {
        kind: 'category',
        created: {
          name: 'Music School',
          group: 'Family',
          hidden: false,
          goal_type: 'NEED',
          goal_target: 42_500,
        },
      },
      { kind: 'budgeted', month: '2026-11', category: 'Music School', from: 0, to: 42_500 },
      {
        kind: 'scheduled transaction',
        created: {
          account: 'Checking',
          date: '2026-12-05',
          frequency: 'monthly',
          amount: -42_500,
          payee: 'Quaver Music School',
          category: 'Music School',
        },
      },
    ],
  }),
};
