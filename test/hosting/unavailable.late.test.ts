/**
 * Answers about tokens that come too late. With a new token, the official clients send a call again, even if they have given it
 * up: it would be carried out beside the call that has followed it.
 */
import { describe, expect, it, test } from 'vitest';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

const HOUR_MS = 3_600_000;

/** A store whose next operation takes as long as `delay` says. */
async function start() {
  const delay = { ms: 0 };
  let pass = (_milliseconds: number) => {};
  const hosting = await startComposed({
    wrapStore: (store: SharedStore) =>
      new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            pass(delay.ms);
            delay.ms = 0;
            return Reflect.apply(value, target, args);
          };
        },
      }),
  });
  pass = (milliseconds) => hosting.clock.advance(milliseconds);
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  return { hosting, client, delay, tokens: await client.tokens() };
}

test('a renewal that takes more than ten seconds gives no token, and the client can ask again', async () => {
  const { hosting, client, delay, tokens } = await start();
  delay.ms = 10_001;
  expect(await client.refresh(tokens.refresh_token)).toEqual({
    status: 503,
    body: { error: 'temporarily_unavailable', error_description: expect.stringContaining('try again') },
  });
  const { access_token: token } = tokensOf(await client.refresh(tokens.refresh_token));
  expect((await hosting.call(token, 'list_accounts')).text).toContain('Checking');
});

test('a renewal within ten seconds gives a token', async () => {
  const { client, delay, tokens } = await start();
  delay.ms = 9_000;
  expect(tokensOf(await client.refresh(tokens.refresh_token)).access_token).not.toBe('');
});

test('a call whose token is refused after more than ten seconds is told to try again, not to renew its token', async () => {
  const { hosting, client, delay, tokens } = await start();
  await client.revoke(tokens.access_token);
  delay.ms = 10_001;
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(503);
  expect((await hosting.call(tokens.access_token, 'list_accounts')).status).toBe(401);
});

describe('a write whose token was refused', () => {
  const coffeeAt = (payee_name: string) => {
    const row = { account_id: 'Checking', date: 'today', amount: -3.5, payee_name };
    return { name: 'create_transactions', arguments: { transactions: [row] } };
  };

  /** A client whose hour is over has sent a write. `log` sends the same call again, or another one. */
  async function refused() {
    const { hosting, client, tokens } = await start();
    const log = (token: string, payee_name = 'Corner Café') => {
      const { name, arguments: args } = coffeeAt(payee_name);
      return hosting.call(token, name, args);
    };
    const logged = async (token: string) => {
      const { text } = await hosting.call(token, 'find_transactions', { since: 'today' });
      return text.split('Corner Café\\" · account').length - 1;
    };
    await hosting.call(tokens.access_token, 'list_accounts');
    hosting.clock.advance(HOUR_MS);
    expect((await log(tokens.access_token)).status).toBe(401);
    const renew = async () => tokensOf(await client.refresh(tokens.refresh_token)).access_token;
    return { clock: hosting.clock, url: hosting.resource, oldToken: tokens.access_token, log, logged, renew };
  }

  it('is not carried out with the new token if that took more than ten seconds, but another call is', async () => {
    const { clock, log, logged, renew } = await refused();
    clock.advance(10_001);
    const token = await renew();
    const late = await log(token);
    // Not another status: after that, the official client of 1.x does not renew its next token.
    expect(late.status).toBe(200);
    const error = { code: -32600, message: expect.stringContaining('It wrote nothing.') };
    expect(JSON.parse(late.text)).toEqual({ jsonrpc: '2.0', id: 1, error });
    expect((await log(token, 'Other Café')).text).toContain('Written.');
    expect(await logged(token)).toBe(0);
    // A client whose calls have no numbers of their own calls again with the same text.
    expect((await log(token)).text).toContain('Written.');
    expect(await logged(token)).toBe(1);
  });

  it('is late from the first time that it arrived, also if it was refused twice', async () => {
    const { clock, log, renew, oldToken } = await refused();
    clock.advance(9_000);
    expect((await log(oldToken)).status).toBe(401);
    clock.advance(2_000);
    expect((await log(await renew())).text).toContain('It wrote nothing.');
  });

  it('is refused with 401 whatever its arguments contain', async () => {
    const { url, oldToken } = await refused();
    for (const transactions of [`${'['.repeat(9_000)}${']'.repeat(9_000)}`, `"${'x'.repeat(100_000)}"`]) {
      const params = `{"name":"create_transactions","arguments":{"transactions":${transactions}}}`;
      const { status } = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${oldToken}`, 'content-type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
      });
      expect(status).toBe(401);
    }
  });

  it('is known in its session of the older era only, since others may number their calls alike', async () => {
    const { hosting, client, tokens } = await start();
    const begin = async (token: string) => {
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      };
      const { headers } = await hosting.send(token, { method: 'initialize', params });
      return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
    };
    const log = (token: string, session: Record<string, string>) =>
      hosting.send(token, { id: 7, method: 'tools/call', params: coffeeAt('Corner Café') }, session);
    const [one, other] = [await begin(tokens.access_token), await begin(tokens.access_token)];
    for (let minutes = 0; minutes < 60; minutes += 20) {
      for (const session of [one, other])
        await hosting.send(tokens.access_token, { id: 1, method: 'ping' }, session);
      hosting.clock.advance(HOUR_MS / 3);
    }
    expect((await log(tokens.access_token, one)).status).toBe(401);
    hosting.clock.advance(10_001);
    const { access_token: token } = tokensOf(await client.refresh(tokens.refresh_token));
    expect((await log(token, other)).text).toContain('Written.');
    expect((await log(token, one)).text).toContain('It wrote nothing.');
  });

  it('is known if it came without a length, and refused with 401 if it does not come to its end', async () => {
    const { hosting, client, tokens } = await start();
    await hosting.call(tokens.access_token, 'list_accounts');
    hosting.clock.advance(HOUR_MS);
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: coffeeAt('Corner Café'),
    });
    const post = (token: string, body: string) =>
      fetch(hosting.resource, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: new Blob([body]).stream(),
        duplex: 'half',
      });
    expect((await post(tokens.access_token, text)).status).toBe(401);
    const large = await post(tokens.access_token, ' '.repeat(100_000));
    expect(large.status).toBe(401);
    expect(large.headers.get('www-authenticate')).toContain('invalid_token');
    hosting.clock.advance(10_001);
    const { access_token: token } = tokensOf(await client.refresh(tokens.refresh_token));
    expect(await (await post(token, text)).text()).toContain('It wrote nothing.');
  });

  it('is carried out with a token that was renewed at once', async () => {
    const { clock, log, renew } = await refused();
    clock.advance(9_000);
    expect((await log(await renew())).text).toContain('Written.');
  });

  it('is carried out ten minutes later, when it is another call with the same text', async () => {
    const { clock, log, renew } = await refused();
    clock.advance(600_000);
    expect((await log(await renew())).text).toContain('Written.');
  });
});
