/** Two mistakes in rows that exist: swapped digits, and the wrong one of two shops. The other shop's next row is right. */
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    "I made two typos. The pharmacy on Saturday was 32.10, not 23.01. And what I entered as The Copper Kettle on the 13th was really at Bistro Nord; the one on the 14th is correct. Please fix the two entries, don't add new ones.",
  ],
  expected: (before) => ({
    results: ['done'],
    changes: [
      {
        kind: 'transaction',
        updated: transactionWhere(
          before,
          ({ payee, date, amount }) =>
            payee === 'Sunflower Pharmacy' && date === '2026-11-14' && amount === -23_010,
        ),
        to: { amount: -32_100 },
      },
      {
        kind: 'transaction',
        updated: transactionWhere(
          before,
          ({ payee, date }) => payee === 'The Copper Kettle' && date === '2026-11-13',
        ),
        to: { payee: 'Bistro Nord' },
      },
    ],
  }),
};
