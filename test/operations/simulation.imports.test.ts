import { describe, expect, test } from 'vitest';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { callOperation } from '../call-operation.helper.ts';
import { idIn, type Started, spending, start, transferTo } from './simulating.helper.ts';

describe('the simulation of an import', () => {
  const imported = (started: Started, fields: Readonly<Record<string, unknown>> = {}) =>
    spending(started, { import_id: 'bank-1', amount: -10_010, ...fields });
  const importing = async (started: Started, ...transactions: readonly object[]) => {
    const { problems, balanceChanges, unpredictable, remarks } = await started.simulate(createTransactions, {
      transactions,
    });
    return { problems, balanceChanges, unpredictable: unpredictable.toSorted(), remarks };
  };
  const NAMED = {
    problems: [],
    balanceChanges: [],
    unpredictable: ['Checking', 'Groceries'],
    remarks: ['A row with an import_id may be skipped, or matched to a transaction that exists.'],
  };

  test('a simulated import states no balances, but names those that may change, and that it may be skipped or matched', async () => {
    const started = await start();
    expect(await importing(started, imported(started))).toEqual(NAMED);
    await started.enter(spending(started, { date: '2026-11-14', amount: -10_010 }));
    expect(await importing(started, imported(started))).toEqual(NAMED);
  });

  test('a simulated import makes the balances of other rows of the write unpredictable too', async () => {
    const started = await start();
    const account_id = idIn(started.books.accounts, 'Wallet');
    expect(await importing(started, imported(started), spending(started, { account_id }))).toEqual({
      ...NAMED,
      unpredictable: ['Checking', 'Groceries', 'Wallet'],
    });
  });

  test('rows with an empty import id, or none, are predicted exactly', async () => {
    const started = await start();
    const transactions = [spending(started, { import_id: '' }), spending(started)];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -20_000,
      Groceries: -20_000,
    });
  });

  test('a single simulated import that its account already has is refused', async () => {
    const started = await start();
    const input = createTransactions.input.parse({ transactions: [imported(started)] });
    await callOperation(started.client, createTransactions, input);
    const existing = 'import_id: the account has "bank-1" already';
    expect((await importing(started, imported(started))).problems).toEqual([existing]);
    const account_id = idIn(started.books.accounts, 'Wallet');
    expect((await importing(started, imported(started, { account_id }))).problems).toEqual([]);
    // Among several rows it is skipped.
    const other = imported(started, { import_id: 'bank-2' });
    expect((await importing(started, imported(started), other)).problems).toEqual([]);
  });

  test('a simulated import that is a transfer names the account of the transfer, and the categories of transactions that may become one', async () => {
    const started = await start();
    const before = await started.witness.look();
    const category_id = idIn(before.categories, 'Eating Out');
    await started.enter(spending(started, { date: '2026-11-14', amount: -10_010, category_id }));
    const payee_id = transferTo(started, 'Wallet');
    expect((await importing(started, imported(started, { payee_id }))).unpredictable).toEqual([
      'Checking',
      'Eating Out',
      'Groceries',
      'Wallet',
    ]);
  });
});
