import { expect, it } from 'vitest';
import { storeReadiness } from '../../src/hosting/store-readiness.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const START = '2026-11-22T12:00:00Z';

/** A store whose reads wait until a test lets them continue. */
function stallable(clock: ManualClock) {
  const store = new MemoryStore(clock);
  let stalled = Promise.resolve();
  let reads = 0;
  return {
    read: async (name: string) => {
      reads += 1;
      await stalled;
      return store.read(name);
    },
    get reads() {
      return reads;
    },
    /** Until the returned function is called, with an error if the reads fail. */
    stall() {
      let end = (_error?: Error) => {};
      stalled = new Promise((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve());
      });
      stalled.catch(() => {});
      return (error?: Error) => end(error);
    },
  };
}

function start() {
  const clock = new ManualClock(START);
  const store = stallable(clock);
  const changes: boolean[] = [];
  const isReady = storeReadiness({ store, clock, onChange: (isReady) => changes.push(isReady) });
  return { clock, store, changes, isReady };
}

it('a store that answers is ready, and leaves no timer', async () => {
  const { clock, isReady, changes } = start();
  expect(await isReady()).toBe(true);
  expect(clock.nextWakeIn).toBeUndefined();
  expect(changes).toEqual([]);
});

it('a store that stalls is not ready after two seconds, and is read once for all who ask meanwhile', async () => {
  const { clock, store, isReady, changes } = start();
  const resume = store.stall();
  const asked = [isReady(), isReady(), isReady()];
  expect(clock.nextWakeIn).toBe(2_000);
  clock.advance(2_000);
  expect(await Promise.all(asked)).toEqual([false, false, false]);
  expect(store.reads).toBe(1);
  resume();
  expect(await isReady()).toBe(true);
  expect(changes).toEqual([false, true]);
});

it('a store that fails is not ready, and only changes are reported', async () => {
  const { store, isReady, changes } = start();
  store.stall()(new StoreError('not usable'));
  expect(await isReady()).toBe(false);
  expect(await isReady()).toBe(false);
  expect(changes).toEqual([false]);
});

it('an error that the store does not explain is a bug, and reaches the one who asks', async () => {
  const { store, isReady } = start();
  store.stall()(new TypeError('a bug'));
  await expect(isReady()).rejects.toThrow('a bug');
});
