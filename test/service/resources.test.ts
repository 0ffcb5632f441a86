import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataOf, type RunningService, startTestService } from './running-service.helper.ts';
import * as wire from './wire.helper.ts';

interface Ids {
  budget_id: string;
  account_id: string;
  category_id: string;
  payee_id: string;
  month: string;
  transaction_id: string;
  located_payee_id: string;
  payee_location_id: string;
  scheduled_transaction_id: string;
}

let service: RunningService;
let ids: Ids;

/** The ids of entities of the first demo budget, read over HTTP. */
beforeAll(async () => {
  service = await startTestService();
  const { budgets } = await dataOf(service, '/budgets', { budgets: z.array(wire.BudgetSummary) });
  const budget_id = budgets[0]?.id ?? '';
  const { budget } = await dataOf(service, `/budgets/${budget_id}`, {
    budget: wire.BudgetDetail,
    server_knowledge: z.int(),
  });
  const transaction = budget.transactions.find(({ category_id, payee_id }) => category_id && payee_id);
  ids = {
    budget_id,
    account_id: transaction?.account_id ?? '',
    category_id: transaction?.category_id ?? '',
    payee_id: transaction?.payee_id ?? '',
    month: `${transaction?.date.slice(0, 7)}-01`,
    transaction_id: transaction?.id ?? '',
    located_payee_id: budget.payee_locations[0]?.payee_id ?? '',
    payee_location_id: budget.payee_locations[0]?.id ?? '',
    scheduled_transaction_id: budget.scheduled_transactions[0]?.id ?? '',
  };
});
afterAll(() => service.close());

const fill = (path: string) =>
  Object.entries(ids).reduce((filled, [name, id]) => filled.replace(`{${name}}`, id), path);

/** A list that is not empty. The demo data has at least one entity of each kind. */
const nonEmpty = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);
const server_knowledge = z.int().positive();

/** The 24 read operations: path and schema of `data`. */
const operations: [string, z.ZodRawShape][] = [
  ['/user', { user: wire.User }],
  ['/budgets', { budgets: nonEmpty(wire.BudgetSummary) }],
  [
    '/budgets?include_accounts=true',
    { budgets: nonEmpty(wire.BudgetSummary.extend({ accounts: nonEmpty(wire.Account) })) },
  ],
  ['/budgets?include_accounts=false', { budgets: nonEmpty(wire.BudgetSummary) }],
  ['/budgets/{budget_id}', { budget: wire.BudgetDetail, server_knowledge }],
  ['/budgets/{budget_id}/settings', { settings: wire.BudgetSettings }],
  ['/budgets/{budget_id}/accounts', { accounts: nonEmpty(wire.Account), server_knowledge }],
  ['/budgets/{budget_id}/accounts/{account_id}', { account: wire.Account }],
  [
    '/budgets/{budget_id}/categories',
    { category_groups: nonEmpty(wire.CategoryGroupWithCategories), server_knowledge },
  ],
  ['/budgets/{budget_id}/categories/{category_id}', { category: wire.Category }],
  ['/budgets/{budget_id}/months/{month}/categories/{category_id}', { category: wire.Category }],
  ['/budgets/{budget_id}/payees', { payees: nonEmpty(wire.Payee), server_knowledge }],
  ['/budgets/{budget_id}/payees/{payee_id}', { payee: wire.Payee }],
  ['/budgets/{budget_id}/payee_locations', { payee_locations: nonEmpty(wire.PayeeLocation) }],
  ['/budgets/{budget_id}/payee_locations/{payee_location_id}', { payee_location: wire.PayeeLocation }],
  [
    '/budgets/{budget_id}/payees/{located_payee_id}/payee_locations',
    { payee_locations: nonEmpty(wire.PayeeLocation) },
  ],
  ['/budgets/{budget_id}/months', { months: nonEmpty(wire.MonthSummary), server_knowledge }],
  ['/budgets/{budget_id}/months/{month}', { month: wire.MonthDetail }],
  ['/budgets/{budget_id}/transactions', { transactions: nonEmpty(wire.TransactionDetail), server_knowledge }],
  [
    '/budgets/{budget_id}/transactions/{transaction_id}',
    { transaction: wire.TransactionDetail, server_knowledge },
  ],
  [
    '/budgets/{budget_id}/accounts/{account_id}/transactions',
    { transactions: nonEmpty(wire.TransactionDetail), server_knowledge },
  ],
  [
    '/budgets/{budget_id}/categories/{category_id}/transactions',
    { transactions: nonEmpty(wire.HybridTransaction), server_knowledge },
  ],
  [
    '/budgets/{budget_id}/payees/{payee_id}/transactions',
    { transactions: nonEmpty(wire.HybridTransaction), server_knowledge },
  ],
  [
    '/budgets/{budget_id}/months/{month}/transactions',
    { transactions: nonEmpty(wire.TransactionDetail), server_knowledge },
  ],
  [
    '/budgets/{budget_id}/scheduled_transactions',
    { scheduled_transactions: nonEmpty(wire.ScheduledTransactionDetail), server_knowledge },
  ],
  [
    '/budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
    { scheduled_transaction: wire.ScheduledTransactionDetail },
  ],
];

describe('response schemas', () => {
  test.each(operations)('GET %s returns exactly the fields of its schema', async (path, shape) => {
    await dataOf(service, fill(path), shape);
  });
});

describe('contents of responses', () => {
  const id = z.looseObject({ id: z.string() });

  test.each<[string, string, keyof Ids]>([
    ['/budgets/{budget_id}', 'budget', 'budget_id'],
    ['/budgets/{budget_id}/accounts/{account_id}', 'account', 'account_id'],
    ['/budgets/{budget_id}/categories/{category_id}', 'category', 'category_id'],
    ['/budgets/{budget_id}/months/{month}/categories/{category_id}', 'category', 'category_id'],
    ['/budgets/{budget_id}/payees/{payee_id}', 'payee', 'payee_id'],
    ['/budgets/{budget_id}/payee_locations/{payee_location_id}', 'payee_location', 'payee_location_id'],
    ['/budgets/{budget_id}/transactions/{transaction_id}', 'transaction', 'transaction_id'],
    [
      '/budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
      'scheduled_transaction',
      'scheduled_transaction_id',
    ],
  ])('GET %s returns the requested entity', async (path, key, parameter) => {
    const data = await dataOf(service, fill(path), { [key]: id, server_knowledge: z.unknown().optional() });
    expect(data[key]).toMatchObject({ id: ids[parameter] });
  });

  test('a list within an account, category, payee or month contains only its own transactions', async () => {
    const list = { transactions: nonEmpty(z.looseObject({ date: z.string() })), server_knowledge };
    for (const [collection, parameter] of [
      ['accounts', 'account_id'],
      ['categories', 'category_id'],
      ['payees', 'payee_id'],
    ] as const) {
      const path = fill(`/budgets/{budget_id}/${collection}/{${parameter}}/transactions`);
      const { transactions } = await dataOf(service, path, list);
      expect(new Set(transactions.map((transaction) => transaction[parameter]))).toEqual(
        new Set([ids[parameter]]),
      );
    }
    const { transactions } = await dataOf(
      service,
      fill('/budgets/{budget_id}/months/{month}/transactions'),
      list,
    );
    expect(new Set(transactions.map(({ date }) => `${date.slice(0, 7)}-01`))).toEqual(new Set([ids.month]));
  });

  test('a category of a month has the amounts of that month', async () => {
    const path = fill('/budgets/{budget_id}/months/{month}');
    const { month } = await dataOf(service, path, { month: wire.MonthDetail });
    const active = month.categories.filter(({ activity }) => activity !== 0);
    expect(active.length).toBeGreaterThan(1);
    for (const { id } of active) {
      const { category } = await dataOf(service, `${path}/categories/${id}`, { category: wire.Category });
      expect(month.categories).toContainEqual(category);
    }
  });

  test('the locations of a payee belong to that payee', async () => {
    const { payee_locations } = await dataOf(
      service,
      fill('/budgets/{budget_id}/payees/{located_payee_id}/payee_locations'),
      { payee_locations: nonEmpty(wire.PayeeLocation) },
    );
    expect(new Set(payee_locations.map(({ payee_id }) => payee_id))).toEqual(new Set([ids.located_payee_id]));
  });
});
