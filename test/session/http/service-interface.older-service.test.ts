/** A client of a service with the interface 1.77, which lacks the operations that 1.85 added. */

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  createCategory,
  createCategoryGroup,
  listCategories,
  updateCategory,
  updateCategoryGroup,
} from '../../../src/operations/categories.ts';
import { operations } from '../../../src/operations/index.ts';
import { listMoneyMovements } from '../../../src/operations/money-movements.ts';
import { createPayee } from '../../../src/operations/payees.ts';
import { listTransactions } from '../../../src/operations/transactions.ts';
import { Arrivals } from '../../arrivals.helper.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../holding.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { startWriting } from '../writing-client.helper.ts';

const startOlder = () => startHolding({}, { version: '1.77' });

const ONE_YEAR_AGO = '2025-11-21';

const unavailable = { code: 'operation_unavailable' };

const added = operations.filter(({ addedIn }) => addedIn !== undefined).map(({ name }) => name);

describe('an operation that the service lacks', () => {
  it('the first call shows it with one request, and the next calls send none', async () => {
    const { client, asked } = await startOlder();
    expect(await failureOf(callOperation(client, listMoneyMovements, {}))).toMatchObject(unavailable);
    expect(asked()).toEqual(['budgets', 'home']);
    expect(await failureOf(callOperation(client, listMoneyMovements, {}))).toMatchObject(unavailable);
    expect(await failureOf(callOperation(client, createCategoryGroup, { name: 'Hobbies' }))).toMatchObject(
      unavailable,
    );
    expect(asked()).toEqual([]);
  });

  it('after a list of categories, its error costs no request', async () => {
    const { client, asked } = await startOlder();
    await callOperation(client, listCategories, {});
    asked();
    expect(await failureOf(callOperation(client, createPayee, { name: 'Bicycle shop' }))).toMatchObject(
      unavailable,
    );
    expect(asked()).toEqual([]);
  });

  it('the reads before a creation show it, so that nothing is sent', async () => {
    const { client, ledger, asked } = await startOlder();
    const group = ledger.categoryGroups().at(-1) ?? expect.unreachable();
    const input = { category_group_id: group.id, name: 'Bicycle' };
    const before = ledger.knowledge;
    expect(await failureOf(callOperation(client, createCategory, input))).toMatchObject(unavailable);
    expect(asked()).toEqual(['budgets', 'home/categories']);
    expect(ledger.knowledge).toBe(before);
  });

  it('a dry run shows it too', async () => {
    const { client, ledger } = await startOlder();
    const { id } = ledger.categoryGroups().at(-1) ?? expect.unreachable();
    const input = { category_group_id: id, name: 'Every day' };
    expect(await failureOf(client.begin().simulate(updateCategoryGroup, input))).toMatchObject(unavailable);
  });

  it('an earlier equal call that was carried out is reported, though the service has been reset to an older version', async () => {
    const { client, beforeWrites, altering, passing, ledger, sent } = await startWriting();
    const host = new AbortController();
    beforeWrites.push(() => host.abort());
    const input = { name: 'Bicycle shop' };
    const call = client.begin({ signal: host.signal }).write(createPayee, input);
    expect(await failureOf(passing(call))).toMatchObject({ code: 'outcome_unknown' });

    altering.answer = (_path, body) => body.replaceAll(/"internal":(true|false),/g, '');
    await passing(callOperation(client, listCategories, {}));
    expect(client.lacks(createPayee)).toBe(true);
    const repeated = callOperation(client, createPayee, input);
    const { data, earlier_call } = await passing(repeated);
    expect(data.payee).toEqual(ledger.payees().at(-1));
    expect(earlier_call).toBeDefined();
    expect(await failureOf(passing(callOperation(client, createPayee, input)))).toMatchObject(unavailable);
    expect(sent()).toBe(1);
  });

  it('everything else works as before', async () => {
    const { client, ledger } = await startOlder();
    await failureOf(callOperation(client, listMoneyMovements, {}));
    for (const _ of [1, 2]) {
      const { data } = await callOperation(client, listCategories, {});
      expect(data.category_groups).toHaveLength(ledger.categoryGroups().length);
      expect(data.category_groups.every((group) => !('internal' in group))).toBe(true);
    }
  });
});

describe('a service that has the operations', () => {
  it('an unknown category group is unknown, and the operation stays available', async () => {
    const { client, ledger } = await startHolding();
    const unknown = { category_group_id: '11111111-1111-4111-8111-111111111111', name: 'Every day' };
    expect((await failureOf(callOperation(client, updateCategoryGroup, unknown))).code).toBe(
      'resource_not_found',
    );
    const { id } = ledger.categoryGroups().findLast(({ internal }) => !internal) ?? expect.unreachable();
    const { outcome } = await callOperation(client, updateCategoryGroup, {
      ...unknown,
      category_group_id: id,
    });
    expect(outcome).toBe('written');
  });
});

describe.each(['1.77', '1.85'] as const)('a service with the interface %s', (version) => {
  it('a list without since_date has all years, and until_date ends it, from the service and from the replica', async () => {
    const { client, ledger } = await startHolding({}, { version, transactions: 1_600 });
    const dates = ledger
      .transactions(undefined)
      .map(({ date }) => date)
      .toSorted();
    expect(dates[0]?.localeCompare(ONE_YEAR_AGO)).toBe(-1);
    const uncached = await startHolding({ cacheBytes: 0 }, { version, transactions: 1_600 });
    const readers = [['replica', client] as const, ['service', uncached.client] as const];
    for (const [source, reader] of readers) {
      const { data, freshness } = await callOperation(
        reader,
        listTransactions,
        listTransactions.input.parse({}),
      );
      expect(freshness.source).toBe(source);
      expect(data.transactions.map(({ date }) => date).toSorted()).toEqual(dates);
    }
    for (const [source, reader] of readers) {
      const input = listTransactions.input.parse({ until_date: ONE_YEAR_AGO });
      const { data, freshness } = await callOperation(reader, listTransactions, input);
      expect(freshness.source).toBe(source);
      expect(data.transactions.map(({ date }) => date).toSorted()).toEqual(
        dates.filter((date) => date <= ONE_YEAR_AGO),
      );
    }
  });

  it('a category gets another note, and the result names the fields that an older service ignores', async () => {
    const { client, clock, ledger } = await startHolding({}, { version });
    const { id } =
      ledger
        .categoryGroups()
        .flatMap(({ categories }) => categories)
        .find((each) => each.goal_type === 'NEED') ?? expect.unreachable();
    const host = await hostOf({ client, clock });
    const input = { category_id: id, note: 'New', goal_target_date: '2027-05-01' };
    const { structuredContent } = await host.callTool({ name: 'update_category', arguments: input });
    const expected = {
      '1.77': { category: { note: 'New', goal_target_date: null }, ignored: ['goal_target_date'] },
      '1.85': { category: { note: 'New', goal_target_date: '2027-05-01' } },
    }[version];
    expect(structuredContent).toMatchObject(expected);
    expect(Object.keys(structuredContent ?? {}).includes('ignored')).toBe('ignored' in expected);
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
      text: expect.stringMatching(
        /^This call changed nothing\. Create payee: the service has an older interface/,
      ),
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

  it('they are offered again after the service was updated, as the response to any write of a category shows', async () => {
    const { client, clock, ledger, altering } = await startHolding();
    altering.answer = (_path, body) => body.replaceAll(/"internal":(true|false),/g, '');
    const host = await hostOf({ client, clock });
    await callOperation(client, listCategories, {});
    expect(await offered(host)).not.toContain('create_payee');

    altering.answer = (_path, body) => body;
    const { id } = ledger.detail().categories.find(({ internal }) => !internal) ?? expect.unreachable();
    await callOperation(client, updateCategory, { category_id: id, note: 'New' });
    expect(await offered(host)).toEqual(expect.arrayContaining(added));
    const { outcome } = await callOperation(client, createPayee, { name: 'Bicycle shop' });
    expect(outcome).toBe('written');
  });

  it('their resources are withdrawn with them, and offered again after the service was updated', async () => {
    const { client, clock, altering } = await startHolding();
    const host = await hostOf({ client, clock });
    const templates = async () =>
      (await host.listResourceTemplates()).resourceTemplates.map(({ name }) => name).toSorted();
    const notified = new Arrivals<string>();
    host.setNotificationHandler('notifications/tools/list_changed', () => notified.add('tools'));
    host.setNotificationHandler('notifications/resources/list_changed', () => notified.add('resources'));
    const before = await templates();
    const lacking = before.filter((name) => added.includes(name));
    expect(lacking).toContain('list_money_movements');

    altering.answer = (_path, body) => body.replaceAll(/"internal":(true|false),/g, '');
    await callOperation(client, listCategories, {});
    expect(await templates()).toEqual(before.filter((name) => !lacking.includes(name)));
    expect(await notified.next()).toBe('tools');

    altering.answer = (_path, body) => body;
    await client.begin().refresh(true);
    expect(await templates()).toEqual(before);
    expect(await notified.next()).toBe('tools');
    const [budget] = (await host.listResources()).resources.filter(({ uri }) => /budgets\/[^/]+$/.test(uri));
    const { contents } = await host.readResource({ uri: `${budget?.uri}/money_movements` });
    expect(contents).toHaveLength(1);
  });

  it('a host that connects later is not offered them', async () => {
    const { client, clock } = await startOlder();
    await callOperation(client, listCategories, {});
    const names = await offered(await hostOf({ client, clock }));
    expect(names.filter((name) => added.includes(name))).toEqual([]);
    expect(names).toContain('list_payees');
  });
});
