import { expect, test } from 'vitest';
import { z } from 'zod';
import { Arrivals } from '../arrivals.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { startPassingProxy } from './passing-proxy.helper.ts';

const TOKEN = 'a-token-of-those-who-may-call-by-http';

const line = z.looseObject({ msg: z.string(), request_id: z.string().optional() });

/** The lines of the log. Standard error also has lines for the person who starts the server. */
const linesOf = (program: HttpProgram) =>
  program
    .written()
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => line.parse(JSON.parse(text)));

const messagesOf = (program: HttpProgram, id: string) =>
  linesOf(program)
    .filter(({ request_id }) => request_id === id)
    .map(({ msg, route, tool }) => [msg, route ?? tool].join(': '));

/** A client whose requests have this id. */
const connectAs = (program: HttpProgram, id: string) =>
  connectModern({
    http: {
      url: program.url,
      token: TOKEN,
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set('x-request-id', id);
        return fetch(url, { ...init, headers });
      },
    },
  });

test('log lines of two requests at the same time have the id of their own request', async () => {
  const home = await Household.start();
  const held = new Arrivals<() => void>();
  const { origin, pathname } = new URL(home.service.baseUrl);
  const proxy = await startPassingProxy(origin, async ({ deliver }) => {
    await new Promise<void>((resolve) => held.add(resolve));
    await deliver();
  });
  const program = await startHttpProgram(['--log-level', 'debug'], {
    ...home.env(),
    BUDGET_MCP_BASE_URL: proxy + pathname,
    BUDGET_MCP_HTTP_TOKEN: TOKEN,
  });
  const [first, second] = await Promise.all([connectAs(program, 'first'), connectAs(program, 'second')]);
  const calls = [first.call('get_user'), second.call('list_budgets')];
  // Both are in progress now.
  const passages = [await held.next(), await held.next()];
  for (const pass of passages) pass();
  for (const call of calls) expect((await call).isError).toBe(false);
  await Promise.all([first.close(), second.close()]);
  await program.stop();
  await home.close();

  const services = linesOf(program).filter(({ msg }) => msg === 'request to the service');
  expect(services.map(({ route, request_id }) => [route, request_id]).toSorted()).toEqual([
    ['GET /budgets', 'second'],
    ['GET /user', 'first'],
  ]);
  expect(messagesOf(program, 'first')).toContain('request: /mcp');
  expect(messagesOf(program, 'second')).toContain('request: /mcp');
});

test('a write, its request to the service and its access line have the id, and no line has a token or an amount', async () => {
  const home = await Household.start();
  const program = await startHttpProgram(['--log-level', 'debug'], {
    ...home.env(),
    BUDGET_MCP_HTTP_TOKEN: TOKEN,
  });
  const host = await connectAs(program, 'write-1');
  const account_id = (await home.account('Checking')).id;
  const transaction = { account_id, date: home.today, amount: -731.93 };
  const written = await host.call('create_transactions', { transactions: [transaction] });
  expect(written.isError, written.text).toBe(false);
  await host.close();
  await program.stop();
  await home.close();
  expect(messagesOf(program, 'write-1')).toEqual(
    expect.arrayContaining([
      'write: create_transactions',
      'request to the service: POST /budgets/{budget_id}/transactions',
      'request: /mcp',
    ]),
  );
  const log = JSON.stringify(linesOf(program));
  for (const secret of [TOKEN, home.service.accessToken, '731.93', '731930', account_id])
    expect(log).not.toContain(secret);
});

test('the id of a proxy is kept if it is well formed, health checks are logged at debug only, and no line has the query of an address', async () => {
  const program = await startHttpProgram(['--demo', '--log-level', 'info']);
  const ask = (path: string, id: string) =>
    fetch(new URL(path, program.url), { headers: { 'x-request-id': id } });
  const idOf = async (path: string, id: string) => (await ask(path, id)).headers.get('x-request-id');
  expect(await idOf('/mcp?code=hidden', 'Root=1-67891233-abcdef')).toBe('Root=1-67891233-abcdef');
  const random = /^[\da-f]{8}-[\da-f-]{27}$/;
  expect(await idOf('/healthz', 'with spaces "and" quotes')).toMatch(random);
  expect(await idOf('/readyz', 'x'.repeat(65))).toMatch(random);
  expect(await idOf('/code/hidden', 'known')).toBe('known');
  await program.stop();
  expect(linesOf(program).map(({ msg, route, status }) => [msg, route, status])).toEqual([
    ['request', '/mcp', 405],
    ['request', 'other', 404],
  ]);
  expect(program.written()).not.toContain('hidden');
});
