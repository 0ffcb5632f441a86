import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dataOf, type RunningService, startTestService } from './running-service.helper.ts';

const Entity = z.looseObject({
  id: z.string().optional(),
  month: z.string().optional(),
  deleted: z.boolean().optional(),
  get categories() {
    return z.array(Entity).optional();
  },
});
type Entity = z.output<typeof Entity>;
const Entities = z.array(Entity);

let service: RunningService;
let month: string;
let ids: { account: string; category: string; payee: string };
beforeAll(async () => {
  service = await startTestService();
  const scheduled = z.looseObject({
    date_next: z.string(),
    account_id: z.string(),
    category_id: z.string().nullable(),
    payee_id: z.string().nullable(),
  });
  const { scheduled_transactions } = await dataOf(service, '/budgets/last-used/scheduled_transactions', {
    scheduled_transactions: z.array(scheduled),
    server_knowledge: z.int(),
  });
  const [next] = scheduled_transactions
    .filter(({ category_id, payee_id }) => category_id && payee_id)
    .toSorted((a, b) => a.date_next.localeCompare(b.date_next));
  if (!next) throw new Error('no scheduled transaction');
  ids = { account: next.account_id, category: next.category_id ?? '', payee: next.payee_id ?? '' };
  month = `${next.date_next.slice(0, 7)}-01`;
});
afterAll(() => service.close());

/** The 11 operations with delta requests, below a budget, and the key of their data. */
const operations: [string, string][] = [
  ['', 'budget'],
  ['/accounts', 'accounts'],
  ['/categories', 'category_groups'],
  ['/payees', 'payees'],
  ['/months', 'months'],
  ['/transactions', 'transactions'],
  ['/accounts/{account}/transactions', 'transactions'],
  ['/categories/{category}/transactions', 'transactions'],
  ['/payees/{payee}/transactions', 'transactions'],
  ['/months/{month}/transactions', 'transactions'],
  ['/scheduled_transactions', 'scheduled_transactions'],
];

async function read(path: string, key: string, since?: number) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ({ ...ids, month })[name] ?? name);
  const query = since === undefined ? '' : `?last_knowledge_of_server=${since}`;
  const data = await dataOf(service, `/budgets/last-used${filled}${query}`, {
    [key]: z.union([Entities, z.looseObject({})]),
    server_knowledge: z.int().positive(),
  });
  const { server_knowledge } = z.object({ server_knowledge: z.int() }).parse(data);
  return { knowledge: server_knowledge, collections: collectionsOf(data[key]) };
}

/** The collections of a response: those of a whole budget, or the one list. */
function collectionsOf(data: unknown): Record<string, Entity[]> {
  const list = Entities.safeParse(data);
  if (list.success) return { list: list.data };
  const collections = Object.entries(z.looseObject({}).parse(data)).map(([name, value]) => {
    const entities = Entities.safeParse(value);
    return entities.success ? [[name, entities.data] as const] : [];
  });
  return Object.fromEntries(collections.flat());
}

const keyOf = ({ id, month }: Entity) => id ?? month ?? '';
const everything = (collections: Record<string, Entity[]>) => Object.values(collections).flat();

/** The rows after applying the changes, by id or month, without deleted ones. Nested categories are merged too. */
function merged(entities: Entity[], changes: Entity[] = []): Map<string, unknown> {
  const before = new Map(entities.map((entity) => [keyOf(entity), entity]));
  const after = new Map([...entities, ...changes].map((entity) => [keyOf(entity), entity]));
  const remaining = [...after].filter(([, { deleted }]) => !deleted);
  return new Map(
    remaining.map(([key, { categories, ...entity }]) => [
      key,
      categories ? { ...entity, categories: merged(before.get(key)?.categories ?? [], categories) } : entity,
    ]),
  );
}

describe('delta requests', () => {
  test.each(operations)('a delta request with the current knowledge is empty: %s (%s)', async (path, key) => {
    const { knowledge } = await read(path, key);
    const delta = await read(path, key, knowledge);
    expect(everything(delta.collections)).toEqual([]);
    expect(delta.knowledge).toBe(knowledge);
  });

  test.each(operations)(
    'a delta request with knowledge 0 contains everything: %s (%s)',
    async (path, key) => {
      const full = await read(path, key);
      const delta = await read(path, key, 0);
      for (const [name, entities] of Object.entries(full.collections)) {
        expect(delta.collections[name]?.map(keyOf)).toEqual(expect.arrayContaining(entities.map(keyOf)));
      }
      expect(everything(full.collections).length).toBeGreaterThan(0);
    },
  );

  test('after time has passed, the delta updates an old copy to the current state', async () => {
    const firstReads = new Map<string, Awaited<ReturnType<typeof read>>>();
    for (const [path, key] of operations) firstReads.set(path, await read(path, key));
    service.clock.advance(40 * 86_400_000);

    for (const [path, key] of operations) {
      const full = await read(path, key);
      const before = firstReads.get(path) ?? full;
      const delta = await read(path, key, before.knowledge);
      expect(delta.knowledge).toBe(full.knowledge);
      expect(delta.knowledge).toBeGreaterThan(before.knowledge);
      for (const [name, entities] of Object.entries(full.collections)) {
        const copy = merged(before.collections[name] ?? [], delta.collections[name]);
        expect(copy, `${path} ${name}`).toEqual(merged(entities));
      }
    }
  });

  test('a delta request contains only what changed', async () => {
    const before = await read('/transactions', 'transactions');
    service.clock.advance(40 * 86_400_000);
    const full = await read('/transactions', 'transactions');
    const delta = await read('/transactions', 'transactions', before.knowledge);
    expect(everything(delta.collections).length).toBeGreaterThan(0);
    expect(everything(delta.collections).length).toBeLessThan(everything(full.collections).length / 2);
  });
});
