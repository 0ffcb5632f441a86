import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { yieldTurn } from '../../src/base/clock.ts';
import { FallbackStore } from '../../src/store/fallback-store.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { SharedStore } from '../../src/store/shared-store.ts';
import type { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { describeSharedStore, describeSharingProcesses, valuesOf } from './shared-store-contract.helper.ts';
import { openDatabase, openStore, sqlite, temporaryDirectory } from './sqlite.helper.ts';

const START = '2026-11-21T12:00:00Z';

const ignored = () => {};

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
    const store = new FallbackStore(await openStore(path, clock), clock, (error) => failures.push(error));
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
    fail();
    const before = await store.update('used', (value) => ({ value: { count: 2 }, result: value }));
    expect(before).toEqual({ count: 1 });
    expect(await store.read('used')).toEqual({ count: 2 });
    expect(await valuesOf(store, 'log')).toEqual([]);
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

describe.skipIf(!sqlite)('a store whose file another process blocks', () => {
  const add = (store: SharedStore, number: number) =>
    store.update('sum', (sum) => ({ value: Number(sum ?? 0) + number, result: undefined }));

  async function openTwo() {
    const clock = new ManualClock(START);
    const path = join(temporaryDirectory(), 'state.db');
    const open = async () =>
      new FallbackStore(await openStore(path, clock), clock, () => expect.unreachable());
    return { clock, path, one: await open(), other: await open() };
  }

  it('refuses changes after eight seconds, makes none of them later, and can be read meanwhile', async () => {
    const { clock, path, one, other } = await openTwo();
    await add(one, 1);
    await one.append('log', 'before');
    const end = startWriting(path);
    const changes = [add(one, 10), add(other, 100), one.append('log', 'refused'), one.trim('log')];
    const outcomes = Promise.allSettled(changes);
    await yieldTurn();
    clock.advance(8_000);
    const blocked = expect.objectContaining({ code: 'storage_unavailable', isBlocked: true });
    expect(await outcomes).toEqual(changes.map(() => ({ status: 'rejected', reason: blocked })));
    expect([await one.read('sum'), await valuesOf(one, 'log')]).toEqual([1, ['before']]);
    end();
    clock.advance(60_000);
    await add(other, 1_000);
    expect([await one.read('sum'), await valuesOf(one, 'log')]).toEqual([1_001, ['before']]);
  });

  it('still gives a lock to one process only', async () => {
    const { path, one, other } = await openTwo();
    const end = startWriting(path);
    const release = await one.lock('write', { waitMs: 0 });
    expect(await other.lock('write', { waitMs: 0 })).toBeUndefined();
    end();
    await release?.();
    expect(await other.lock('write', { waitMs: 0 })).toBeDefined();
  });
});

/** Begins to write to the file and does not end, until the returned function is called. */
function startWriting(path: string): () => void {
  const writer = openDatabase(path);
  writer.exec('BEGIN IMMEDIATE');
  return () => {
    writer.exec('ROLLBACK');
    writer.close();
  };
}
