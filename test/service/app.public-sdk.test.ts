/** The public SDKs of the interface drive the service: the newest, which uses `/plans`, and the last with `/budgets`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as sdk4 from 'ynab';
import * as sdk2 from 'ynab-2';
import { type RunningService, startTestService } from './running-service.helper.ts';
import { type Ids, idsOf } from './some-ids.helper.ts';

let service: RunningService;
let ids: Ids;
beforeAll(async () => {
  service = await startTestService();
  ids = idsOf(service);
});
afterAll(() => service.close());

const spending = () => ({ account_id: ids.account_id, date: '2026-11-20', amount: -1_000 });
const bill = () => ({ account_id: ids.account_id, date: '2026-12-01', amount: -1_000, frequency: 'monthly' });

/** The arguments of each method after the id of the budget. Methods that delete are called last. */
const callArguments: Readonly<Record<string, () => readonly unknown[]>> = {
  getAccounts: () => [0],
  getAccountById: () => [ids.account_id],
  createAccount: () => [{ account: { name: 'New', type: 'cash', balance: 5_000 } }],
  getCategories: () => [0],
  getCategoryById: () => [ids.category_id],
  getMonthCategoryById: () => ['current', ids.category_id],
  createCategory: () => [{ category: { name: 'New', category_group_id: ids.category_group_id } }],
  createCategoryGroup: () => [{ category_group: { name: 'New' } }],
  updateCategory: () => [ids.category_id, { category: { name: 'Renamed' } }],
  updateCategoryGroup: () => [ids.category_group_id, { category_group: { name: 'Renamed' } }],
  updateMonthCategory: () => ['current', ids.category_id, { category: { budgeted: 1_000 } }],
  getMoneyMovements: () => [],
  getMoneyMovementsByMonth: () => ['current'],
  getMoneyMovementGroups: () => [],
  getMoneyMovementGroupsByMonth: () => ['current'],
  getPlanMonths: () => [0],
  getPlanMonth: () => ['current'],
  getBudgetMonths: () => [0],
  getBudgetMonth: () => ['current'],
  getPayees: () => [0],
  getPayeeById: () => [ids.payee_id],
  createPayee: () => [{ payee: { name: 'New' } }],
  updatePayee: () => [ids.payee_id, { payee: { name: 'Renamed' } }],
  getPayeeLocations: () => [],
  getPayeeLocationById: () => [ids.payee_location_id],
  getPayeeLocationsByPayee: () => [ids.located_payee_id],
  getPlanById: () => [0],
  getPlanSettingsById: () => [],
  getBudgetById: () => [0],
  getBudgetSettingsById: () => [],
  getTransactions: () => ['2026-01-01', 'unapproved', 0],
  getTransactionsByType: () => ['unapproved', 0],
  getTransactionById: () => [ids.transaction_id],
  getTransactionsByAccount: () => [ids.account_id, '2026-01-01', undefined, 0],
  getTransactionsByCategory: () => [ids.category_id, '2026-01-01', undefined, 0],
  getTransactionsByMonth: () => ['current', '2026-01-01', undefined, 0],
  getTransactionsByPayee: () => [ids.payee_id, '2026-01-01', undefined, 0],
  createTransaction: () => [{ transaction: spending() }],
  createTransactions: () => [{ transactions: [spending()] }],
  updateTransaction: () => [ids.transaction_id, { transaction: { memo: 'changed' } }],
  updateTransactions: () => [{ transactions: [{ id: ids.transaction_id, memo: 'changed again' }] }],
  importTransactions: () => [],
  deleteTransaction: () => [ids.transaction_id],
  getScheduledTransactions: () => [0],
  getScheduledTransactionById: () => [ids.scheduled_transaction_id],
  createScheduledTransaction: () => [{ scheduled_transaction: bill() }],
  updateScheduledTransaction: () => [ids.scheduled_transaction_id, { scheduled_transaction: bill() }],
  deleteScheduledTransaction: () => [ids.scheduled_transaction_id],
};

const withoutBudget: Readonly<Record<string, readonly unknown[]>> = {
  getUser: [],
  getPlans: [true],
  getBudgets: [true],
};

/** A saved transaction has one of the first two (docs/interface.md, Endpoints), and only some tokens have the last. */
const optionalData = new Set([
  'transaction',
  'transactions',
  'duplicate_import_ids',
  'default_plan',
  'default_budget',
]);

interface Method {
  readonly name: string;
  call(parameters: readonly unknown[]): Promise<unknown>;
}

/** The methods of the API objects of an SDK, without the variants that return the raw response. */
function methodsOf(apis: readonly object[]): Method[] {
  return apis.flatMap((api) => {
    const methods: Method[] = [];
    for (let proto = Object.getPrototypeOf(api); isApi(proto); proto = Object.getPrototypeOf(proto)) {
      for (const name of Object.getOwnPropertyNames(proto)) {
        if (name === 'constructor' || name.endsWith('Raw')) continue;
        const method: unknown = Reflect.get(api, name);
        if (typeof method !== 'function') continue;
        methods.push({ name, call: async (parameters) => Reflect.apply(method, api, [...parameters]) });
      }
    }
    return methods;
  });
}

const isApi = (proto: object) => /.Api$/.test(proto.constructor.name) && proto.constructor.name !== 'BaseAPI';

/** The API objects that an SDK offers: of its API class, and of the classes that it exports in addition. */
function apisOf4(): object[] {
  const api = new sdk4.API(service.accessToken, service.baseUrl);
  const configuration = new sdk4.Configuration({
    accessToken: service.accessToken,
    basePath: service.baseUrl,
  });
  const exported = Object.entries(sdk4).flatMap(([name, value]) =>
    name.endsWith('Api') && typeof value === 'function' ? [Reflect.construct(value, [configuration])] : [],
  );
  return [api.transactions, ...exported];
}

function apisOf2(): object[] {
  const api = new sdk2.API(service.accessToken, service.baseUrl);
  const configuration = new sdk2.Configuration({
    accessToken: service.accessToken,
    basePath: service.baseUrl,
  });
  const exported = Object.entries(sdk2).flatMap(([name, value]) =>
    name.endsWith('Api') && typeof value === 'function' ? [Reflect.construct(value, [configuration])] : [],
  );
  return [api.transactions, ...exported];
}

describe.each([
  { version: '4', apis: apisOf4, operations: 44 },
  { version: '2', apis: apisOf2, operations: 36 },
])('the public SDK $version', ({ version, apis, operations }) => {
  test(`the service answers every method of the public SDK ${version}`, async () => {
    ids = idsOf(service);
    const methods = methodsOf(apis());
    expect(new Set(methods.map(({ name }) => name)).size).toBeGreaterThanOrEqual(operations);
    const deletesLast = methods.toSorted((a, b) => order(a) - order(b));
    const called = new Set<string>();
    for (const { name, call } of deletesLast) {
      if (called.has(name)) continue;
      called.add(name);
      const parameters = withoutBudget[name] ?? [
        ids.budget_id,
        ...(callArguments[name]?.() ?? [missing(name)]),
      ];
      const answer = await call(parameters).catch((error: unknown) => {
        throw new Error(`${name}: ${JSON.stringify(error)}`, { cause: error });
      });
      const data = new Map(Object.entries(Object(Object(answer).data)));
      expect(data.size, name).toBeGreaterThan(0);
      for (const [key, value] of data) {
        if (!optionalData.has(key)) expect(value, `${key} of ${name}`).toBeDefined();
      }
    }
  });
});

const order = ({ name }: Method) => (name.startsWith('delete') ? 1 : 0);

function missing(name: string): never {
  throw new Error(`The method ${name} of the SDK is not exercised.`);
}
