import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  bearer,
  dataOf,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';
import * as wire from './wire.helper.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const transactionLists = { transactions: z.array(wire.TransactionDetail), server_knowledge: z.int() };
const budgetOf = async (id: string, headers = bearer(service.accessToken)) => {
  const { body } = await sendRequest(service, `/budgets/${id}`, { headers });
  return z.object({ data: z.object({ budget: z.object({ id: z.string() }) }) }).parse(body).data.budget.id;
};

describe('400 bad_request', () => {
  const budget = '/budgets/last-used';
  const invalid: [string, string][] = [
    ...['', 'abc', '-1', '1.5', '1e3', '9'.repeat(20)].map((value): [string, string] => [
      `${budget}/accounts?last_knowledge_of_server=${value}`,
      'last_knowledge_of_server must be a whole number',
    ]),
    [
      `${budget}/accounts?last_knowledge_of_server=1&last_knowledge_of_server=2`,
      'last_knowledge_of_server must be given once',
    ],
    ...['2026-02-30', '2025-02-29', 'yesterday', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', ''].map(
      (value): [string, string] => [
        `${budget}/transactions?since_date=${value}`,
        'since_date must be a date in the form YYYY-MM-DD',
      ],
    ),
    ...['all', 'Unapproved', ''].map((value): [string, string] => [
      `${budget}/transactions?type=${value}`,
      "type must be either 'uncategorized' or 'unapproved'",
    ]),
    ['/budgets?include_accounts=yes', 'include_accounts must be true or false'],
    ...['2026-11-02', '2026-13-01', '2026-11', 'last', '0', 'Current'].map((value): [string, string] => [
      `${budget}/months/${value}`,
      'month must be the first day of a month (YYYY-MM-01) or current',
    ]),
    [
      `${budget}/transactions?type=x&since_date=y`,
      "since_date must be a date in the form YYYY-MM-DD, type must be either 'uncategorized' or 'unapproved'",
    ],
  ];

  test.each(invalid)('an invalid parameter gets 400 with its name: %s', async (path, detail) => {
    expect(await errorOf(service, path)).toEqual({ status: 400, id: '400', name: 'bad_request', detail });
  });

  test.each([
    '',
    '/accounts',
    '/categories',
    '/payees',
    '/months',
    '/transactions',
    '/scheduled_transactions',
  ])('an invalid last_knowledge_of_server gets 400 on every delta list: %s', async (path) => {
    const { status, detail } = await errorOf(service, `${budget}${path}?last_knowledge_of_server=x`);
    expect([status, detail]).toEqual([400, 'last_knowledge_of_server must be a whole number']);
  });

  test('invalid filters get 400 on the lists within an account, category, payee and month', async () => {
    const { budget: budgetPath } = await dataOf(service, budget, {
      budget: wire.BudgetDetail,
      server_knowledge: z.int(),
    });
    const scopes = [
      `accounts/${budgetPath.accounts[0]?.id}`,
      `categories/${budgetPath.categories[0]?.id}`,
      `payees/${budgetPath.payees[0]?.id}`,
      'months/current',
    ];
    for (const scope of scopes) {
      for (const name of ['last_knowledge_of_server', 'since_date', 'type']) {
        const { status, detail } = await errorOf(service, `${budget}/${scope}/transactions?${name}=x`);
        expect([status, detail]).toEqual([400, expect.stringMatching(new RegExp(`^${name} must be`))]);
      }
    }
    for (const path of [
      'months/2026-11-02/transactions',
      'months/2026-11-02/categories/x',
      'months/2026-11-02/money_movements',
      'months/2026-11-02/money_movement_groups',
    ]) {
      expect(await errorOf(service, `${budget}/${path}`)).toMatchObject({ status: 400 });
    }
  });

  test('unknown parameters are ignored', async () => {
    expect((await sendRequest(service, '/user?since_date=never&colour=red')).status).toBe(200);
    expect((await sendRequest(service, `${budget}/settings?last_knowledge_of_server=x`)).status).toBe(200);
  });
});

describe('404.2 resource_not_found', () => {
  const unknown = '11111111-1111-4111-8111-111111111111';

  test.each([
    [`/budgets/${unknown}`, 'budget'],
    [`/budgets/${unknown}/settings`, 'budget'],
    ['/budgets/default', 'budget'],
    ['/budgets/not-a-uuid/accounts', 'budget'],
    ['/budgets/%E0%A4%A/accounts', 'budget'],
    [`/budgets/last-used/accounts/${unknown}`, 'account'],
    [`/budgets/last-used/accounts/${unknown}/transactions`, 'account'],
    [`/budgets/last-used/categories/${unknown}`, 'category'],
    [`/budgets/last-used/categories/${unknown}/transactions`, 'category'],
    [`/budgets/last-used/months/current/categories/${unknown}`, 'category'],
    [`/budgets/last-used/payees/${unknown}`, 'payee'],
    [`/budgets/last-used/payees/${unknown}/transactions`, 'payee'],
    [`/budgets/last-used/payees/${unknown}/payee_locations`, 'payee'],
    [`/budgets/last-used/payee_locations/${unknown}`, 'payee location'],
    [`/budgets/last-used/transactions/${unknown}`, 'transaction'],
    [`/budgets/last-used/transactions/${unknown}_2026-11-21`, 'transaction'],
    [`/budgets/last-used/scheduled_transactions/${unknown}`, 'scheduled transaction'],
    ['/budgets/last-used/months/1999-01-01', 'month'],
    ['/budgets/last-used/months/2099-01-01/transactions', 'month'],
    ['/budgets/last-used/months/2099-01-01/money_movements', 'month'],
    ['/budgets/last-used/months/2099-01-01/money_movement_groups', 'month'],
    [`/budgets/last-used/months/2099-01-01/categories/${unknown}`, 'month'],
  ])('the path %s gets 404.2 for an unknown %s', async (path, entity) => {
    expect(await errorOf(service, path)).toEqual({
      status: 404,
      id: '404.2',
      name: 'resource_not_found',
      detail: `The ${entity} does not exist.`,
    });
  });
});

describe('budget_id', () => {
  test('the budget id last-used refers to the budget that was modified last', async () => {
    expect(service.user.ledgers.length).toBeGreaterThan(1);
    for (const ledger of service.user.ledgers.toReversed()) {
      service.clock.advance(1);
      ledger.advanceTo(service.clock.now());
      ledger.commit(() => undefined);
      expect(await budgetOf('last-used')).toBe(ledger.id);
    }
  });

  test('the budget id default refers to the default budget, which the list of budgets contains', async () => {
    for (const { id } of service.user.ledgers) {
      const headers = bearer(service.access.issueToken(service.user, { defaultBudgetId: id }));
      expect(await budgetOf('default', headers)).toBe(id);
      expect((await sendRequest(service, '/budgets', { headers })).body).toMatchObject({
        data: { default_budget: { id } },
      });
    }
  });

  test('the budget id default gets 404.2 without a default budget, and default_budget is null', async () => {
    const headers = bearer(service.access.issueToken(service.user, { defaultBudgetId: null }));
    expect(await errorOf(service, '/budgets/default', { headers })).toMatchObject({ id: '404.2' });
    expect((await sendRequest(service, '/budgets', { headers })).body).toMatchObject({
      data: { default_budget: null },
    });
  });
});

describe('month', () => {
  test('the month current is the current month in UTC, and the budget follows the clock', async () => {
    const otherUser = await startTestService();
    const path = '/budgets/last-used/months/current';
    const current = async () => (await dataOf(otherUser, path, { month: wire.MonthDetail })).month.month;
    expect(await current()).toBe('2026-11-01');
    otherUser.clock.advance(new Date('2026-11-30T23:59:59.999Z').getTime() - otherUser.clock.now());
    expect(await current()).toBe('2026-11-01');
    otherUser.clock.advance(1);
    expect(await current()).toBe('2026-12-01');
    await otherUser.close();
  });
});

describe('filters of transactions', () => {
  test('since_date returns the transactions on or after it', async () => {
    const all = (await dataOf(service, '/budgets/last-used/transactions', transactionLists)).transactions;
    const date = all.map((transaction) => transaction.date).toSorted()[Math.floor(all.length / 2)];
    const path = `/budgets/last-used/transactions?since_date=${date}`;
    const { transactions } = await dataOf(service, path, transactionLists);
    expect(transactions).toEqual(all.filter((transaction) => transaction.date >= String(date)));
    expect(transactions.length).toBeLessThan(all.length);
  });

  test('type=unapproved returns the unapproved transactions', async () => {
    const all = (await dataOf(service, '/budgets/last-used/transactions', transactionLists)).transactions;
    const path = '/budgets/last-used/transactions?type=unapproved';
    const { transactions } = await dataOf(service, path, transactionLists);
    expect(transactions).toEqual(all.filter(({ approved }) => !approved));
  });
});
