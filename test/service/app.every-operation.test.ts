/** Every operation of each version of the interface: its status, and each field of its answer. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Access } from '../../src/service/access.ts';
import { createApp } from '../../src/service/app.ts';
import { type InterfaceVersion, interfaceVersions } from '../../src/service/interface-version.ts';
import { OAuth } from '../../src/service/oauth.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { inMilliunits } from './in-milliunits.helper.ts';
import {
  bearer,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';
import { type Ids, idsOf } from './some-ids.helper.ts';
import * as newer from './wire.helper.ts';
import * as older from './wire-1-77.helper.ts';

const wires = { '1.77': older, '1.85': newer, '1.86': newer };
type Wire = (typeof wires)[InterfaceVersion];

interface Operation {
  /** Method and path. */
  readonly route: string;
  readonly status: number;
  /** The fields of `data`. */
  readonly data: (wire: Wire) => z.ZodRawShape;
  readonly body?: (ids: Ids) => unknown;
  readonly query?: string;
  readonly since?: InterfaceVersion;
}

const server_knowledge = z.int().positive();
const transaction_ids = z.array(z.string()).min(1);
const list = (item: z.ZodType) => z.array(item).min(1);

const spending = (ids: Ids) => ({ account_id: ids.account_id, date: '2026-11-20', amount: -12_345 });
const split = (ids: Ids) => ({ ...spending(ids), subtransactions: [{ amount: -12_000 }, { amount: -345 }] });
const bill = (ids: Ids) => ({
  scheduled_transaction: { account_id: ids.account_id, date: '2026-12-01', amount: -1_000 },
});

const get = (path: string, data: Operation['data'], more: Partial<Operation> = {}): Operation => ({
  route: `GET ${path}`,
  status: 200,
  data,
  ...more,
});

/** A list that gives a delta too. */
const delta = (path: string, data: (wire: Wire) => z.ZodRawShape): Operation[] => {
  const withKnowledge = (wire: Wire) => ({ ...data(wire), server_knowledge });
  return [get(path, withKnowledge), get(path, withKnowledge, { query: '?last_knowledge_of_server=0' })];
};

const since = '1.85';
const budget = '/budgets/{budget_id}';
const month = `${budget}/months/{month}`;
const category = `${budget}/categories/{category_id}`;
const monthCategory = `${month}/categories/{category_id}`;
const group = `${budget}/category_groups/{category_group_id}`;
const payee = `${budget}/payees/{payee_id}`;
const transaction = `${budget}/transactions/{transaction_id}`;
const scheduled = `${budget}/scheduled_transactions/{scheduled_transaction_id}`;
const year = '?since_date=2025-12-01';

const movements = () => ({ money_movements: list(newer.MoneyMovement), server_knowledge });
const movementGroups = () => ({ money_movement_groups: list(newer.MoneyMovementGroup), server_knowledge });
const savedCategory = (wire: Wire) => ({ category: wire.Category, server_knowledge });
const savedGroup = (wire: Wire) => ({ category_group: wire.CategoryGroup, server_knowledge });
const savedPayee = (wire: Wire) => ({ payee: wire.Payee, server_knowledge });
const savedTransaction = (wire: Wire) => ({ transaction: wire.TransactionDetail, server_knowledge });
const scheduledTransaction = (wire: Wire) => ({ scheduled_transaction: wire.ScheduledTransactionDetail });

/** In the order in which they are sent: reads of the demo data, writes, and reads of what the writes have left. */
const reads: Operation[] = [
  get('/user', (wire) => ({ user: wire.User })),
  get('/budgets', (wire) => ({ budgets: list(wire.BudgetSummary) })),
  get(
    '/budgets',
    (wire) => ({ budgets: list(wire.BudgetSummary.extend({ accounts: list(wire.Account) })) }),
    {
      query: '?include_accounts=true',
    },
  ),
  ...delta(budget, (wire) => ({ budget: wire.BudgetDetail })),
  get(`${budget}/settings`, (wire) => ({ settings: wire.BudgetSettings })),
  ...delta(`${budget}/accounts`, (wire) => ({ accounts: list(wire.Account) })),
  get(`${budget}/accounts/{account_id}`, (wire) => ({ account: wire.Account })),
  ...delta(`${budget}/categories`, (wire) => ({ category_groups: list(wire.CategoryGroupWithCategories) })),
  get(category, (wire) => ({ category: wire.Category })),
  get(monthCategory, (wire) => ({ category: wire.Category })),
  ...delta(`${budget}/payees`, (wire) => ({ payees: list(wire.Payee) })),
  get(payee, (wire) => ({ payee: wire.Payee })),
  get(`${budget}/payee_locations`, (wire) => ({ payee_locations: list(wire.PayeeLocation) })),
  get(`${budget}/payee_locations/{payee_location_id}`, (wire) => ({ payee_location: wire.PayeeLocation })),
  get(`${budget}/payees/{located_payee_id}/payee_locations`, (wire) => ({
    payee_locations: list(wire.PayeeLocation),
  })),
  ...delta(`${budget}/months`, (wire) => ({ months: list(wire.MonthSummary) })),
  get(month, (wire) => ({ month: wire.MonthDetail })),
  get(`${budget}/money_movements`, movements, { since }),
  get(`${month}/money_movements`, movements, { since }),
  get(`${budget}/money_movement_groups`, movementGroups, { since }),
  get(`${month}/money_movement_groups`, movementGroups, { since }),
  ...delta(`${budget}/transactions`, (wire) => ({ transactions: list(wire.TransactionDetail) })),
  get(transaction, savedTransaction),
  ...delta(`${budget}/accounts/{account_id}/transactions`, (wire) => ({
    transactions: list(wire.TransactionDetail),
  })),
  ...delta(`${category}/transactions`, (wire) => ({ transactions: list(wire.HybridTransaction) })),
  ...delta(`${payee}/transactions`, (wire) => ({ transactions: list(wire.HybridTransaction) })),
  ...delta(`${month}/transactions`, (wire) => ({ transactions: list(wire.TransactionDetail) })),
  get(
    `${budget}/transactions`,
    (wire) => ({ transactions: list(wire.TransactionDetail), server_knowledge }),
    { query: year },
  ),
  ...delta(`${budget}/scheduled_transactions`, (wire) => ({
    scheduled_transactions: list(wire.ScheduledTransactionDetail),
  })),
  get(scheduled, scheduledTransaction),
];

const writes: Operation[] = [
  {
    route: `POST ${budget}/accounts`,
    body: () => ({ account: { name: 'New', type: 'cash', balance: 5_000 } }),
    status: 201,
    data: (wire) => ({ account: wire.Account }),
  },
  {
    route: `POST ${budget}/categories`,
    body: (ids) => ({ category: { name: 'New', category_group_id: ids.category_group_id, goal_target: 1 } }),
    status: 201,
    data: savedCategory,
    since,
  },
  { route: `PATCH ${category}`, body: () => ({ category: { note: 'x' } }), status: 200, data: savedCategory },
  {
    route: `PATCH ${monthCategory}`,
    body: () => ({ category: { budgeted: 12_340 } }),
    status: 200,
    data: savedCategory,
  },
  {
    route: `POST ${budget}/category_groups`,
    body: () => ({ category_group: { name: 'New' } }),
    status: 201,
    data: savedGroup,
    since,
  },
  {
    route: `PATCH ${group}`,
    body: () => ({ category_group: { name: 'Renamed' } }),
    status: 200,
    data: savedGroup,
    since,
  },
  {
    route: `POST ${budget}/payees`,
    body: () => ({ payee: { name: 'New' } }),
    status: 201,
    data: savedPayee,
    since,
  },
  { route: `PATCH ${payee}`, body: () => ({ payee: { name: 'Renamed' } }), status: 200, data: savedPayee },
  {
    route: `POST ${budget}/transactions`,
    body: (ids) => ({ transaction: split(ids) }),
    status: 201,
    data: (wire) => ({ transaction_ids, ...savedTransaction(wire) }),
  },
  {
    route: `POST ${budget}/transactions`,
    body: (ids) => ({ transactions: [spending(ids), split(ids)] }),
    status: 201,
    data: (wire) => ({
      transaction_ids,
      transactions: list(wire.TransactionDetail),
      duplicate_import_ids: z.array(z.string()),
      server_knowledge,
    }),
  },
  {
    route: `PATCH ${budget}/transactions`,
    body: (ids) => ({ transactions: [{ id: ids.transaction_id, memo: 'x' }] }),
    status: 209,
    data: (wire) => ({ transaction_ids, transactions: list(wire.TransactionDetail), server_knowledge }),
  },
  { route: `POST ${budget}/transactions/import`, status: 201, data: () => ({ transaction_ids }) },
  {
    route: `PUT ${transaction}`,
    body: () => ({ transaction: { amount: -7_770 } }),
    status: 200,
    data: savedTransaction,
  },
  { route: `POST ${budget}/scheduled_transactions`, body: bill, status: 201, data: scheduledTransaction },
  { route: `PUT ${scheduled}`, body: bill, status: 200, data: scheduledTransaction },
  { route: `DELETE ${transaction}`, status: 200, data: savedTransaction },
  { route: `DELETE ${scheduled}`, status: 200, data: scheduledTransaction },
];

const existsIn = (version: InterfaceVersion) => (operation: Operation) =>
  operation.since === undefined || operation.since <= version;

/** Method, path with ids and query of an operation, sent below `/budgets` or `/plans`. */
function send(
  service: RunningService,
  ids: Ids,
  { route, query = '', body }: Operation,
  family = '/budgets',
) {
  const [method = '', path = ''] = route.split(' ');
  const filled = Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(`{${name}}`, id), path);
  return sendRequest(service, filled.replace('/budgets', family) + query, {
    method,
    headers: { ...bearer(service.accessToken), 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body(ids)) }),
  });
}

async function start(version: InterfaceVersion): Promise<{ service: RunningService; ids: Ids }> {
  const service = await startTestService({ version, seed: 3 });
  onTestFinished(() => service.close());
  return { service, ids: idsOf(service) };
}

/** What a path has no name for in the routes of the service. */
const routeName = (route: string) => route.replace('{located_payee_id}', '{payee_id}');

/** The routes of the app below /v1, as in `GET /budgets/{budget_id}`. */
function routesOfApp(): Set<string> {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const access = new Access(clock);
  const app = createApp({
    clock,
    access,
    oauth: new OAuth({ access, clock, accessTokenSeconds: 60 }),
    rateLimit: new RateLimit(1, clock),
    maxTransactions: 1,
    isInMaintenance: () => false,
    reportError: () => {},
  });
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/'));
  return new Set(routes.map(({ method, path }) => `${method} ${path.slice(3).replace(/:(\w+)/g, '{$1}')}`));
}

test('the operations below are all operations of the service: 36 at 1.77, and eight more since 1.85', () => {
  const all = [...reads, ...writes];
  const routes = (version: InterfaceVersion) =>
    new Set(all.filter(existsIn(version)).map(({ route }) => routeName(route)));
  expect(routes('1.77').size).toBe(36);
  expect(routes('1.85').size).toBe(44);
  expect(routes('1.86')).toEqual(routes('1.85'));
  expect(routes('1.86')).toEqual(routesOfApp());
});

describe.each(interfaceVersions)('the interface %s', (version) => {
  test(`at ${version} every answer has exactly the fields of its schema, before and after writes`, async () => {
    const { service, ids } = await start(version);
    const readsAfterDeletes = reads.filter(
      ({ data }) => ![savedTransaction, scheduledTransaction].some((each) => each === data),
    );
    for (const operation of [...reads, ...writes, ...readsAfterDeletes].filter(existsIn(version))) {
      const { status, body } = await send(service, ids, operation);
      const name = operation.route + (operation.query ?? '');
      const success = operation.status === 209 && version !== '1.86' ? 200 : operation.status;
      expect([status, body], name).toEqual([success, expect.anything()]);
      const schema = z.strictObject({ data: z.strictObject(operation.data(wires[version])) });
      expect(schema.safeParse(body).error?.issues ?? [], name).toEqual([]);
    }
  });
});

test('at 1.77 the operations that came later get 404.1 like any path that is no operation, and so does /plans', async () => {
  const { service, ids } = await start('1.77');
  const notFound = await errorOf(service, '/budgets/last-used/nothing');
  for (const operation of [...reads, ...writes].filter(({ since }) => since !== undefined)) {
    const { status, body } = await send(service, ids, operation);
    expect([status, body], operation.route).toEqual([
      404,
      { error: expect.objectContaining({ id: '404.1' }) },
    ]);
  }
  for (const path of ['/plans', '/plans/last-used', '/plans/last-used/accounts']) {
    expect(await errorOf(service, path)).toEqual(notFound);
  }
});

/** The answer as 1.77 gives it. The texts and numbers of amounts are compared with their milliunits. */
function asOlder(body: unknown): unknown {
  const newerFields = ['internal', 'goal_target_date'];
  return JSON.parse(JSON.stringify(inMilliunits(body)), (key, value) =>
    newerFields.includes(key) ? undefined : value,
  );
}

test('without the newer fields the answer of every read at 1.86 equals the one at 1.77', async () => {
  const [first, second] = [await start('1.77'), await start('1.86')];
  for (const operation of reads.filter(existsIn('1.77')).filter(({ route }) => route !== 'GET /user')) {
    const query = `${operation.query ?? '?'}&since_date=2000-01-01`;
    const before = await send(first.service, first.ids, { ...operation, query });
    const after = await send(second.service, second.ids, { ...operation, query });
    expect(asOlder(after.body), operation.route).toEqual(before.body);
  }
});

test('at 1.86 every answer of /plans equals the one of /budgets but for the names of the budget', async () => {
  const planNames: Readonly<Record<string, string>> = {
    budget: 'plan',
    budgets: 'plans',
    default_budget: 'default_plan',
  };
  const [first, second] = [await start('1.86'), await start('1.86')];
  const renamed = (body: unknown) => {
    const data = Object.entries(Object(Object(body).data));
    return { data: Object.fromEntries(data.map(([key, value]) => [planNames[key] ?? key, value])) };
  };
  /** Ids that the service made up during the test, and the user's. */
  const withoutNewIds = (body: unknown, { user }: RunningService) =>
    JSON.parse(JSON.stringify(body).replaceAll(user.id, 'user'));
  for (const operation of [...reads, ...writes, ...reads.slice(0, 12)]) {
    const budgets = await send(first.service, first.ids, operation);
    const plans = await send(second.service, second.ids, operation, '/plans');
    expect(plans.status, operation.route).toBe(budgets.status);
    expect(withoutNewIds(plans.body, second.service), operation.route).toEqual(
      withoutNewIds(renamed(budgets.body), first.service),
    );
  }
});
