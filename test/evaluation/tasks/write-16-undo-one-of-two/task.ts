/** Two changes of different kinds, and then one of them is taken back. */
import { budgetedTo } from '../../changes.ts';
import { categoryNamed } from '../../export.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'ten-years',
  says: [
    'I bought a lamp at Lamp & Linen today, 45.60 from Checking. Log it under Household Goods, and add 30 to what is budgeted for Household Goods this month.',
    'The shop has just cancelled the order, so nothing was paid. Undo the purchase, but keep the budget as it is now.',
  ],
  expected: (before) => {
    const { budgeted } = categoryNamed(before, 'Household Goods', '2026-11');
    return {
      results: ['done', 'done'],
      changes: [budgetedTo(before, '2026-11', 'Household Goods', budgeted + 30_000)],
    };
  },
};
