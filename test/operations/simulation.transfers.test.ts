import { beforeEach, describe, expect, test } from 'vitest';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import { idIn, type Started, spending, start, transferTo } from './simulating.helper.ts';

let started: Started;
beforeEach(async () => {
  started = await start();
});

const category = (name: string) => idIn(started.books.categories, name);

describe('the other side of a split with a transfer', () => {
  /** A split of 10 from Checking: 6 for groceries and 4 to the wallet. */
  let id: string;
  let side: string;
  beforeEach(async () => {
    id = await started.enter(
      spending(started, {
        category_id: undefined,
        subtransactions: [
          { amount: -6_000, category_id: category('Groceries') },
          { amount: -4_000, payee_id: transferTo(started, 'Wallet') },
        ],
      }),
    );
    const { transactions } = await started.witness.look();
    side = [...transactions.values()].find((each) => each.transfer_transaction_id === id)?.id ?? '';
  });

  test('deleting the other side of a leg changes only its own account, and the split keeps its amount', async () => {
    const expected = { Wallet: -4_000 };
    expect(await started.comesTrue(deleteTransaction, { transaction_id: side })).toEqual(expected);
  });

  test('deleting a split deletes the other sides of its legs', async () => {
    expect(await started.comesTrue(deleteTransaction, { transaction_id: id })).toEqual({
      Checking: 10_000,
      Groceries: 6_000,
      Wallet: -4_000,
    });
  });

  test('the other side of a leg keeps amount, date and account in a change', async () => {
    const change = { amount: 9_000, date: '2026-11-01', account_id: idIn(started.books.accounts, 'Savings') };
    expect(await started.comesTrue(updateTransaction, { transaction_id: side, ...change })).toEqual({});
    const transactions = [{ id: side, ...change }];
    expect(await started.comesTrue(updateTransactions, { transactions })).toEqual({});
  });
});

describe('the category of a transfer', () => {
  test('a transfer within the budget loses its category, and does not get it back when it becomes a payment', async () => {
    const id = await started.enter(spending(started));
    const transactions = [
      { id, payee_id: transferTo(started, 'Savings') },
      { id, payee_id: null, amount: -11_000 },
    ];
    expect(await started.comesTrue(updateTransactions, { transactions })).toEqual({
      Checking: -1_000,
      Groceries: 10_000,
    });
  });

  test('the category of a transfer to a tracking account follows a change of the other side', async () => {
    const payee_id = transferTo(started, 'Pension Fund');
    const id = await started.enter(spending(started, { payee_id }));
    const { transactions } = await started.witness.look();
    const transaction_id = transactions.get(id)?.transfer_transaction_id;
    expect(await started.comesTrue(updateTransaction, { transaction_id, amount: 12_000 })).toEqual({
      Checking: -2_000,
      'Pension Fund': 2_000,
      Groceries: -2_000,
    });
    expect(await started.comesTrue(deleteTransaction, { transaction_id })).toEqual({
      Checking: 12_000,
      'Pension Fund': -12_000,
      Groceries: 12_000,
    });
  });
});

test('a category for credit card payments is ignored, and its balance is not predicted', async () => {
  const category_id = category('Blue Card');
  const transactions = [spending(started, { category_id })];
  expect(await started.comesTrue(createTransactions, { transactions })).toEqual({ Checking: -10_000 });
  const id = await started.enter(spending(started));
  const change = { transaction_id: id, category_id, amount: -11_000 };
  expect(await started.comesTrue(updateTransaction, change)).toEqual({
    Checking: -1_000,
    Groceries: -1_000,
  });
});
