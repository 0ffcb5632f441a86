import { expect, it } from 'vitest';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import { startUndoing } from './undoing.helper.ts';

it('undo enters a deleted transaction as it was just before, though it was changed elsewhere after it was read', async () => {
  const { call, ledger, payment, entries } = await startUndoing();
  const { id } = payment();
  ledger.commit((books) => updateTransaction(books, id, { amount: -777_000 }));
  await call('delete_transaction', { transaction_id: id });
  await call('undo');
  expect(entries().filter(({ amount }) => amount === -777_000)).toHaveLength(1);
});

it('undo does not enter what was changed elsewhere just when it was deleted', async () => {
  const { call, ledger, payment, entries, beforeWrites } = await startUndoing();
  const { id } = payment();
  beforeWrites.push(() => ledger.commit((books) => updateTransaction(books, id, { amount: -777_000 })));
  await call('delete_transaction', { transaction_id: id });
  const before = entries().length;
  const { text, isError } = await call('undo');
  expect([isError, entries().length]).toEqual([true, before]);
  expect(text).toContain('it was changed elsewhere before it was deleted');
});

it('undo takes back a change of a transaction whose category the budget does not have, and leaves that reference', async () => {
  const { call, ledger, payment, entries } = await startUndoing();
  const { id, memo } = payment();
  const category_id = ledger.commit((books) => {
    const row = books.transactions.get(id) ?? expect.unreachable();
    const unknown = books.newId();
    books.putTransaction({ ...row, category_id: unknown });
    return unknown;
  });
  await call('refresh_budget');
  const shown = () => entries().find((row) => row.id === id);
  await call('update_transaction', { transaction_id: id, memo: 'changed' });
  expect(shown()).toMatchObject({ memo: 'changed', category_id });
  const { text, isError } = await call('undo');
  expect(isError, text).toBe(false);
  expect(shown()).toMatchObject({ memo, category_id });
});
