/** Ids in texts are those that arguments take. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const result = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

it('the legs in a list have the abbreviated id of their transaction, which get_transaction accepts', async () => {
  const { client, clock, ledger } = await startHolding();
  const [account] = ledger.accounts();
  const category =
    ledger
      .categoryGroups()
      .flatMap(({ categories }) => categories)
      .find(({ name }) => name === 'Groceries') ?? expect.unreachable();
  const { id } = ledger.commit((state) =>
    addTransaction(state, {
      account_id: account?.id ?? '',
      date: '2026-11-20',
      amount: -3_000,
      memo: 'Receipt',
      legs: [
        { amount: -1_000, memo: 'Milk', category_id: category.id },
        { amount: -2_000, memo: 'Stamps' },
      ],
    }),
  );
  const host = await hostOf({ client, clock });
  const call = async (name: string, args: Record<string, unknown>) =>
    result.parse(await host.callTool({ name, arguments: args })).content[0].text;
  const list = await call('list_category_transactions', { category_id: category.id });
  const [, shortId = ''] = /memo "Milk".* · leg of (\S+)/.exec(list) ?? [];
  expect(shortId).toMatch(/^[0-9a-f-]{6,12}$/);
  expect(id).toMatch(new RegExp(`^${shortId}`));
  expect(await call('get_transaction', { transaction_id: shortId })).toContain('memo "Receipt"');
});
