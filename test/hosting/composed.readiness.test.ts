import { expect, test } from 'vitest';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { startComposed } from './composed.helper.ts';

/** The store with other reads. */
const withRead = (store: SharedStore, read: SharedStore['read']): SharedStore =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function start() {
  let read: SharedStore['read'] = async () => undefined;
  let onRead = () => {};
  const hosting = await startComposed({
    wrapStore(store) {
      read = (name) => store.read(name);
      return withRead(store, (name) => {
        onRead();
        return read(name);
      });
    },
  });
  return {
    ...hosting,
    ready: async () => {
      const response = await fetch(`${hosting.url}/readyz`);
      return { status: response.status, text: await response.text() };
    },
    /** Replaces the reads of the common store. */
    readBy(other: SharedStore['read']) {
      read = other;
    },
    /** Resolves with the next read. */
    nextRead: () =>
      new Promise<void>((resolve) => {
        onRead = resolve;
      }),
  };
}

test('a hosted server whose store stalls is not ready after two seconds, and still healthy', async () => {
  const { clock, ready, readBy, nextRead, url } = await start();
  expect(await ready()).toEqual({ status: 200, text: '{"status":"ready"}' });
  readBy(() => new Promise(() => {}));
  const reading = nextRead();
  const asked = ready();
  await reading;
  clock.advance(2_000);
  expect(await asked).toEqual({
    status: 503,
    text: '{"status":"not ready","reason":"The storage does not answer."}',
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  readBy(async () => undefined);
  expect((await ready()).status).toBe(200);
});

test('those who ask whether a hosted server is ready while it is checked get the same answer', async () => {
  const { isReady, readBy } = await start();
  let reads = 0;
  let resume = () => {};
  readBy(
    () =>
      new Promise((resolve) => {
        reads += 1;
        resume = () => resolve(undefined);
      }),
  );
  const asked = [isReady(), isReady(), isReady()];
  resume();
  expect(await Promise.all(asked)).toEqual([true, true, true]);
  expect(reads).toBe(1);
});

test('a hosted server whose store fails is not ready, says nothing about the store, and logs once a minute why', async () => {
  const { ready, readBy, logged } = await start();
  readBy(async () => {
    throw new StoreError('redis://user:password@10.0.0.7 refused');
  });
  for (const { status, text } of [await ready(), await ready()]) {
    expect(status).toBe(503);
    expect(text).not.toMatch(/redis|10\.0\.0\.7|password/);
  }
  readBy(async () => undefined);
  expect((await ready()).status).toBe(200);
  expect(logged.filter((line) => line.includes('storage'))).toEqual([
    'error the storage cannot be used {"reason":"redis://user:password@10.0.0.7 refused"} ',
  ]);
});

test('the answer to a request that met a bug names the request, and not the bug', async () => {
  const { url, readBy, logged } = await start();
  readBy(async () => {
    throw new TypeError('a bug with a secret');
  });
  const answer = await fetch(`${url}/readyz`, { headers: { 'x-request-id': 'balancer-7' } });
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toContain('The details are in its log, at the request balancer-7.');
  expect(text).not.toContain('a bug');
  expect(logged.some((line) => line.includes('a bug with a secret'))).toBe(true);
});
