import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { connectModern, eras, type Host, type Person } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { exampleOf, someIds } from '../ids.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { exchange, requestOf } from '../raw-http.helper.ts';
import { expectSameContent } from '../resource-content.helper.ts';

const TOKEN = 'a-token-of-those-who-may-call-by-http';

const byName = (effect: (effect: string) => boolean) =>
  operations.filter((each) => effect(each.kind)).map((operation) => [operation.name, operation] as const);
const reads = byName((effect) => effect === 'read');
const writes = byName((effect) => effect !== 'read');

describe.each(eras)('by HTTP a host that speaks %s', (_, connect) => {
  let home: Household;
  let program: HttpProgram;
  let host: Host;
  let answer: ReturnType<Person> = 'accept';
  const questions: string[] = [];
  const connected = (person?: Person) =>
    connect({ http: { url: program.url, token: TOKEN }, ...(person && { person }) });

  beforeAll(async () => {
    home = await Household.start();
    program = await startHttpProgram([], { ...home.env(), BUDGET_MCP_HTTP_TOKEN: TOKEN });
    host = await connected((question) => {
      questions.push(question);
      return answer;
    });
  });
  afterAll(async () => {
    await host.close();
    expect(await program.stop()).toBe(0);
    await home.close();
  });

  test('by HTTP a host finds every tool and every resource', async () => {
    const { tools } = await host.client.listTools();
    const names = tools.map(({ name }) => name);
    for (const { name } of operations) expect(names).toContain(name);
    const { resourceTemplates } = await host.client.listResourceTemplates();
    // The status of the server is one more.
    expect(resourceTemplates).toHaveLength(reads.length + 1);
  });

  test.each(reads)('by HTTP %s answers, and its resource has the same content', async (name, operation) => {
    const ids = await someIds(home.service);
    const example = exampleOf(operation, ids);
    // The first answer to a caller also names the other budgets.
    await host.call('list_accounts', {});
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
    expectSameContent(await host.read(uri), structured);
  });

  test.each(writes)('by HTTP %s writes', async (name, operation) => {
    const { structured, text, isError } = await host.call(
      name,
      exampleOf(operation, await someIds(home.service)),
    );
    expect(isError, text).toBe(false);
    expect(structured).toMatchObject({ outcome: 'written' });
  });

  test('by HTTP arguments are completed by name', async () => {
    const { completion } = await host.client.complete({
      ref: { type: 'ref/resource', uri: 'budget://v1/budgets/{budget_id}/categories/{category_id}' },
      argument: { name: 'category_id', value: 'groc' },
      context: { arguments: { budget_id: home.budgetId } },
    });
    expect(completion.values).toHaveLength(1);
  });

  test('by HTTP get_status and refresh_budget answer', async () => {
    expect((await host.call('refresh_budget', {})).isError).toBe(false);
    expect((await host.call('get_status')).text).toContain('Requests in this hour');
  });

  test('by HTTP a host is asked before something is deleted, and can refuse', async () => {
    const { transaction_id } = await someIds(home.service);
    questions.length = 0;
    answer = 'decline';
    const refused = await host.call('delete_transaction', { transaction_id });
    expect(refused.text).toContain('The host answered "decline".');
    expect(await home.transaction(transaction_id)).toBeDefined();
    answer = 'accept';
    expect((await host.call('delete_transaction', { transaction_id })).isError).toBe(false);
    expect(await home.transaction(transaction_id)).toBeUndefined();
    expect(questions).toHaveLength(2);
  });

  test('by HTTP a host is notified of changes by another host, only for its subscriptions', async () => {
    const uri = (path: string) => `budget://v1/budgets/${home.budgetId}/${path}`;
    const { id } = await home.category('Groceries');
    await host.call('list_categories');
    await host.call('list_categories');
    await host.subscribe(uri(`categories/${id}`));
    const other = await connected();
    await other.call('update_category', { category_id: id, note: 'Markets first' });
    expect(await host.nextUpdate()).toBe(uri(`categories/${id}`));
    expect(host.updates).toEqual([]);
    expect(other.updates).toEqual([]);
    await other.close();
  });

  test('by HTTP an unknown tool is a protocol error', async () => {
    await expect(host.call('no_such_tool')).rejects.toMatchObject({ code: -32602 });
  });
});

describe.each(eras)('by HTTP with a token for each caller, a host that speaks %s', (_, connect) => {
  test('a caller cannot confirm a question that was shown to another caller', async () => {
    const home = await Household.start();
    onTestFinished(() => home.close());
    const file = join(await temporaryDirectory(), 'tokens');
    const tokens = ['a', 'b'].map((each) => each.repeat(32));
    await writeFile(file, tokens.join('\n'), { mode: 0o600 });
    const program = await startHttpProgram(['--http-token-file', file], home.env());
    const hosts = await Promise.all(tokens.map((token) => connect({ http: { url: program.url, token } })));
    const [one, other] = hosts;
    const { transaction_id } = await someIds(home.service);
    const args = { transaction_id, confirm: true };
    await one?.call('delete_transaction', args);
    await other?.call('delete_transaction', args);
    expect(await home.transaction(transaction_id)).toBeDefined();
    await one?.call('delete_transaction', args);
    expect(await home.transaction(transaction_id)).toBeUndefined();
    for (const host of hosts) await host.close();
    expect(await program.stop()).toBe(0);
  });
});

test('a server that stops waits at most ten seconds for a service that hangs', async () => {
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
  // The host gets its answer when the server stops waiting. It may have disconnected at that moment.
  const outcome = call.then(
    ({ text }) => text,
    () => 'It is still being looked for.',
  );
  await arrived.next();
  expect(await program.stop()).toBe(0);
  expect(await outcome).toContain('It is still being looked for.');
  await host.close();
  await home.close();
});

/** The log of the server, without the lines at its start. */
const logOf = ({ written }: HttpProgram): unknown[] =>
  written()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

test('a server with a log level for it logs refused requests, but nothing of their bodies', async () => {
  const program = await startHttpProgram(['--demo', '--log-level', 'info']);
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'secret' } });
  expect((await exchange(program.port, requestOf('POST', '/mcp', { headers, body }))).status).toBe(400);
  expect(await program.stop()).toBe(0);
  expect(logOf(program)).toEqual([
    expect.objectContaining({
      level: 30,
      msg: 'transport error',
      error: expect.stringContaining('Rejected inbound request'),
    }),
    expect.objectContaining({ level: 30, msg: 'request', method: 'POST', route: '/mcp', status: 400 }),
  ]);
  expect(program.written()).not.toContain('secret');
});

test.each(eras)('a host of %s without a token or with a wrong token is refused', async (_, connect) => {
  const program = await startHttpProgram(['--demo'], { BUDGET_MCP_HTTP_TOKEN: TOKEN });
  const { url } = program;
  await expect(connect({ http: { url } })).rejects.toThrow();
  await expect(connect({ http: { url, token: `${TOKEN}x` } })).rejects.toThrow();
  const host = await connect({ http: { url, token: TOKEN } });
  await host.close();
  expect(await program.stop()).toBe(0);
});

test('a server without a token says at its start that every program of the machine may call', async () => {
  const program = await startHttpProgram();
  expect(await program.stop()).toBe(0);
  expect(program.written()).toBe(
    `budget-mcp listens on ${program.url}\nNo token is set: every program of every user on this machine may call. Web pages may not call.\n`,
  );
});

test('a server that other machines can reach warns that nothing is encrypted', async () => {
  const program = await startHttpProgram(['--demo', '--host', '0.0.0.0'], { BUDGET_MCP_HTTP_TOKEN: TOKEN });
  expect(await program.stop()).toBe(0);
  expect(program.written()).toContain('\nWarning: on 0.0.0.0 tokens and budgets are sent unencrypted.');
});

test('a server that allows pages of other sites without a token does not start', async () => {
  await expect(startHttpProgram(['--demo', '--allowed-origins', 'https://evil.example'])).rejects.toThrow(
    /https:\/\/evil\.example.*set a token/,
  );
});

test('a server without a token accepts its own address as origin, but no other port', async () => {
  const program = await startHttpProgram();
  const statusOf = async (headers: Record<string, string>) =>
    (await exchange(program.port, requestOf('POST', '/mcp', { headers, body: INITIALIZE }))).status;
  for (const name of ['localhost', '127.0.0.1']) {
    const host = `${name}:${program.port}`;
    expect(await statusOf({ host, origin: `http://${host}` })).toBe(200);
    expect(await statusOf({ host, origin: `https://${host}` })).toBe(403);
    expect(await statusOf({ host, origin: `http://${name}:7001` })).toBe(403);
    expect(await statusOf({ host, origin: `http://${name}` })).toBe(403);
  }
  expect(await program.stop()).toBe(0);
});

const OTHER = 'the-token-of-another-caller-by-http-2';
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** A token file that is replaced as a whole. */
async function tokenFile(...tokens: readonly string[]) {
  const directory = await temporaryDirectory();
  const path = join(directory, 'tokens');
  const put = async (...lines: readonly string[]) => {
    await writeFile(`${path}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  await put(...tokens);
  return { path, put };
}

test('a token that is removed from the file is not valid any more for the running server, and an added one is', async () => {
  const { path, put } = await tokenFile(TOKEN);
  const program = await startHttpProgram(['--demo', '--http-token-file', path]);
  const begin = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return exchange(program.port, requestOf('POST', '/mcp', { headers, body: INITIALIZE }));
  };
  const begun = await begin(TOKEN);
  expect(begun.status).toBe(200);
  expect((await begin(OTHER)).status).toBe(401);
  await put(OTHER);
  expect((await begin(TOKEN)).status).toBe(401);
  expect((await begin(OTHER)).status).toBe(200);

  // With an empty file no token is valid.
  await put();
  for (let time = 0; time < 3; time += 1) {
    expect((await begin(TOKEN)).status).toBe(401);
    expect((await begin(OTHER)).status).toBe(401);
  }
  await put(OTHER, TOKEN);
  expect((await begin(TOKEN)).status).toBe(200);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'mcp-session-id': begun.headers['mcp-session-id'] ?? '',
  };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  const again = await exchange(program.port, requestOf('POST', '/mcp', { headers, body: ping }));
  expect(again.status, 'the session has ended with its token').toBe(404);
  expect(await program.stop()).toBe(0);
  expect(logOf(program)).toEqual([
    expect.objectContaining({ level: 40, count: 0, problem: `${path} is empty.` }),
  ]);
  expect(program.written()).not.toMatch(new RegExp(`${TOKEN}|${OTHER}`));
});

describe.each(eras)('of two callers that speak %s', (_, connect) => {
  test('each write is logged with its caller, but without its content', async () => {
    const home = await Household.start();
    const { path } = await tokenFile(TOKEN, OTHER);
    const program = await startHttpProgram(['--http-token-file', path, '--log-level', 'info'], home.env());
    const { id } = await home.category('Groceries');
    for (const token of [TOKEN, OTHER]) {
      const host = await connect({ http: { url: program.url, token } });
      await host.call('update_category', { category_id: id, note: 'A private note' });
      await host.call('update_category', { category_id: id, note: 'Not written', dry_run: true });
      await host.close();
    }
    const host = await connect({ http: { url: program.url, token: OTHER } });
    await host.call('update_category', { category_id: '00000000-0000-0000-0000-000000000000', note: 'x' });
    await host.close();
    expect(await program.stop()).toBe(0);
    await home.close();

    const label = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 8);
    const writes = logOf(program).filter((line) => JSON.stringify(line).includes('"msg":"write"'));
    const line = (token: string, outcome: string) => ({
      level: 30,
      time: expect.any(String),
      msg: 'write',
      caller: label(token),
      tool: 'update_category',
      outcome,
      request_id: expect.any(String),
    });
    expect(writes).toEqual([
      line(TOKEN, 'written'),
      line(OTHER, 'written'),
      line(OTHER, 'resource_not_found'),
    ]);
    expect(program.written()).not.toMatch(new RegExp(`${TOKEN}|${OTHER}|private|${id}`));
  });

  test('one caller cannot use up the requests of the other', async () => {
    const home = await Household.start({ rateLimit: 200 });
    const { path } = await tokenFile(TOKEN, OTHER);
    const program = await startHttpProgram(['--http-token-file', path, '--cache-mb', '0'], home.env());
    const greedy = await connect({ http: { url: program.url, token: TOKEN } });
    const other = await connect({ http: { url: program.url, token: OTHER } });
    expect((await other.call('list_accounts')).isError).toBe(false);
    const refused = [];
    for (let sent = 0; sent < 230; sent += 1) {
      const { isError, text } = await greedy.call('list_payees');
      if (isError) refused.push(text);
    }
    expect(refused.length).toBeGreaterThan(50);
    expect(refused.at(-1)).toMatch(/Other callers or other programs of the same user may use the token too/);
    for (let sent = 0; sent < 40; sent += 1) expect((await other.call('list_accounts')).isError).toBe(false);
    await greedy.close();
    await other.close();
    expect(await program.stop()).toBe(0);
    await home.close();
  });
});
