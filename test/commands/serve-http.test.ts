import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { Arrivals } from '../arrivals.ts';
import { NO_FAULT, startFaultyProxy } from '../faulty-proxy.ts';
import { connectModern, eras, type Host, type Person } from '../hosts.ts';
import { Household } from '../household.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.ts';
import { exampleOf, someIds } from '../ids.ts';
import { ManualClock } from '../manual-clock.ts';
import { exchange, requestOf } from '../raw-http.ts';

const TOKEN = 'a-token-of-those-who-may-call-by-http';

const byName = (effect: (effect: string) => boolean) =>
  operations.filter((each) => effect(each.effect)).map((operation) => [operation.name, operation] as const);
const reads = byName((effect) => effect === 'read');
const writes = byName((effect) => effect !== 'read');

describe.each(eras)('by HTTP a host that speaks %s', (_, connect) => {
  let home: Household;
  let program: HttpProgram;
  let host: Host;
  let answer: ReturnType<Person> = 'accept';
  const asked: string[] = [];
  const connected = (person?: Person) =>
    connect({ http: { url: program.url, token: TOKEN }, ...(person && { person }) });

  beforeAll(async () => {
    home = await Household.start();
    program = await startHttpProgram([], { ...home.env(), BUDGET_MCP_HTTP_TOKEN: TOKEN });
    host = await connected((question) => {
      asked.push(question);
      return answer;
    });
  });
  afterAll(async () => {
    await host.close();
    expect(await program.stop()).toBe(0);
    await home.close();
  });

  test('finds every tool and every resource', async () => {
    const { tools } = await host.client.listTools();
    const names = tools.map(({ name }) => name);
    for (const { name } of operations) expect(names).toContain(name);
    const { resourceTemplates } = await host.client.listResourceTemplates();
    expect(resourceTemplates).toHaveLength(reads.length);
  });

  test.each(reads)('%s answers, and its resource holds the same', async (name, operation) => {
    const ids = await someIds(home.service);
    const example = exampleOf(operation, ids);
    const { freshness: _, ...structured } = (await host.call(name, example)).structured;
    const path = operation.route
      .slice('GET '.length)
      .replace(/\{(\w+)\}/g, (_, parameter: string) =>
        String(parameter === 'budget_id' ? ids.budget_id : example[parameter]),
      );
    const query = Object.entries(example)
      .filter(([parameter]) => !operation.route.includes(`{${parameter}}`))
      .map(([parameter, value]) => `${parameter}=${value}`);
    const uri = `budget://v1${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    expect(await host.read(uri)).toMatchObject(structured);
  });

  test.each(writes)('%s writes', async (name, operation) => {
    const { structured, text, isError } = await host.call(
      name,
      exampleOf(operation, await someIds(home.service)),
    );
    expect(isError, text).toBe(false);
    expect(structured).toMatchObject({ outcome: 'written' });
  });

  test('arguments complete by name', async () => {
    const { completion } = await host.client.complete({
      ref: { type: 'ref/resource', uri: 'budget://v1/budgets/{budget_id}/categories/{category_id}' },
      argument: { name: 'category_id', value: 'groc' },
      context: { arguments: { budget_id: home.budgetId } },
    });
    expect(completion.values).toHaveLength(1);
  });

  test('get_status and refresh_budget answer', async () => {
    expect((await host.call('refresh_budget', {})).isError).toBe(false);
    expect((await host.call('get_status')).text).toContain('Requests in this hour');
  });

  test('is asked before something is deleted, and a no is heard', async () => {
    const { transaction_id } = await someIds(home.service);
    asked.length = 0;
    answer = 'decline';
    const refused = await host.call('delete_transaction', { transaction_id });
    expect(refused.text).toContain('The user was asked and said no.');
    expect(await home.transaction(transaction_id)).toBeDefined();
    answer = 'accept';
    expect((await host.call('delete_transaction', { transaction_id })).isError).toBe(false);
    expect(await home.transaction(transaction_id)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('is told what another host has changed, of what it subscribed to and no more', async () => {
    const uri = (path: string) => `budget://v1/budgets/${home.budgetId}/${path}`;
    const { id } = await home.category('Groceries');
    await host.call('list_categories');
    await host.call('list_categories');
    await host.subscribe(uri('accounts'), uri('payees'), uri(`categories/${id}`));
    const other = await connected();
    await other.subscribe(uri('payees'));
    await other.call('update_category', { category_id: id, note: 'Markets first' });
    expect(await host.nextUpdate()).toBe(uri(`categories/${id}`));
    expect(host.updates).toEqual([]);
    expect(other.updates).toEqual([]);
    await other.close();
  });

  test('is refused an unknown tool by the protocol', async () => {
    await expect(host.call('no_such_tool')).rejects.toMatchObject({ code: -32602 });
  });
});

test('a server that is told to stop waits ten seconds for a service that hangs, and no longer', async () => {
  const home = await Household.start();
  const wire = new ManualClock(0);
  const arrived = new Arrivals<string>();
  const { url } = await startFaultyProxy({
    origin: home.service.appUrl,
    plan: ({ method, path }) => {
      if (method === 'GET') return NO_FAULT;
      arrived.add(path);
      return { deliveries: 1, answer: 'never' };
    },
    clock: wire,
    timeoutMs: 0,
  });
  const program = await startHttpProgram([], { ...home.env(), BUDGET_MCP_BASE_URL: `${url}/v1` });
  const host = await connectModern({ http: program });
  const { id } = await home.category('Groceries');
  const call = host.call('update_category', { category_id: id, note: 'Sent' });
  // The host is answered after as long as the server waits: it may just have gone by then.
  const told = call.then(
    ({ text }) => text,
    () => 'It is still being looked for.',
  );
  await arrived.next();
  expect(await program.stop()).toBe(0);
  expect(await told).toContain('It is still being looked for.');
  await host.close();
  await home.close();
});

test('a server that is asked to logs what it refuses, and nothing of its body', async () => {
  const program = await startHttpProgram(['--demo', '--log-level', 'info']);
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } });
  expect((await exchange(program.port, requestOf('POST', '/mcp', { headers, body }))).status).toBe(400);
  expect(await program.stop()).toBe(0);
  const [, ...lines] = program.written().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'transport error',
      error: expect.stringContaining('Rejected inbound request'),
    }),
  ]);
  expect(program.written()).not.toContain('secret');
});

test.each(eras)(
  'a host of %s without a token is not let in, nor one with a wrong one',
  async (_, connect) => {
    const program = await startHttpProgram(['--demo'], { BUDGET_MCP_HTTP_TOKEN: TOKEN });
    const { url } = program;
    await expect(connect({ http: { url } })).rejects.toThrow();
    await expect(connect({ http: { url, token: `${TOKEN}x` } })).rejects.toThrow();
    const host = await connect({ http: { url, token: TOKEN } });
    await host.close();
    expect(await program.stop()).toBe(0);
  },
);
