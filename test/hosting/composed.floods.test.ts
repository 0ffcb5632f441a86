/** What strangers can send without a token, however much it is, leaves the others alone. */
import { expect, onTestFinished, test } from 'vitest';
import { opened, requestOf } from '../raw-http.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient, register } from './oauth-client.helper.ts';

type Hosting = Awaited<ReturnType<typeof startComposed>>;

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
  await expect.poll(() => cutOff().length, { timeout: 60_000 }).toBe(paths.length);
  expect((await fetch(`${hosting.url}/account`)).status).toBe(200);
  expect(hosting.logged.filter((line) => !line.startsWith('debug'))).toEqual([]);
});
