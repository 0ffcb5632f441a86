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
import { idIn, type Started, spending, start, transferTo } from './simulating.ts';

describe('what a creation is foreseen to do', () => {
  test('is to move the balances of its account and its category, as it then does', async () => {
    const started = await start();
    const transactions = [spending(started), spending(started, { amount: -2_500 })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -12_500,
      Groceries: -12_500,
    });
  });

  test('by a transfer is to move both accounts, and no category within the budget', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Savings');
    const transactions = [spending(started, { payee_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      Savings: 10_000,
    });
  });

  test('by a transfer out of the budget is to spend from its category too', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Pension Fund');
    const transactions = [spending(started, { payee_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      'Pension Fund': 10_000,
      Groceries: -10_000,
    });
  });

  test('outside the budget touches no category', async () => {
    const started = await start();
    const account_id = idIn(started.books.accounts, 'Pension Fund');
    const transactions = [spending(started, { account_id })];
    expect(await started.comesTrue(createTransactions, { transactions })).toEqual({
      'Pension Fund': -10_000,
    });
  });

  test('by a split is to move the category of each leg', async () => {
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

describe('what a change is foreseen to do', () => {
  let started: Started;
  let id: string;

  const entered = async (said: Readonly<Record<string, unknown>> = {}) => {
    started = await start();
    id = await started.enter(spending(started, said));
  };

  test('is the difference, between accounts and categories too', async () => {
    await entered();
    const said = { amount: -12_000, account_id: idIn(started.books.accounts, 'Wallet') };
    const expected = { Checking: 10_000, Wallet: -12_000, Groceries: -2_000 };
    expect(await started.changes(updateTransaction, { transaction_id: id, ...said })).toEqual(expected);
    const transactions = [{ id, ...said }];
    expect(await started.changes(updateTransactions, { transactions })).toEqual(expected);
  });

  test('of several at once is the sum, each of one transaction building on the one before', async () => {
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

  test('shows what it is about as it stands', async () => {
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
      expect((await started.foresee(operation, input)).current).toMatchObject(current);
  });

  test('of what moves no money is nothing', async () => {
    await entered();
    expect(await started.changes(updateTransaction, { transaction_id: id, memo: 'x' })).toEqual({});
  });

  test('from one month to another says nothing of the category, which depends on what was carried over', async () => {
    await entered({ date: '2026-10-05' });
    const change = { transaction_id: id, date: '2026-11-05', amount: -12_000 };
    const { effects, unpredictable } = await started.foresee(updateTransaction, change);
    expect(effects.map(({ name }) => name)).toEqual(['Checking']);
    expect(unpredictable).toEqual(['Groceries']);
  });

  test('within an earlier month is none where the month keeps its sum', async () => {
    await entered({ date: '2026-10-05' });
    const change = { transaction_id: id, date: '2026-10-06' };
    expect(await started.foresee(updateTransaction, change)).toMatchObject({
      effects: [],
      unpredictable: [],
    });
  });

  test('into a transfer is to move the other account', async () => {
    await entered();
    const payee_id = transferTo(started, 'Savings');
    const expected = { Savings: 10_000, Groceries: 10_000 };
    expect(await started.changes(updateTransaction, { transaction_id: id, payee_id })).toEqual(expected);
  });

  test('of the amount of a split is nothing: it stays', async () => {
    const subtransactions = [{ amount: -4_000 }, { amount: -6_000 }];
    await entered({ subtransactions, category_id: undefined });
    expect(await started.changes(updateTransaction, { transaction_id: id, amount: -1 })).toEqual({});
  });

  test('by a deletion is to give it all back, and it shows what would be deleted', async () => {
    await entered();
    expect(await started.changes(deleteTransaction, { transaction_id: id })).toEqual({
      Checking: 10_000,
      Groceries: 10_000,
    });
    const { current } = await started.foresee(deleteTransaction, { transaction_id: id });
    expect(current).toMatchObject({ transaction: { id, amount: -10_000 } });
  });

  test('by the deletion of a transfer is to give back both sides', async () => {
    await entered();
    const transfer = await started.enter(spending(started, { payee_id: transferTo(started, 'Savings') }));
    expect(await started.changes(deleteTransaction, { transaction_id: transfer })).toEqual({
      Checking: 10_000,
      Savings: -10_000,
    });
  });
});

describe('what budgeting is foreseen to do', () => {
  test('is seen in the month that it is about', async () => {
    const started = await start();
    const category_id = idIn(started.books.categories, 'Groceries');
    for (const month of ['2026-11-01', '2026-10-01']) {
      const row = z
        .looseObject({ budgeted: z.int(), balance: z.int() })
        .parse(started.books.budgeted.get(`${month} ${category_id}`));
      const budgeted = row.budgeted + 7_000;
      const { effects, problems } = await started.foresee(updateMonthCategory, {
        category_id,
        month,
        budgeted,
      });
      expect(problems).toEqual([]);
      expect(effects).toEqual([
        expect.objectContaining({ balanceBefore: row.balance, balanceAfter: row.balance + 7_000 }),
      ]);
    }
  });

  test('in a month that is not there yet is no problem', async () => {
    const started = await start();
    const category_id = idIn(started.books.categories, 'Groceries');
    const ahead = { category_id, month: '2027-06-01', budgeted: 1_000 };
    expect(await started.foresee(updateMonthCategory, ahead)).toMatchObject({ problems: [], effects: [] });
  });
});

test('a plan moves no money; what it changes is shown as it stands', async () => {
  const started = await start();
  const plan = { account_id: idIn(started.books.accounts, 'Checking'), date: '2026-12-01', amount: -5_000 };
  expect(await started.foresee(createScheduledTransaction, plan)).toMatchObject({
    current: {},
    problems: [],
    effects: [],
  });
  const [id] = started.books.scheduled.keys();
  const about = { scheduled_transaction_id: id };
  for (const [operation, input] of [
    [updateScheduledTransaction, { ...about, ...plan }],
    [deleteScheduledTransaction, about],
  ] as const) {
    const { current, effects } = await started.foresee(operation, input);
    expect([current['scheduled_transaction'], effects]).toEqual([expect.objectContaining({ id }), []]);
  }
});
