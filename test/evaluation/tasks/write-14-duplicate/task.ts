/** One purchase of a month was entered twice. Which one is not given; either of its two rows may be deleted. */
import { z } from 'zod';
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

const purchases = z.array(
  z.object({
    account_id: z.string(),
    date: z.string(),
    amount: z.int(),
    payee_id: z.string().nullable(),
    payee_name: z.string().nullable(),
    category_id: z.string().nullable(),
    cleared: z.string(),
    approved: z.boolean(),
  }),
);

export const task: Task = {
  kind: 'write',
  household: 'ten-years',
  says: [
    'I entered one of my October purchases from the wallet twice: same day, same shop, same amount. Please delete the one too many.',
  ],
  prepare: async (service) => {
    const { transactions } = await service.get('transactions?since_date=2026-10-20');
    const purchase = purchases
      .parse(transactions)
      .find(({ payee_name, date }) => payee_name === 'Kiosk at the Park' && date === '2026-10-20');
    await service.send('POST', 'transactions', { transaction: purchase });
  },
  expected: (before) => {
    const both = transactionsWhere(
      before,
      ({ account, payee, date }) =>
        account === 'Wallet' && payee === 'Kiosk at the Park' && date === '2026-10-20',
    );
    return {
      results: ['done'],
      changes: both.slice(1).map((deleted) => ({ kind: 'transaction', deleted })),
    };
  },
};
