import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { encodeRequest } from '../../src/client/codec.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { schemaFromUnits } from '../../src/format/units.ts';
import { operations } from '../../src/operations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { exampleOf, someIds } from '../ids.ts';

const entity = z.looseObject({ id: z.string() });
const loose = z.record(z.string(), z.unknown());

let service: Service;
let ids: Awaited<ReturnType<typeof someIds>>;
let client: BudgetClient;
const sender = new HttpSender({ clock: systemClock });

beforeAll(async () => {
  service = await startService({ clock: systemClock });
  ids = await someIds(service);
  const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
  client = new BudgetClient({ tokens, sender, clock: systemClock, budget: ids.budget_id });
});
afterAll(async () => {
  await sender.close();
  await service.close();
});

/** What the service itself says, with nothing of ours in between. */
async function ask(url: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${service.accessToken}` } });
  const body = z.object({ data: loose.optional() }).parse(await response.json());
  return { status: response.status, data: body.data ?? {} };
}

const of = (effect: 'read' | 'write') =>
  operations
    .filter((each) => (each.kind === 'read') === (effect === 'read'))
    .map((operation) => [operation.name, operation] as const);

/** A model's arguments, in currency units, as the operation takes them, in milliunits. */
function inputOf(operation: (typeof operations)[number]) {
  return z
    .record(z.string(), z.unknown())
    .parse(schemaFromUnits(operation.input).parse(exampleOf(operation, ids)));
}

describe('every operation that reads, asked of the embedded service over HTTP', () => {
  test.each(of('read'))(
    '%s: its example gives what the service sent, field by field',
    async (_, operation) => {
      const input = inputOf(operation);
      const { data } = await client.call(operation, input);

      const asked = 'budget_id' in operation.input.shape ? { ...input, budget_id: ids.budget_id } : input;
      const { data: sent } = await ask(encodeRequest(operation, asked, service.baseUrl).url);
      // What the service leaves out where it has no default budget is null for us.
      const expected = operation.name === 'list_budgets' ? { default_budget: null, ...sent } : sent;
      expect(data).toEqual(expected);
    },
  );
});

/** Of each write: the path of what it is about, and what its example makes of it, in milliunits. */
const effects: Readonly<Record<string, readonly [path: string, key: string, made: object]>> = {
  create_account: ['accounts', 'account', { name: 'Holiday savings', type: 'savings', balance: 250_500 }],
  update_category: ['categories', 'category', { note: 'Markets first' }],
  update_month_category: ['months/current/categories', 'category', { budgeted: 120_000 }],
  update_payee: ['payees', 'payee', { name: 'Corner Bakery' }],
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

const deletions = ['delete_transaction', 'delete_scheduled_transaction'];

describe('every operation that writes, sent to the embedded service over HTTP', () => {
  // In the order of the table nothing is deleted that is still needed.
  test.each(of('write').filter(([name]) => !deletions.includes(name)))(
    '%s: its example answers what is then read, field by field',
    async (name, operation) => {
      const { data, outcome, changed } = await client.call(operation, inputOf(operation));
      expect(outcome).toBe('written');
      const [path = '', key = '', made] = effects[name] ?? [];

      const written = loose.parse(data);
      const [shown = written[key]] = z.array(z.unknown()).parse(written['transactions'] ?? []);
      const [first] = z.array(z.string()).parse(written['transaction_ids'] ?? []);
      const id = first ?? entity.parse(shown).id;
      const { data: read } = await ask(`${service.baseUrl}/budgets/${ids.budget_id}/${path}/${id}`);
      expect(read[key]).toMatchObject(made ?? {});
      // An import is answered with ids only.
      if (shown !== undefined) expect(shown).toEqual(read[key]);
      expect(changed).toBeDefined();
    },
  );

  test.each(of('write').filter(([name]) => deletions.includes(name)))(
    '%s: its example answers the tombstone of what can then no longer be read',
    async (name, operation) => {
      const key = name.replace('delete_', '');
      const id = key === 'transaction' ? ids.transaction_id : ids.scheduled_transaction_id;
      const url = `${service.baseUrl}/budgets/${ids.budget_id}/${key}s/${id}`;
      const { data: before } = await ask(url);
      const { data } = await client.call(operation, inputOf(operation));
      expect(data).toMatchObject({ [key]: { ...entity.parse(before[key]), deleted: true } });
      expect(await ask(url)).toMatchObject({ status: 404 });
    },
  );

  test('none is left out', () => {
    expect(
      of('write')
        .map(([name]) => name)
        .toSorted(),
    ).toEqual([...Object.keys(effects), ...deletions].toSorted());
  });
});
