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

/** The things that can be written, with the path of their list. */
const singulars: Readonly<Record<string, string>> = Object.fromEntries(
  operations.flatMap(({ name, route }) => {
    const [, key = '', path = ''] = /^create_(\w+) .*\/(\w+)$/.exec(`${name} ${route}`) ?? [];
    return key === '' ? [] : [[key.replace(/s$/, ''), path]];
  }),
);
const singular = (list: string | undefined) => list?.replace(/s$/, '');

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

  /** The thing as the service shows it. A write to a month is read there, and a group among the categories. */
  async function readAgain(name: string, key: string, id: string) {
    const path = `${service.baseUrl}/budgets/${ids.budget_id}/`;
    if (key === 'category_group') {
      const { data } = await fetchData(`${path}categories`);
      const groups = z.array(entity).parse(data['category_groups']);
      const { categories: _, ...group } = loose.parse(groups.find((each) => each.id === id));
      return group;
    }
    const within = name.includes('month') ? 'months/current/' : '';
    const { data } = await fetchData(`${path}${within}${singulars[key]}/${id}`);
    return loose.parse(data[key]);
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
    test.each(operationsThat('write', version).filter(([, { kind }]) => kind !== 'delete'))(
      'the client returns for the example of %s what is then read from the service, field by field',
      async (name, operation) => {
        const input = exampleInput(operation, ids);
        const { data, outcome, changed } = await callOperation(client, operation, input);
        expect(outcome).toBe('written');
        expect(changed).toBeDefined();
        const written = loose.parse(data);
        // The response to an import contains ids only.
        const [first] = z.array(z.string()).parse(written['transaction_ids'] ?? []);
        const [row] = z.array(loose).parse(written[operation.batch ?? ''] ?? []);
        const key =
          singular(operation.batch) ??
          Object.keys(written).find((each) => each in singulars) ??
          'transaction';
        const shown = row ?? (written[key] && loose.parse(written[key]));
        const read = await readAgain(name, key, first ?? entity.parse(shown).id);
        if (shown) expect(shown).toEqual(read);
        const [given = input] = z.array(loose).parse(input[operation.batch ?? ''] ?? []);
        const kept = Object.keys(given).filter((field) => field in read);
        for (const field of kept) expect(read[field], field).toEqual(given[field]);
        expect(kept.length > 0 || name === 'import_transactions').toBe(true);
      },
    );

    test.each(operationsThat('write', version).filter(([, { kind }]) => kind === 'delete'))(
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
