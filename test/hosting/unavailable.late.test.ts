/**
 * Answers about tokens that come too late. With a new token, the official clients send a call again, even if they have given it
 * up: it would be carried out beside the call that has followed it.
 */
import { expect, test } from 'vitest';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

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
