/** How often the store that all people have in common is asked about the token of a request. */
import { expect, test } from 'vitest';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

/** A store that notes its operations in `operations`. */
const noting = (store: SharedStore, operations: string[]): SharedStore =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        operations.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });

async function start() {
  const operations: string[] = [];
  const hosting = await startComposed({ wrapStore: (store) => noting(store, operations) });
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  const { access_token: token } = await client.tokens();
  await hosting.call(token, 'list_accounts');
  operations.length = 0;
  return { hosting, client, token, operations };
}

test('a request with a token that is known asks the common store once and writes nothing to it', async () => {
  const { hosting, token, operations } = await start();
  for (const _ of [1, 2]) {
    expect((await hosting.call(token, 'list_accounts')).text).toContain('Checking');
    expect(operations.splice(0)).toEqual(['look']);
  }
});

test('a request with a token that was revoked asks once as well', async () => {
  const { hosting, client, token, operations } = await start();
  await client.revoke(token);
  operations.length = 0;
  expect((await hosting.call(token, 'list_accounts')).status).toBe(401);
  expect(operations).toEqual(['look']);
});
