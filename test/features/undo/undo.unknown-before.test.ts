import { expect, it } from 'vitest';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import { household } from '../writing-household.helper.ts';

it('undo does not enter an older version of a transaction that was changed elsewhere and then deleted', async () => {
  const { call, done, ledger, state } = await household();
  const row =
    ledger
      .transactions(undefined)
      .find(({ amount, transfer_account_id }) => amount < 0 && !transfer_account_id) ?? expect.unreachable();
  ledger.commit((books) => updateTransaction(books, row.id, { amount: -777_000 }));
  await done('delete_transaction', { transaction_id: row.id });
  const before = await state();
  const { text, isError } = await call('undo');
  expect(isError).toBe(true);
  expect(text).toContain('it was changed elsewhere before it was deleted');
  expect(await state()).toEqual(before);
});
