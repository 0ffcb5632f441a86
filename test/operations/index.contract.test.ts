import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { schemaFromUnits } from '../../src/answers/units.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { systemClock } from '../../src/base/clock.ts';
import { operations } from '../../src/operations/index.ts';
import { DEFAULT_INTERFACE_VERSION, interfaceVersions } from '../../src/service/interface-version.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { encodeRequest } from '../../src/session/http/codec.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { callOperation } from '../call-operation.helper.ts';
import { exampleOf, someIds } from '../ids.helper.ts';

const entity = z.looseObject({ id: z.string() });
const loose = z.record(z.string(), z.unknown());

/** For each write: the path of its entity, and the fields of that entity after the example, in milliunits. */
const balanceChanges: Readonly<Record<string, readonly [path: string, key: string, expected: object]>> = {
  create_account: ['accounts', 'account', { name: 'Holiday savings', type: 'savings', balance: 250_500 }],
  create_category: ['categories', 'category', { name: 'Bicycle', internal: false }],
  update_category: ['categories', 'category', { note: 'Markets first' }],
  update_month_category: ['months/current/categories', 'category', { budgeted: 120_000 }],
  update_payee: ['payees', 'payee', { name: 'Corner Bakery' }],
  create_payee: ['payees', 'payee', { name: 'Bicycle shop' }],
  create_transactions: ['transactions', 'transaction', { amount: -4_500, payee_name: 'Corner Bakery' }],
  update_transactions: ['transactions', 'transaction', { memo: 'Bread and coffee' }],
  update_transaction: ['transactions', 'transaction', { memo: 'Bread and coffee', approved: true }],
  import_transactions: ['transactions', 'transaction', { approved: false, cleared: 'cleared' }],
  create_scheduled_transaction: [
    'scheduled_transactions',
    'scheduled_transaction',
    { amount: -30_000, frequency: 'monthly' },
  ],
  update_scheduled_transaction: ['scheduled_transactions', 'scheduled_transaction', { amount: -32_000 }],
};

/** The writes of category groups. No operation reads a single one, so the list of categories shows it. */
const groupWrites: Readonly<Record<string, string>> = {
  create_category_group: 'Hobbies',
  update_category_group: 'Every day',
};

const deletions = ['delete_transaction', 'delete_scheduled_transaction'];

const operationsThat = (effect: 'read' | 'write', version = DEFAULT_INTERFACE_VERSION) =>
  operations
    .filter((each) => (each.kind === 'read') === (effect === 'read'))
    .filter(({ addedIn = '1.77' }) => addedIn <= version)
    .map((operation) => [operation.name, operation] as const);

/** The example of an operation, converted from currency units to milliunits. */
function exampleInput(operation: (typeof operations)[number], ids: Awaited<ReturnType<typeof someIds>>) {
  return z
    .record(z.string(), z.unknown())
    .parse(schemaFromUnits(operation.input).parse(exampleOf(operation, ids)));
}

describe('the entry of', () => {
  test.each(operationsThat('write'))('%s says how it is found again and taken back', (_, operation) => {
    expect(operation.recover).toBeDefined();
    expect(operation.takeBack).toBeDefined();
  });

  test.each(operationsThat('write').filter(([, { kind }]) => kind !== 'create'))(
    '%s says what it changes, also in a dry run',
    (_, operation) => {
      expect(operation.stateBefore).toBeDefined();
      expect(operation.simulate).toBeDefined();
    },
  );
});

describe.each(interfaceVersions)('the interface %s', (version) => {
  let service: Service;
  let ids: Awaited<ReturnType<typeof someIds>>;
  let client: BudgetClient;
  const sender = new HttpSender({ clock: systemClock });

  beforeAll(async () => {
    service = await startService({ clock: systemClock, version });
    ids = await someIds(service);
    const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
    client = new BudgetClient({ tokens, sender, clock: systemClock, budget: ids.budget_id });
  });
  afterAll(async () => {
    await sender.close();
    await service.close();
  });

  /**
   * Requests the service directly, without the client under test. Amounts are in milliunits only, and a field of a category
   * that 1.77 lacks is null, as in the results of the client.
   */
  async function fetchData(url: string) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${service.accessToken}` } });
    const body: unknown = JSON.parse(await response.text(), (name, value) => {
      if (/_(formatted|currency)$/.test(name)) return undefined;
      return Object(value).goal_type === undefined ? value : { goal_target_date: null, ...value };
    });
    const { data = {} } = z.object({ data: loose.optional() }).parse(body);
    return { status: response.status, data };
  }

  describe('reads of the embedded service over HTTP', () => {
    test.each(operationsThat('read', version))(
      'the client returns for the example of %s what the service sent, field by field',
      async (_, operation) => {
        const input = exampleInput(operation, ids);
        const { data } = await callOperation(client, operation, input);

        const request = 'budget_id' in operation.input.shape ? { ...input, budget_id: ids.budget_id } : input;
        const { data: sent } = await fetchData(encodeRequest(operation, request, service.baseUrl).url);
        // The service sends transactions in another order.
        const arranged = operation.arrange?.(sent, input) ?? sent;
        // The service omits the default budget if there is none. The client returns null.
        const expected = operation.name === 'list_budgets' ? { default_budget: null, ...arranged } : arranged;
        expect(data).toEqual(expected);
      },
    );
  });

  describe('writes to the embedded service over HTTP', () => {
    // The order of the list does not delete an entity that a later example needs.
    test.each(
      operationsThat('write', version).filter(
        ([name]) => !deletions.includes(name) && !(name in groupWrites),
      ),
    )(
      'the client returns for the example of %s what is then read from the service, field by field',
      async (name, operation) => {
        const { data, outcome, changed } = await callOperation(
          client,
          operation,
          exampleInput(operation, ids),
        );
        expect(outcome).toBe('written');
        const [path = '', key = '', expected] = balanceChanges[name] ?? [];

        const written = loose.parse(data);
        const [shown = written[key]] = z.array(z.unknown()).parse(written['transactions'] ?? []);
        const [first] = z.array(z.string()).parse(written['transaction_ids'] ?? []);
        const id = first ?? entity.parse(shown).id;
        const { data: read } = await fetchData(`${service.baseUrl}/budgets/${ids.budget_id}/${path}/${id}`);
        expect(read[key]).toMatchObject(expected ?? {});
        // The response to an import contains ids only.
        if (shown !== undefined) expect(shown).toEqual(read[key]);
        expect(changed).toBeDefined();
      },
    );

    test.each(operationsThat('write', version).filter(([name]) => name in groupWrites))(
      'the client returns for the example of %s what the list of categories then shows',
      async (name, operation) => {
        const { data, outcome, changed } = await callOperation(
          client,
          operation,
          exampleInput(operation, ids),
        );
        expect(outcome).toBe('written');
        const { data: read } = await fetchData(`${service.baseUrl}/budgets/${ids.budget_id}/categories`);
        const groups = z.array(loose).parse(read['category_groups']);
        const { categories: _, ...group } = groups.find((each) => each['name'] === groupWrites[name]) ?? {};
        expect(data['category_group']).toEqual(group);
        expect(changed).toBeDefined();
      },
    );

    test.each(operationsThat('write', version).filter(([name]) => deletions.includes(name)))(
      'the client returns for the example of %s the tombstone of an entity that can no longer be read',
      async (name, operation) => {
        const key = name.replace('delete_', '');
        const id = key === 'transaction' ? ids.transaction_id : ids.scheduled_transaction_id;
        const url = `${service.baseUrl}/budgets/${ids.budget_id}/${key}s/${id}`;
        const { data: before } = await fetchData(url);
        const { data } = await callOperation(client, operation, exampleInput(operation, ids));
        expect(data).toMatchObject({ [key]: { ...entity.parse(before[key]), deleted: true } });
        expect(await fetchData(url)).toMatchObject({ status: 404 });
      },
    );
  });
});

test('every operation that writes is covered by these tests', () => {
  expect(
    operationsThat('write')
      .map(([name]) => name)
      .toSorted(),
  ).toEqual([...Object.keys(balanceChanges), ...Object.keys(groupWrites), ...deletions].toSorted());
});
