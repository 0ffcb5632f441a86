import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fixedCredential } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import type { Operation } from '../../src/operations/operation.ts';
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
import { startTestService } from '../service/running-service.ts';
import type { Books } from './witness.ts';
import { Witness } from './witness.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111';
const TODAY = '2026-11-21';

async function start() {
  const service = await startTestService({ transactions: 60 });
  onTestFinished(() => service.close());
  const { clock } = service;
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const budget_id = service.user.ledgers[0]?.id ?? '';
  const tokens = fixedCredential({ baseUrl: service.baseUrl, token: service.accessToken });
  const rateBudget = () => new RollingRateBudget({ clock, limit: 100_000 });
  const client = new BudgetClient({ tokens, sender, clock, budget: budget_id, rateBudget });
  const witness = new Witness(`${service.baseUrl}/budgets/${budget_id}`, service.accessToken);
  const books = await witness.look();
  const knowledge = () => service.user.ledgers[0]?.knowledge;

  /** What is foreseen; after which nothing may have been written. */
  const foresee = async (operation: Operation, input: Readonly<Record<string, unknown>>) => {
    const before = knowledge();
    const preview = await client.preview(operation, operation.input.parse({ budget_id, ...input }));
    expect(knowledge()).toBe(before);
    return preview;
  };
  /** How much each account and category is foreseen to change, by name. */
  const changes = async (operation: Operation, input: Readonly<Record<string, unknown>>) => {
    const { problems, effects } = await foresee(operation, input);
    expect(problems).toEqual([]);
    return Object.fromEntries(effects.map((each) => [each.name, each.balance_then - each.balance_now]));
  };
  const enter = async (row: Readonly<Record<string, unknown>>) => {
    const input = createTransactions.input.parse({ transactions: [row] });
    const { data } = await client.call(createTransactions, input);
    return data.transaction?.id ?? '';
  };
  return { books, client, witness, foresee, changes, enter };
}

const idIn = (rows: Books['accounts' | 'categories'], name: string) =>
  [...rows.values()].find((row) => row['name'] === name)?.id ?? '';

type Started = Awaited<ReturnType<typeof start>>;

function spending({ books }: Started, said: Readonly<Record<string, unknown>> = {}) {
  const category_id = idIn(books.categories, 'Groceries');
  return { account_id: idIn(books.accounts, 'Checking'), date: TODAY, amount: -10_000, category_id, ...said };
}

const transferTo = ({ books }: Started, name: string) =>
  books.accounts.get(idIn(books.accounts, name))?.['transfer_payee_id'];

describe('what a creation is foreseen to do', () => {
  test('is to move the balances of its account and its category, as it then does', async () => {
    const started = await start();
    const transactions = [spending(started), spending(started, { amount: -2_500 })];
    const { effects } = await started.foresee(createTransactions, { transactions });
    await started.client.call(createTransactions, createTransactions.input.parse({ transactions }));
    const { accounts, categories } = await started.witness.look();
    const now = new Map([...accounts, ...categories]);
    expect(effects.map(({ kind, name }) => [kind, name])).toEqual([
      ['account', 'Checking'],
      ['category', 'Groceries'],
    ]);
    for (const { id, balance_then } of effects) expect(now.get(id)?.['balance']).toBe(balance_then);
  });

  test('by a transfer is to move both accounts, and no category within the budget', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Savings');
    const transactions = [spending(started, { payee_id })];
    expect(await started.changes(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      Savings: 10_000,
    });
  });

  test('by a transfer out of the budget is to spend from its category too', async () => {
    const started = await start();
    const payee_id = transferTo(started, 'Pension Fund');
    const transactions = [spending(started, { payee_id })];
    expect(await started.changes(createTransactions, { transactions })).toEqual({
      Checking: -10_000,
      'Pension Fund': 10_000,
      Groceries: -10_000,
    });
  });

  test('outside the budget touches no category', async () => {
    const started = await start();
    const account_id = idIn(started.books.accounts, 'Pension Fund');
    const transactions = [spending(started, { account_id })];
    expect(await started.changes(createTransactions, { transactions })).toEqual({ 'Pension Fund': -10_000 });
  });

  test('by a split is to move the category of each leg', async () => {
    const started = await start();
    const subtransactions = [
      { amount: -4_000, category_id: idIn(started.books.categories, 'Eating Out') },
      { amount: -5_000, category_id: idIn(started.books.categories, 'Groceries') },
      { amount: -1_000, payee_id: transferTo(started, 'Wallet') },
    ];
    const transactions = [spending(started, { category_id: undefined, subtransactions })];
    expect(await started.changes(createTransactions, { transactions })).toEqual({
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

  test('of what moves no money is nothing', async () => {
    await entered();
    expect(await started.changes(updateTransaction, { transaction_id: id, memo: 'x' })).toEqual({});
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
        expect.objectContaining({ balance_now: row.balance, balance_then: row.balance + 7_000 }),
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

describe('a problem', () => {
  test('is told of accounts and categories that are not there, at any depth, and of closed ones', async () => {
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
    const { problems } = await started.foresee(createTransactions, { transactions });
    expect(problems).toEqual([
      `account_id: there is no account ${NOWHERE}`,
      expect.stringMatching(/^account_id: the account ".*" is closed$/),
      `category_id: there is no category ${NOWHERE}`,
    ]);
  });

  test.each<[Operation, Record<string, unknown>]>([
    [deleteTransaction, { transaction_id: NOWHERE }],
    [updateTransaction, { transaction_id: NOWHERE, memo: 'x' }],
    [updateTransactions, { transactions: [{ id: NOWHERE, memo: 'x' }] }],
    [deleteScheduledTransaction, { scheduled_transaction_id: NOWHERE }],
    [updateCategory, { category_id: NOWHERE, note: 'x' }],
    [updateMonthCategory, { category_id: NOWHERE, month: '2026-11-01', budgeted: 1 }],
  ])('is told by $name of an id that is not there', async (operation, input) => {
    const started = await start();
    const { problems, effects } = await started.foresee(operation, input);
    expect(problems).toEqual([expect.stringContaining(NOWHERE)]);
    expect(effects).toEqual([]);
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
