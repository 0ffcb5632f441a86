import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { updatePayee } from '../../src/operations/payees.ts';
import {
  createScheduledTransaction,
  deleteScheduledTransaction,
  updateScheduledTransaction,
} from '../../src/operations/scheduled-transactions.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import { idIn, type Started, spending, start, transferTo } from './simulating.helper.ts';

describe('the simulation of a creation', () => {
  test('a simulated creation changes the balances of its account and category, as the write then does', async () => {
    const started = await start();
    const transactions = [spending(started), spending(started, { amount: -2_500 })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -12_500,
      Groceries: -12_500,
    });
  });

  test('a simulated transfer changes both accounts, and no category within the budget', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Savings');
    const transactions = [spending(started, { payee_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      Savings: 10_000,
    });
  });

  test('a simulated transfer to a tracking account changes its category too', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Pension Fund');
    const transactions = [spending(started, { payee_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      'Pension Fund': 10_000,
      Groceries: -10_000,
    });
  });

  test('a simulated creation in a tracking account changes no category', async () => {
    const started = await start();
    const account_id = idIn(started.books.accounts, 'Pension Fund');
    const transactions = [spending(started, { account_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      'Pension Fund': -10_000,
    });
  });

  test('a simulated split changes the category of each leg', async () => {
    const started = await start();
    const subtransactions = [
      { amount: -4_000, category_id: idIn(started.books.categories, 'Eating Out') },
      { amount: -5_000, category_id: idIn(started.books.categories, 'Groceries') },
      { amount: -1_000, payee_id: transferTo(started, 'Wallet') },
    ];
    const transactions = [spending(started, { category_id: undefined, subtransactions })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      Wallet: 1_000,
      'Eating Out': -4_000,
      Groceries: -5_000,
    });
  });
});

describe('the simulation of a change', () => {
  let started: Started;
  let id: string;

  const entered = async (fields: Readonly<Record<string, unknown>> = {}) => {
    started = await start();
    id = await started.enter(spending(started, fields));
  };

  test('a simulated change gives the difference, also between accounts and categories', async () => {
    await entered();
    const fields = { amount: -12_000, account_id: idIn(started.books.accounts, 'Wallet') };
    const expected = { Checking: 10_000, Wallet: -12_000, Groceries: -2_000 };
    expect(await started.changes(updateTransaction, { transaction_id: id, ...fields })).toEqual(expected);
    const transactions = [{ id, ...fields }];
    expect(await started.changes(updateTransactions, { transactions })).toEqual(expected);
  });

  test('a simulated change of several transactions gives the sum, and each row applies to the result of the row before', async () => {
    await entered();
    const other = await started.enter(spending(started, { import_id: 'bank-7', amount: -11_010 }));
    const subtransactions = [
      { amount: -4_000, category_id: idIn(started.books.categories, 'Eating Out') },
      { amount: -9_010 },
    ];
    const transactions = [
      { id, amount: -12_000 },
      { id, payee_id: transferTo(started, 'Savings') },
      { import_id: 'bank-7', amount: -13_010, subtransactions },
      { id: other, amount: -99_000 },
    ];
    expect(await started.comesTrue(updateTransactions, { transactions })).toEqual({
      Checking: -4_000,
      Savings: 12_000,
      Groceries: 21_010,
      'Eating Out': -4_000,
    });
  });

  test('a simulated change shows the current transaction', async () => {
    await entered();
    const transactions = [{ id, memo: 'x' }];
    const [payee] = started.books.payees.values();
    const category_id = idIn(started.books.categories, 'Groceries');
    const shown: readonly [Operation, Record<string, unknown>, Record<string, unknown>][] = [
      [updateTransaction, { transaction_id: id, memo: 'x' }, { transaction: { id, memo: null } }],
      [updateTransactions, { transactions }, { transactions: [{ id, memo: null }] }],
      [updateCategory, { category_id, name: 'Food' }, { category: { name: 'Groceries' } }],
      [updatePayee, { payee_id: payee?.id, name: 'x' }, { payee: { name: payee?.name } }],
    ];
    for (const [operation, input, current] of shown)
      expect((await started.simulate(operation, input)).current).toMatchObject(current);
  });

  test('a simulated change that moves no money changes no balance', async () => {
    await entered();
    expect(await started.changes(updateTransaction, { transaction_id: id, memo: 'x' })).toEqual({});
  });

  test('a simulated change to another month does not predict the category, which depends on what was carried over', async () => {
    await entered({ date: '2026-10-05' });
    const change = { transaction_id: id, date: '2026-11-05', amount: -12_000 };
    const { balanceChanges, unpredictable } = await started.simulate(updateTransaction, change);
    expect(balanceChanges.map(({ name }) => name)).toEqual(['Checking']);
    expect(unpredictable).toEqual(['Groceries']);
  });

  test('a simulated change within an earlier month changes no category if the sum of the month stays', async () => {
    await entered({ date: '2026-10-05' });
    const change = { transaction_id: id, date: '2026-10-06' };
    expect(await started.simulate(updateTransaction, change)).toMatchObject({
      balanceChanges: [],
      unpredictable: [],
    });
  });

  test('a simulated change into a transfer changes the other account', async () => {
    await entered();
    const payee_id = transferTo(started, 'Savings');
    const expected = { Savings: 10_000, Groceries: 10_000 };
    expect(await started.changes(updateTransaction, { transaction_id: id, payee_id })).toEqual(expected);
  });

  test('a simulated change of the amount of a split changes nothing, because the amount stays', async () => {
    const subtransactions = [{ amount: -4_000 }, { amount: -6_000 }];
    await entered({ subtransactions, category_id: undefined });
    expect(await started.changes(updateTransaction, { transaction_id: id, amount: -1 })).toEqual({});
  });

  test('a simulated deletion removes the amounts and shows the transaction to delete', async () => {
    await entered();
    expect(await started.changes(deleteTransaction, { transaction_id: id })).toEqual({
      Checking: 10_000,
      Groceries: 10_000,
    });
    const { current } = await started.simulate(deleteTransaction, { transaction_id: id });
    expect(current).toMatchObject({ transaction: { id, amount: -10_000 } });
  });

  test('a simulated deletion of a transfer removes both sides', async () => {
    await entered();
    const transfer = await started.enter(spending(started, { payee_id: transferTo(started, 'Savings') }));
    expect(await started.changes(deleteTransaction, { transaction_id: transfer })).toEqual({
      Checking: 10_000,
      Savings: -10_000,
    });
  });
});

describe('the simulation of a budgeted amount', () => {
  test('a simulated budgeted amount changes the category in its month', async () => {
    const started = await start();
    const category_id = idIn(started.books.categories, 'Groceries');
    for (const month of ['2026-11-01', '2026-10-01']) {
      const row = z
        .looseObject({ budgeted: z.int(), balance: z.int() })
        .parse(started.books.budgeted.get(`${month} ${category_id}`));
      const budgeted = row.budgeted + 7_000;
      const { balanceChanges, problems } = await started.simulate(updateMonthCategory, {
        category_id,
        month,
        budgeted,
      });
      expect(problems).toEqual([]);
      expect(balanceChanges).toEqual([
        expect.objectContaining({ balanceBefore: row.balance, balanceAfter: row.balance + 7_000 }),
      ]);
    }
  });

  test('a simulated budgeted amount in a month that does not exist yet is no problem', async () => {
    const started = await start();
    const category_id = idIn(started.books.categories, 'Groceries');
    const ahead = { category_id, month: '2027-06-01', budgeted: 1_000 };
    expect(await started.simulate(updateMonthCategory, ahead)).toMatchObject({
      problems: [],
      balanceChanges: [],
    });
  });
});

test('a simulated change of a scheduled transaction changes no balance and shows the current state', async () => {
  const started = await start();
  const plan = { account_id: idIn(started.books.accounts, 'Checking'), date: '2026-12-01', amount: -5_000 };
  expect(await started.simulate(createScheduledTransaction, plan)).toMatchObject({
    current: {},
    problems: [],
    balanceChanges: [],
  });
  const [id] = started.books.scheduled.keys();
  const about = { scheduled_transaction_id: id };
  for (const [operation, input] of [
    [updateScheduledTransaction, { ...about, ...plan }],
    [deleteScheduledTransaction, about],
  ] as const) {
    const { current, balanceChanges } = await started.simulate(operation, input);
    expect([current['scheduled_transaction'], balanceChanges]).toEqual([expect.objectContaining({ id }), []]);
  }
});
