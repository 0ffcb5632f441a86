/** A refund of a purchase that has to be found first, to know its amount and category. The purchase itself stays. */
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'Puddle Boots took back the boots that I bought there on Saturday. They refunded the full price to the Blue Card today. Please log the refund in the category of the purchase.',
  ],
  expected: (before) => {
    const { account, payee, category, amount } = transactionWhere(
      before,
      (row) => row.payee === 'Puddle Boots' && row.date === '2026-11-14',
    );
    return {
      results: ['done'],
      changes: [
        { kind: 'transaction', created: { account, payee, category, date: '2026-11-18', amount: -amount } },
      ],
    };
  },
};
