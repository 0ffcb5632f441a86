/** A client of a service with the interface 1.77, which lacks the operations that 1.85 added. */
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createCategory, listCategories, updateCategory } from '../../src/operations/categories.ts';
import { createCategoryGroup, updateCategoryGroup } from '../../src/operations/category-groups.ts';
import { operations } from '../../src/operations/index.ts';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { createPayee } from '../../src/operations/payees.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startHolding } from './holding.helper.ts';
import { failureOf } from './sending.helper.ts';

const startOlder = () => startHolding({}, { version: '1.77' });

const unavailable = { code: 'operation_unavailable' };

const added = operations.filter(({ addedIn }) => addedIn !== undefined).map(({ name }) => name);

describe('an operation that the service lacks', () => {
  it('the first call shows it with one request, and the next calls send none', async () => {
    const { client, asked } = await startOlder();
    expect(await failureOf(client.call(listMoneyMovements, {}))).toMatchObject(unavailable);
    expect(asked()).toEqual(['budgets', 'home']);
    expect(await failureOf(client.call(listMoneyMovements, {}))).toMatchObject(unavailable);
    expect(await failureOf(client.call(createCategoryGroup, { name: 'Hobbies' }))).toMatchObject(unavailable);
    expect(asked()).toEqual([]);
  });

  it('after a list of categories, its error costs no request', async () => {
    const { client, asked } = await startOlder();
    await client.call(listCategories, {});
    asked();
    expect(await failureOf(client.call(createPayee, { name: 'Bicycle shop' }))).toMatchObject(unavailable);
    expect(asked()).toEqual([]);
  });

  it('the reads before a creation show it, so that nothing is sent', async () => {
    const { client, ledger, asked } = await startOlder();
    const group = ledger.categoryGroups().at(-1) ?? expect.unreachable();
    const input = { category_group_id: group.id, name: 'Bicycle' };
    const before = ledger.knowledge;
    expect(await failureOf(client.call(createCategory, input))).toMatchObject(unavailable);
    expect(asked()).toEqual(['budgets', 'home/categories']);
    expect(ledger.knowledge).toBe(before);
  });

  it('a dry run shows it too', async () => {
    const { client, ledger } = await startOlder();
    const { id } = ledger.categoryGroups().at(-1) ?? expect.unreachable();
    const input = { category_group_id: id, name: 'Every day' };
    expect(await failureOf(client.begin().simulate(updateCategoryGroup, input))).toMatchObject(unavailable);
  });

  it('everything else works as before', async () => {
    const { client, ledger } = await startOlder();
    await failureOf(client.call(listMoneyMovements, {}));
    for (const _ of [1, 2]) {
      const { data } = await client.call(listCategories, {});
      expect(data.category_groups).toHaveLength(ledger.categoryGroups().length);
      expect(data.category_groups.every((group) => !('internal' in group))).toBe(true);
    }
  });
});

describe('a service that has the operations', () => {
  it('an unknown category group is unknown, and the operation stays available', async () => {
    const { client, ledger } = await startHolding();
    const unknown = { category_group_id: '11111111-1111-4111-8111-111111111111', name: 'Every day' };
    expect((await failureOf(client.call(updateCategoryGroup, unknown))).code).toBe('resource_not_found');
    const { id } = ledger.categoryGroups().findLast(({ internal }) => !internal) ?? expect.unreachable();
    const { outcome } = await client.call(updateCategoryGroup, { ...unknown, category_group_id: id });
    expect(outcome).toBe('written');
  });
});

describe.each(['1.77', '1.85'] as const)('a service with the interface %s', (version) => {
  it('a list without since_date has all years, and until_date ends it, from the service and from the replica', async () => {
    const { client, ledger } = await startHolding({}, { version, transactions: 400 });
    const uncached = await startHolding({ cacheBytes: 0 }, { version, transactions: 400 });
    const all = ledger.transactions(undefined);
    const dates = all.map(({ date }) => date).toSorted();
    const until_date = dates[Math.floor(dates.length / 2)] ?? '';
    const input = listTransactions.input.parse({ until_date });
    for (const source of ['replica', 'service']) {
      const reader = source === 'replica' ? client : uncached.client;
      const { data, freshness } = await reader.call(listTransactions, input);
      expect(freshness.source).toBe(source);
      expect(data.transactions).toHaveLength(dates.filter((date) => date <= until_date).length);
    }
    for (const reader of [client, uncached.client]) {
      const { data } = await reader.call(listTransactions, listTransactions.input.parse({}));
      expect(data.transactions).toHaveLength(all.length);
    }
  });

  it('a category gets another note, and the answer names the fields that an older service ignores', async () => {
    const { client, ledger } = await startHolding({}, { version });
    const { id } =
      ledger
        .categoryGroups()
        .flatMap(({ categories }) => categories)
        .find((each) => each.goal_type === 'NEED') ?? expect.unreachable();
    const input = { category_id: id, note: 'New', goal_target_date: '2027-05-01' };
    const { data } = await client.call(updateCategory, input);
    expect(data.category.note).toBe('New');
    expect(data.category.goal_target_date).toBe(version === '1.77' ? null : '2027-05-01');
  });
});

const offered = async (host: Client) => (await host.listTools()).tools.map(({ name }) => name);

describe('the tools of an older service', () => {
  it('the tools that it lacks are no longer offered after their first error, and every host is notified once', async () => {
    const { client, clock } = await startOlder();
    const [one, other] = [await hostOf({ client, clock }), await hostOf({ client, clock })];
    const changed = new Arrivals<string>();
    for (const host of [one, other])
      host.setNotificationHandler('notifications/tools/list_changed', () => changed.add('tools'));
    const before = await offered(one);
    expect(before).toEqual(expect.arrayContaining(added));

    const { content, isError } = await one.callTool({ name: 'create_payee', arguments: { name: 'Bicycle' } });
    expect(isError).toBe(true);
    const [text] = content;
    expect(text).toMatchObject({
      text: expect.stringMatching(/^Nothing was written\. Create payee: the service has an older interface/),
    });
    expect([await changed.next(), await changed.next()]).toEqual(['tools', 'tools']);
    for (const host of [one, other])
      expect(await offered(host)).toEqual(before.filter((name) => !added.includes(name)));
    await expect(other.callTool({ name: 'list_money_movements', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    const { isError: isOtherError } = await other.callTool({ name: 'list_payees', arguments: {} });
    expect(isOtherError).toBeFalsy();
  });

  it('a host that connects later is not offered them', async () => {
    const { client, clock } = await startOlder();
    await client.call(listCategories, {});
    const names = await offered(await hostOf({ client, clock }));
    expect(names.filter((name) => added.includes(name))).toEqual([]);
    expect(names).toContain('list_payees');
  });
});
