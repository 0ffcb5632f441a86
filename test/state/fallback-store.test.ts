import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FallbackListeners, FallbackStore } from '../../src/state/fallback-store.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import type { StoreError } from '../../src/state/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { describeSharedStore, describeSharingProcesses, valuesOf } from './shared-store-contract.helper.ts';
import { openStore, sqlite, temporaryDirectory } from './sqlite.helper.ts';

const START = '2026-11-21T12:00:00Z';

const ignored: FallbackListeners = { onBlocked: () => {}, onFree: () => {}, onFailure: () => {} };

describeSharedStore(
  'that can go on in memory',
  async (clock) => new FallbackStore(new MemoryStore(clock), clock, ignored),
);

describeSharingProcesses('that can go on in memory', async (clock, count) => {
  const memory = new SharedMemory();
  return Array.from(
    { length: count },
    () => new FallbackStore(new MemoryStore(clock, memory), clock, ignored),
  );
});

describe.skipIf(!sqlite)('a store whose file fails', () => {
  async function openFailing() {
    const clock = new ManualClock(START);
    const path = join(temporaryDirectory(), 'state.db');
    const failures: StoreError[] = [];
    const store = new FallbackStore(await openStore(path, clock), clock, {
      ...ignored,
      onFailure: (error) => failures.push(error),
    });
    const fail = () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      clock.advance(1_000);
    };
    return { store, failures, fail, path };
  }

  it('goes on in memory with the records that were used, and says once why', async () => {
    const { store, failures, fail, path } = await openFailing();
    await store.update('used', () => ({ value: { count: 1 }, result: undefined }));
    await store.append('log', 'entry');
    expect(store.isShared).toBe(true);
    fail();
    const before = await store.update('used', (value) => ({ value: { count: 2 }, result: value }));
    expect(before).toEqual({ count: 1 });
    expect(await store.read('used')).toEqual({ count: 2 });
    expect(await valuesOf(store, 'log')).toEqual([]);
    expect(store.isShared).toBe(false);
    expect(store.version).toBe(store.version);
    expect(failures.map(({ reason }) => reason)).toEqual(['removed or replaced']);
    expect(existsSync(path)).toBe(false);
  });

  it('does not take other processes for ended, whose writes would then be taken over', async () => {
    const { store, fail, path } = await openFailing();
    const other = await openStore(path, new ManualClock(START));
    fail();
    await store.read('a');
    expect(await store.isRunning(other.processId)).toBe(true);
  });

  it('does not fail what still goes on when it is closed, and says nothing', async () => {
    const { store, failures } = await openFailing();
    await store.update('a', () => ({ value: 1, result: undefined }));
    await store.close();
    await store.append('log', 'entry');
    expect(await store.update('a', (value) => ({ value: 2, result: value }))).toBe(1);
    expect(store.isShared).toBe(false);
    expect(failures).toEqual([]);
  });

  it('still excludes other processes by its locks', async () => {
    const { store, fail, path } = await openFailing();
    fail();
    await store.read('a');
    const other = await openStore(path, new ManualClock(START));
    const release = await store.lock('turn', { waitMs: 0 });
    expect(await other.lock('turn', { waitMs: 0 })).toBeUndefined();
    await release?.();
    const released = await other.lock('turn', { waitMs: 0 });
    expect(released).toBeDefined();
    expect(await store.lock('turn', { waitMs: 0 })).toBeUndefined();
    await released?.();
  });

  it('still counts as running for the other processes', async () => {
    const { store, fail } = await openFailing();
    fail();
    await store.read('a');
    expect(await store.isRunning(store.processId)).toBe(true);
  });
});
