import { expect, test } from 'vitest';
import { connected, exchange } from '../raw-http.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

const HOUR = 3_600_000;

const payee = { transactions: [{ account_id: 'Checking', date: 'today', amount: -1, payee_name: 'Bakery' }] };

async function start() {
  const hosting = await startComposed();
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  return { hosting, client };
}

test('when the budgeting service ends a sign-in, the client is told to sign in again', async () => {
  const { hosting, client } = await start();
  const tokens = await client.tokens();
  const { access_token: token } = tokens;
  expect((await hosting.call(token, 'list_accounts')).text).toContain('Checking');
  for (const { id } of hosting.service.oauth.authorizations.of(hosting.service.user))
    hosting.service.oauth.authorizations.revoke(id);
  hosting.clock.advance(HOUR / 2);
  const refused = await hosting.call(token, 'list_accounts');
  expect(refused.text).toContain('the assistant can open the sign-in page of this server.');
  await expect.poll(() => hosting.call(token, 'list_accounts')).toMatchObject({ status: 401 });
  expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
  expect(tokensOf(await client.exchange(await client.code()))).toBeDefined();
});

test('a wrong secret of the application in the settings ends no access', async () => {
  const { hosting, client } = await start();
  const first = await client.tokens();
  const { clientSecret } = hosting.application;
  hosting.application.clientSecret = 'wrong';
  hosting.clock.advance(3 * HOUR);
  const { access_token: token } = tokensOf(await client.refresh(first.refresh_token));
  const refused = await hosting.call(token, 'list_accounts');
  expect(refused.text).toContain('does not accept the id or the secret');
  hosting.application.clientSecret = clientSecret;
  expect((await hosting.call(token, 'list_accounts')).text).toContain('Checking');
});

test('a request whose body is complete only after the end of its access is refused', async () => {
  const { hosting, client } = await start();
  const { access_token: token } = await client.tokens();
  await hosting.call(token, 'list_accounts');
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  const socket = await connected(hosting.port);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${hosting.port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // Another request, answered after the headers of the first one were read.
  await hosting.call(token, 'list_accounts');
  await client.revoke(token);
  socket.write(body.slice(5));
  await expect.poll(() => answer).toContain('\r\n\r\n');
  expect(answer).toContain(' 401 ');
});

test('a token for reading only does not change what another token of its grant may do', async () => {
  const { hosting, client } = await start();
  const first = await client.tokens();
  const narrow = tokensOf(await client.refresh(first.refresh_token, { scope: 'budget:read' }));
  expect((await hosting.call(narrow.access_token, 'list_accounts')).status).toBe(200);
  const refused = await hosting.call(narrow.access_token, 'create_transactions', payee);
  expect(refused.status).toBe(403);
  expect((await hosting.call(first.access_token, 'create_transactions', payee)).text).toContain('Written.');
});

test('a session that was begun with a token for writing does not exist for one for reading only', async () => {
  const { hosting, client } = await start();
  const first = await client.tokens();
  const narrow = tokensOf(await client.refresh(first.refresh_token, { scope: 'budget:read' }));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const begun = await hosting.send(first.access_token, { method: 'initialize', params });
  const session = {
    'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  const list = { method: 'tools/list', params: {} };
  expect((await hosting.send(first.access_token, list, session)).status).toBe(200);
  expect((await hosting.send(narrow.access_token, list, session)).status).toBe(404);
});

test('a person who signs in twice has two accesses, and the end of one leaves the other', async () => {
  const { hosting, client } = await start();
  const [one, other] = [await client.tokens(), await client.tokens()];
  await hosting.call(one.access_token, 'list_accounts');
  await hosting.call(other.access_token, 'list_accounts');
  await client.revoke(one.access_token);
  expect((await hosting.call(one.access_token, 'list_accounts')).status).toBe(401);
  expect((await hosting.call(other.access_token, 'list_accounts')).text).toContain('Checking');
});

test('two requests at once after the end of a token of the budgeting service renew it once', async () => {
  const { hosting, client } = await start();
  const first = await client.tokens();
  await hosting.call(first.access_token, 'list_accounts');
  hosting.clock.advance(3 * HOUR);
  const { access_token: token } = tokensOf(await client.refresh(first.refresh_token));
  const answers = await Promise.all([1, 2, 3].map(() => hosting.call(token, 'list_accounts')));
  for (const { text } of answers) expect(text).toContain('Checking');
  expect(hosting.service.oauth.authorizations.refreshReuses).toEqual({ accepted: 0, refused: 0 });
});

test('a form that is too large or malformed is not an error of the server', async () => {
  const { hosting } = await start();
  const post = async (path: string, type: string, body: string) => {
    const headers = { 'content-type': type };
    return (await fetch(`${hosting.url}${path}`, { method: 'POST', headers, body })).status;
  };
  for (const path of ['/account/revoke', '/account/delete', '/interaction/x']) {
    expect(await post(path, 'application/x-www-form-urlencoded', `csrf=${'x'.repeat(10_000)}`)).toBe(413);
    expect(await post(path, 'multipart/form-data; boundary=x', 'no form')).toBe(400);
    expect(await post(path, 'multipart/form-data', 'no form')).toBe(400);
  }
  expect(hosting.logged.filter((line) => line.startsWith('error'))).toEqual([]);
});

test('the address in the first line of a request does not become an address of this server', async () => {
  const { hosting, client } = await start();
  const { pathname, search } = client.url();
  const answer = await exchange(
    hosting.port,
    `GET http://evil.example${pathname}${search} HTTP/1.1\r\nhost: evil.example\r\nx-forwarded-host: evil.example\r\nforwarded: host=evil.example\r\n\r\n`,
  );
  expect(JSON.stringify(answer)).not.toContain('evil.example');
  const metadata = await exchange(
    hosting.port,
    'GET http://evil.example/.well-known/oauth-authorization-server HTTP/1.1\r\nhost: evil.example\r\n\r\n',
  );
  expect(metadata.body).not.toContain('evil.example');
});
