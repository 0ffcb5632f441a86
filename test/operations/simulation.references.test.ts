import { describe, expect, test } from 'vitest';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { updatePayee } from '../../src/operations/payees.ts';
import { deleteScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { payeesIn } from '../../src/operations/simulation.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import { idIn, NOWHERE, spending, start, transferTo } from './simulating.helper.ts';

test('the payees of an input are found at any depth', () => {
  const row = { account_id: 'a', amount: -1, memo: null, payee_id: 'q', legs: [{ payee_id: 'p' }] };
  expect(payeesIn({ budget_id: 'b', transactions: [row, {}] })).toEqual(['q', 'p']);
  for (const value of [null, undefined, 'text', 1, [], {}]) expect(payeesIn(value)).toEqual([]);
});

describe('the problems of references', () => {
  test('accounts and categories that do not exist, at any depth, and closed accounts are problems', async () => {
    const started = await start();
    const closed = [...started.books.accounts.values()].find((account) => account['closed'])?.id;
    const transactions = [
      spending(started, { account_id: NOWHERE }),
      spending(started, { account_id: closed }),
      spending(started, {
        category_id: undefined,
        subtransactions: [{ amount: -10_000, category_id: NOWHERE }],
      }),
    ];
    const { problems } = await started.simulate(createTransactions, { transactions });
    expect(problems).toEqual([
      `transactions.0.account_id: there is no account ${NOWHERE}`,
      expect.stringMatching(/^transactions\.1\.account_id: the account ".*" is closed$/),
      `transactions.2.subtransactions.0.category_id: there is no category ${NOWHERE}`,
    ]);
  });

  test.each<[Operation, Record<string, unknown>]>([
    [deleteTransaction, { transaction_id: NOWHERE }],
    [updateTransaction, { transaction_id: NOWHERE, memo: 'x' }],
    [updateTransactions, { transactions: [{ id: NOWHERE, memo: 'x' }] }],
    [updateTransactions, { transactions: [{ import_id: NOWHERE, memo: 'x' }] }],
    [deleteScheduledTransaction, { scheduled_transaction_id: NOWHERE }],
    [updateCategory, { category_id: NOWHERE, note: 'x' }],
    [updatePayee, { payee_id: NOWHERE, name: 'x' }],
    [updateMonthCategory, { category_id: NOWHERE, month: '2026-11-01', budgeted: 1 }],
  ])('$name reports an id that does not exist as a problem', async (operation, input) => {
    const started = await start();
    const { problems, balanceChanges } = await started.simulate(operation, input);
    expect(problems).toEqual([expect.stringContaining(NOWHERE)]);
    expect(balanceChanges).toEqual([]);
  });

  test('a row whose transaction does not exist is named by its position and its field', async () => {
    const started = await start();
    const transactions = [
      { id: NOWHERE, memo: 'x' },
      { import_id: 'bank-9', memo: 'x' },
    ];
    const { problems } = await started.simulate(updateTransactions, { transactions });
    expect(problems).toEqual([
      `transactions.0.id: there is no transaction ${NOWHERE}`,
      'transactions.1.import_id: there is no transaction "bank-9"',
    ]);
  });

  test('payees and category groups that do not exist, and transfers to closed accounts are problems', async () => {
    const started = await start();
    const closed = [...started.books.accounts.values()].find((account) => account['closed']);
    const transactions = [
      spending(started, { payee_id: NOWHERE }),
      spending(started, {
        category_id: undefined,
        subtransactions: [{ amount: -10_000, payee_id: closed?.['transfer_payee_id'] }],
      }),
    ];
    expect((await started.simulate(createTransactions, { transactions })).problems).toEqual([
      `transactions.0.payee_id: there is no payee ${NOWHERE}`,
      `transactions.1.subtransactions.0.payee_id: the account ${JSON.stringify(closed?.name)} is closed`,
    ]);
    const category_id = idIn(started.books.categories, 'Groceries');
    const regrouped = { category_id, category_group_id: NOWHERE };
    expect((await started.simulate(updateCategory, regrouped)).problems).toEqual([
      `category_group_id: there is no category group ${NOWHERE}`,
    ]);
  });
});

describe('the names of references', () => {
  test('the names include every entity that the input refers to, at any depth, and the account of a transfer', async () => {
    const started = await start();
    const payee = [...started.books.payees.values()].find((each) => each['transfer_account_id'] === null);
    const [savings, groceries] = [
      transferTo(started, 'Savings'),
      idIn(started.books.categories, 'Groceries'),
    ];
    const subtransactions = [
      { amount: -4_000, payee_id: payee?.id, category_id: groceries },
      { amount: -6_000, payee_id: savings },
    ];
    const row = spending(started, { category_id: undefined, subtransactions });
    const { names } = await started.simulate(createTransactions, { transactions: [row] });
    expect([row.account_id, payee?.id, groceries, savings].map((id) => names.get(String(id)))).toMatchObject([
      { name: 'Checking' },
      { name: payee?.name },
      { name: 'Groceries' },
      { name: 'Savings', isTransfer: true },
    ]);
  });
});
