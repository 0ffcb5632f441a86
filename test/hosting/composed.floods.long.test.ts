/** What strangers can send without a token, however much it is, leaves the others alone. */
import { expect, onTestFinished, test } from 'vitest';
import { connected, opened, requestOf } from '../raw-http.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient, register, tokensOf } from './oauth-client.helper.ts';

type Hosting = Awaited<ReturnType<typeof startComposed>>;

const MINUTE = 60_000;

/** A client that a person has allowed something, from the address 127.0.0.1 like all requests of this file without a header. */
async function start() {
  const hosting = await startComposed();
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  const tokens = await client.tokens();
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(200);
  return { hosting, client, tokens };
}

/** The nth network, as a proxy in front of the server shows it. */
const networkOf = (nth: number) =>
  nth % 2 === 0 ? `198.18.${nth >> 8}.${nth & 255}` : `2606:${nth.toString(16)}:1::1`;

/** Sends the nth request from the nth network, some of them at once. Returns their statuses. */
async function flood(
  { url }: Hosting,
  { path, requests, networks, ...init }: { path: string; requests: number; networks: number } & RequestInit,
): Promise<Set<number>> {
  const statuses = new Set<number>();
  let sent = 0;
  const worker = async () => {
    while (sent < requests) {
      const headers = { ...init.headers, 'x-forwarded-for': networkOf(sent % networks) };
      sent += 1;
      const answer = await fetch(url + path, { redirect: 'manual', ...init, headers });
      await answer.body?.cancel();
      statuses.add(answer.status);
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  return statuses;
}

const registration = {
  path: '/oauth/register',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_name: 'Many', redirect_uris: ['http://127.0.0.1/callback'] }),
};

/** What is refused is tried again when the answer says, with `between` before each time. Returns how long that took. */
async function untilAnswered(
  { clock }: Hosting,
  send: () => Promise<Response>,
  between: () => Promise<unknown>,
) {
  const startedAt = clock.monotonic();
  for (;;) {
    await between();
    const answer = await send();
    await answer.body?.cancel();
    if (answer.status !== 429) return { status: answer.status, waitedMs: clock.monotonic() - startedAt };
    clock.advance(Number(answer.headers.get('retry-after')) * 1_000);
  }
}

/** A request with headers that announce a body, which the server has read. */
async function withoutBody({ port, url }: Hosting, path: string, address: string) {
  const headers = {
    host: new URL(url).host,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': '100',
    'x-forwarded-for': address,
    expect: '100-continue',
  };
  const connection = await opened(port, requestOf('POST', path, { headers }));
  onTestFinished(() => void connection.socket.destroy());
  await connection.until('100 Continue');
  return connection;
}

test('requests whose bodies never come take no place, and end after five seconds', async () => {
  const { hosting, client, tokens } = await start();
  const paths = ['/oauth/token', '/oauth/register', '/account/sign-in'];
  const idle = await Promise.all(
    Array.from({ length: 300 }, (_, nth) => withoutBody(hosting, paths[nth % 3] ?? '', networkOf(nth % 20))),
  );
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  const other = await OAuthClient.register(hosting, { client_name: 'Another one' });
  const { access_token: token } = await other.tokens();
  expect((await hosting.call(token, 'list_accounts')).status).toBe(200);
  hosting.clock.advance(5_000);
  for (const { until } of idle) expect(await until('5 seconds')).toContain(' 408 ');
});

test('of very many requests whose bodies never come, the oldest is given up', async () => {
  const { hosting } = await start();
  const first = await withoutBody(hosting, '/oauth/token', networkOf(0));
  await Promise.all(
    Array.from({ length: 512 }, (_, nth) => withoutBody(hosting, '/oauth/token', networkOf(nth))),
  );
  expect(await first.until('5 seconds')).toContain('5 seconds');
  expect((await register(hosting, {})).status).toBe(201);
});

test('a body that is too large is refused', async () => {
  const { hosting } = await start();
  for (const path of ['/oauth/token', '/oauth/revoke', '/account/sign-in']) {
    const body = new URLSearchParams({ token: 'x'.repeat(70_000) });
    expect((await fetch(hosting.url + path, { method: 'POST', body })).status, path).toBe(413);
  }
});

test('a body that is cut off leaves no line in the log', async () => {
  const { hosting } = await start();
  const paths = ['/oauth/token', '/oauth/register', '/oauth/revoke', '/account/revoke', '/interaction/x'];
  for (const path of paths) {
    const { socket } = await withoutBody(hosting, path, '203.0.113.1');
    socket.write('grant_type=');
    socket.destroy();
  }
  const cutOff = () => hosting.ended.filter(({ status }) => status === 0 || status === 400);
  await expect.poll(() => cutOff().length).toBe(paths.length);
  expect((await fetch(`${hosting.url}/account`)).status).toBe(200);
  expect(hosting.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
});

test('a flood of registrations leaves known clients untouched, and a new one registers within a minute', async () => {
  const { hosting, client, tokens } = await start();
  const attack = () => flood(hosting, { ...registration, requests: 250, networks: 250 });
  for (let round = 0; round < 3; round += 1) await attack();
  expect(await attack()).toEqual(new Set([429]));
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(200);
  const address = { 'x-forwarded-for': '203.0.113.9' };
  const send = () =>
    fetch(hosting.url + registration.path, {
      ...registration,
      headers: { ...registration.headers, ...address },
    });
  const { status, waitedMs } = await untilAnswered(hosting, send, attack);
  expect(status).toBe(201);
  expect(waitedMs).toBeLessThan(MINUTE);
});

test('a flood of pages leaves renewals and calls untouched, and others sign in within a minute', async () => {
  const { hosting, client, tokens } = await start();
  const pages = (requests: number) => flood(hosting, { path: '/account', requests, networks: 100 });
  const sign = () =>
    flood(hosting, { path: '/account/sign-in', method: 'POST', requests: 700, networks: 100 });
  await sign();
  await pages(6_000);
  expect(await pages(100)).toContain(429);
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(200);
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const begin = () =>
    fetch(`${hosting.url}/account/sign-in`, { method: 'POST', redirect: 'manual', headers });
  const { status, waitedMs } = await untilAnswered(hosting, begin, () => pages(200));
  expect(status).toBe(303);
  expect(waitedMs).toBeLessThan(MINUTE);
  const flooding = pages(1_000);
  const { access_token: token } = await client.tokens();
  expect(await flooding).toContain(429);
  expect((await hosting.call(token, 'list_accounts')).status).toBe(200);
});

test('a flood of unknown tokens is refused at its address, where tokens that were valid before still are', async () => {
  const { hosting, client, tokens } = await start();
  const unknown = (nth: number, address = '127.0.0.1') =>
    hosting.send(`unknown-token-${nth}-aaaaaaaaaaaa`, { method: 'ping' }, { 'x-forwarded-for': address });
  let answer = await unknown(0);
  expect(answer.status).toBe(401);
  for (let nth = 1; answer.status === 401 && nth < 2_000; nth += 1) answer = await unknown(nth);
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(200);
  expect((await unknown(0, '203.0.113.9')).status).toBe(401);
  // Their renewals count as pages then.
  const { access_token: renewed } = tokensOf(await client.refresh(tokens.refresh_token));
  hosting.clock.advance(1_000);
  expect((await hosting.call(renewed, 'list_accounts')).status).toBe(200);
});

test('300 open connections refuse no call and no sign-in, on a connection that was open before or on a new one', async () => {
  const { hosting, client, tokens } = await start();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const headers = { host: new URL(hosting.url).host, authorization: `Bearer ${tokens.access_token}` };
  const kept = await opened(hosting.port, requestOf('GET', '/healthz', { headers }));
  await kept.until('ok');
  for (let nth = 0; nth < 300; nth += 1) {
    const socket = await connected(hosting.port);
    onTestFinished(() => void socket.destroy());
    if (nth % 3 === 1) socket.write('POST /oauth/token HTTP/1.1\r\nhost:');
    if (nth % 3 === 2)
      socket.write(requestOf('GET', '/account', { headers: { 'x-forwarded-for': networkOf(nth) } }));
  }
  kept.socket.write(requestOf('POST', '/mcp', { headers, body }));
  expect(await kept.until('serverInfo')).toContain('serverInfo');
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(200);
  expect(tokensOf(await client.refresh(tokens.refresh_token))).toBeDefined();
});
