import { expect, test } from 'vitest';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { startComposed } from './composed.helper.ts';

/** The store with other changes. */
const withUpdate = (store: SharedStore, update: () => Promise<void>): SharedStore =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'update') return update;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function start() {
  let update = async () => {};
  let onUpdate = () => {};
  const hosting = await startComposed({
    wrapStore: (store) =>
      withUpdate(store, () => {
        onUpdate();
        return update();
      }),
  });
  return {
    ...hosting,
    ready: async () => {
      const response = await fetch(`${hosting.url}/readyz`);
      return { status: response.status, text: await response.text() };
    },
    /** Replaces the changes of the common store. What was found out before does not count any more. */
    changeBy(other: () => Promise<void>) {
      update = other;
      hosting.clock.advance(3_000);
    },
    /** Resolves with the next change. */
    nextChange: () =>
      new Promise<void>((resolve) => {
        onUpdate = resolve;
      }),
  };
}

test('a hosted server whose store stalls is not ready after two seconds, and still healthy', async () => {
  const { clock, ready, changeBy, nextChange, url } = await start();
  expect(await ready()).toEqual({ status: 200, text: '{"status":"ready"}' });
  changeBy(() => new Promise(() => {}));
  const changing = nextChange();
  const asked = ready();
  await changing;
  clock.advance(2_000);
  expect(await asked).toEqual({
    status: 503,
    text: '{"status":"not ready","reason":"The storage cannot be used now."}',
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  changeBy(async () => {});
  expect((await ready()).status).toBe(200);
});

test('those who ask within three seconds whether a hosted server is ready get the same answer', async () => {
  const { isReady, changeBy, clock } = await start();
  let changes = 0;
  changeBy(async () => {
    changes += 1;
  });
  expect(await Promise.all([isReady(), isReady(), isReady()])).toEqual([true, true, true]);
  clock.advance(2_999);
  expect([await isReady(), changes]).toEqual([true, 1]);
  clock.advance(1);
  expect([await isReady(), changes]).toEqual([true, 2]);
});

test('a hosted server whose store fails is not ready, says nothing about the store, and logs once a minute why', async () => {
  const { ready, changeBy, logged } = await start();
  changeBy(async () => {
    throw new StoreError('redis://user:password@10.0.0.7 refused');
  });
  for (const { status, text } of [await ready(), await ready()]) {
    expect(status).toBe(503);
    expect(text).not.toMatch(/redis|10\.0\.0\.7|password/);
  }
  changeBy(async () => {});
  expect((await ready()).status).toBe(200);
  expect(logged.filter((line) => line.includes('storage'))).toEqual([
    'error the storage cannot be used {"reason":"redis://user:password@10.0.0.7 refused"} ',
  ]);
});

test('the answer to a request that met a bug names the request, and not the bug', async () => {
  const { url, changeBy, logged } = await start();
  changeBy(async () => {
    throw new TypeError('a bug with a secret');
  });
  const answer = await fetch(`${url}/readyz`, { headers: { 'x-request-id': 'balancer-7' } });
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toContain('The details are in its log, at the request balancer-7.');
  expect(text).not.toContain('a bug');
  expect(logged.some((line) => line.includes('a bug with a secret'))).toBe(true);
});
