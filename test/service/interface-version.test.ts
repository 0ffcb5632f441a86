import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  bearer,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';
import { type Ids, idsOf } from './some-ids.helper.ts';

let older: RunningService;
let newer: RunningService;
let ids: Ids;
beforeAll(async () => {
  const options = { seed: 5, transactions: 1_600 };
  older = await startTestService({ ...options, version: '1.77' });
  newer = await startTestService(options);
  ids = idsOf(newer);
});
afterAll(() => Promise.all([older.close(), newer.close()]));

const List = z.object({
  data: z.object({
    transactions: z.array(z.looseObject({ id: z.string(), date: z.string(), deleted: z.boolean() })),
  }),
});
const datesOf = async (service: RunningService, path: string) =>
  List.parse((await sendRequest(service, path)).body)
    .data.transactions.map(({ date }) => date)
    .toSorted();

const write = (service: RunningService, method: string, path: string, body: unknown) =>
  sendRequest(service, path, {
    method,
    headers: { ...bearer(service.accessToken), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The five lists, and whether they begin one year ago. Today is 21 November 2026. */
const lists = (): [string, boolean][] => [
  ['transactions', true],
  [`accounts/${ids.account_id}/transactions`, true],
  [`categories/${ids.category_id}/transactions`, true],
  [`payees/${ids.payee_id}/transactions`, true],
  ['months/2025-03-01/transactions', false],
];

describe('the beginning of a list', () => {
  test('at 1.85 a list without since_date begins one year ago, but not the list of a month', async () => {
    for (const [list, isLimited] of lists()) {
      const all = await datesOf(newer, `/budgets/last-used/${list}?since_date=2000-01-01`);
      const begin = isLimited ? '2025-11-21' : '2025-03-01';
      const expected = all.filter((date) => date >= begin);
      expect(await datesOf(newer, `/budgets/last-used/${list}`), list).toEqual(expected);
      if (isLimited) expect(expected.length, list).toBeLessThan(all.length);
      else expect(expected.length, list).toBeGreaterThan(0);
    }
  });

  test('at 1.85 a delta without since_date begins one year ago too, and the export has no such limit', async () => {
    const all = await datesOf(newer, '/budgets/last-used/transactions?since_date=2000-01-01');
    const path = '/budgets/last-used/transactions?last_knowledge_of_server=0';
    expect(await datesOf(newer, path)).toEqual(all.filter((date) => date >= '2025-11-21'));
    const { body } = await sendRequest(newer, '/budgets/last-used');
    expect(Object(body).data.budget.transactions).toHaveLength(all.length);
  });

  test('at 1.77 every list has all transactions', async () => {
    for (const [list] of lists()) {
      const all = await datesOf(older, `/budgets/last-used/${list}?since_date=2000-01-01`);
      expect(await datesOf(older, `/budgets/last-used/${list}`), list).toEqual(all);
    }
  });
});

describe('until_date', () => {
  test('at 1.85 until_date ends every list with that day, and with since_date it is a range', async () => {
    for (const [list] of lists()) {
      const path = `/budgets/last-used/${list}?since_date=2025-03-10`;
      const all = await datesOf(newer, path);
      const until = all[Math.floor(all.length / 2)] ?? '';
      expect(await datesOf(newer, `${path}&until_date=${until}`), list).toEqual(
        all.filter((date) => date <= until),
      );
    }
  });

  test('at 1.85 an invalid until_date gets 400, and at 1.77 until_date is ignored', async () => {
    const path = '/budgets/last-used/transactions?until_date=never';
    expect(await errorOf(newer, path)).toMatchObject({
      status: 400,
      detail: 'until_date must be a date in the form YYYY-MM-DD',
    });
    const all = await datesOf(older, '/budgets/last-used/transactions');
    expect(await datesOf(older, path)).toEqual(all);
  });
});

describe('writes at 1.77', () => {
  test.each([
    'lineOfCredit',
    'mortgage',
    'autoLoan',
    'studentLoan',
    'personalLoan',
    'medicalDebt',
    'otherDebt',
  ])('at 1.77 an account can have the type %s', async (type) => {
    const { status, body } = await write(older, 'POST', '/budgets/last-used/accounts', {
      account: { name: type, type, balance: -5 },
    });
    expect([status, body]).toMatchObject([201, { data: { account: { type, balance: -5 } } }]);
  });

  test('at 1.77 a category without a goal refuses a goal_target, and the newer fields of the goal are ignored', async () => {
    const category = older.user.ledgers[0]
      ?.detail()
      .categories.find(({ goal_type, internal }) => goal_type === null && !internal);
    const path = `/budgets/${older.user.ledgers[0]?.id}/categories/${category?.id}`;
    const goal = { goal_target_date: 'never', goal_needs_whole_amount: 'perhaps' };
    expect((await write(older, 'PATCH', path, { category: goal })).status).toBe(200);
    const { status, body } = await write(older, 'PATCH', path, { category: { ...goal, goal_target: 1 } });
    expect([status, body]).toMatchObject([
      400,
      { error: { detail: 'goal_target cannot be set, because the category has no goal' } },
    ]);
  });
});

test.each(['1.77', '1.85'] as const)(
  'at %s goal_frequency and a goal_target of null are ignored, and an update of several transactions has the status 200',
  async (version) => {
    const service = version === '1.77' ? older : await startTestService({ transactions: 300, version });
    const [ledger] = service.user.ledgers;
    const category = ledger?.detail().categories.find(({ goal_cadence }) => goal_cadence === 2);
    const path = `/budgets/${ledger?.id}/categories/${category?.id}`;
    const change = { goal_target: 1_000, goal_frequency: 'yearly' };
    for (const category of [change, { goal_target: null }])
      expect(await write(service, 'PATCH', path, { category })).toMatchObject({
        status: 200,
        body: { data: { category: { goal_target: 1_000, goal_cadence: 2 } } },
      });
    const transactions = [{ id: ledger?.transactions(undefined)[0]?.id, memo: 'x' }];
    const updated = await write(service, 'PATCH', `/budgets/${ledger?.id}/transactions`, { transactions });
    expect(updated.status).toBe(200);
    if (service !== older) await service.close();
  },
);

describe('/plans', () => {
  test('the list of plans has default_plan for a token with a default budget, and default stands for it', async () => {
    const [, { id } = { id: '' }] = newer.user.ledgers;
    const headers = bearer(newer.access.issueToken(newer.user, { defaultBudgetId: id }));
    const { body } = await sendRequest(newer, '/plans', { headers });
    expect(Object.keys(Object(Object(body).data))).toEqual(['plans', 'default_plan']);
    expect(body).toMatchObject({ data: { default_plan: { id } } });
    expect(await sendRequest(newer, '/plans/default', { headers })).toMatchObject({
      body: { data: { plan: { id } } },
    });
  });

  test.each(['/plansx', '/plans/', '/plans/last-used/nothing', '/budgets/last-used/plans'])(
    'a path that only resembles one of /plans gets 404.1: %s',
    async (path) => {
      expect(await errorOf(newer, path)).toMatchObject({ status: 404, id: '404.1', detail: 'Invalid URI' });
    },
  );

  test('an unknown plan gets 404.2, and a read-only token may not write there', async () => {
    expect(await errorOf(newer, '/plans/unknown/accounts')).toMatchObject({ id: '404.2' });
    const headers = bearer(newer.access.issueToken(newer.user, { scope: 'read-only' }));
    expect(await errorOf(newer, '/plans/last-used/payees', { method: 'POST', headers })).toMatchObject({
      id: '403.3',
    });
  });
});

test('the accounts in the list of budgets have amounts in the currency of their own budget', async () => {
  const { body } = await sendRequest(newer, '/budgets?include_accounts=true');
  const texts = Object(body).data.budgets.map(({ accounts }: { accounts: { balance_formatted: string }[] }) =>
    accounts[0]?.balance_formatted.replace(/[\d.,-]/g, ''),
  );
  expect(texts).toEqual(['€', '¥']);
});
