/** The bank has sent one purchase as reserved and again as booked. One goes, and the rest of what came in is approved. */
import { z } from 'zod';
import { accountNamed, named } from '../../export.ts';
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

const AMOUNT = -63_270;
const BOOKED = 'HARVEST HALL 0423 BERLIN';

const rows = z.array(z.object({ id: z.string(), name: z.string() }));
const groups = z.array(z.object({ categories: rows }));

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'Did any purchase come in twice from the bank? Tell me the day and the amount of the second one.',
    'That was one and the same purchase. Delete the second one, and approve everything else that came in.',
  ],
  prepare: async (service) => {
    const { accounts } = await service.get('accounts');
    const { category_groups } = await service.get('categories');
    const categories = groups.parse(category_groups).flatMap((group) => group.categories);
    const purchase = { account_id: named(rows.parse(accounts), 'Blue Card').id, amount: AMOUNT };
    const reserved = {
      ...purchase,
      date: '2026-11-13',
      payee_name: 'Harvest Hall',
      category_id: named(categories, 'Groceries').id,
      approved: true,
      import_id: 'reserved 4711',
    };
    const booked = { ...purchase, date: '2026-11-16', payee_name: BOOKED, import_id: 'booked 4711' };
    await service.send('POST', 'transactions', { transactions: [reserved, booked] });
  },
  expected: (before) => {
    const { id } = accountNamed(before, 'Blue Card');
    const twice = before.transactions.filter((row) => row.account_id === id && row.amount === AMOUNT);
    if (twice.length !== 2) throw new Error('The purchase is not there twice.');
    const came = transactionsWhere(before, ({ approved }) => !approved);
    return {
      results: [['2026-11-16', 63.27], 'done'],
      changes: came.map((row) =>
        row.payee === BOOKED
          ? { kind: 'transaction', deleted: row }
          : { kind: 'transaction', updated: row, to: { approved: true } },
      ),
    };
  },
};
