import { describe, expect, test } from 'vitest';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { OtherProcesses } from '../../../src/session/session-writes.ts';
import { PendingWrites } from '../../../src/session/writes/pending-writes.ts';
import { LaterChanges } from '../../../src/store/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { AutoAdvanceClock } from '../../manual-clock.helper.ts';

const REQUESTED = new Error('The budget was requested.');

function startProcesses() {
  const clock = new AutoAdvanceClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const { signal } = new AbortController();
  const wanted = { budgetId: 'home', isFullLoad: false, signal, onProgress: () => {} };
  const start = () => {
    const store = new MemoryStore(clock, memory);
    const others = new OtherProcesses({
      store,
      status: () => ({ shared: true }),
      clock,
      marks: new Watermarks(clock),
      pending: new PendingWrites(store, clock, new LaterChanges(clock)),
      recordCreated: () => {},
      adopt: async () => {},
    });
    /** How long the process waits before it requests the budget. */
    const waitedMs = async () => {
      const before = clock.monotonic();
      await expect(others.of(wanted.budgetId).alone(wanted, () => Promise.reject(REQUESTED))).rejects.toBe(
        REQUESTED,
      );
      return clock.monotonic() - before;
    };
    /** Requests the budget, and is suspended until the returned function is called. */
    const suspend = () =>
      new Promise<() => Promise<void>>((suspended) => {
        const reading = others.of(wanted.budgetId).alone(wanted, () => {
          return new Promise((_, reject) => {
            suspended(async () => {
              reject(REQUESTED);
              await expect(reading).rejects.toBe(REQUESTED);
            });
          });
        });
      });
    return { waitedMs, suspend };
  };
  return { clock, memory, start };
}

test('a process takes no lock for a read if no other one had the state open when it looked', async () => {
  const { memory, start } = startProcesses();
  const process = start();
  await process.waitedMs();
  const goOn = await process.suspend();
  expect([...memory.locks.keys()]).toEqual([]);
  await goOn();
  start();
  await process.waitedMs();
  await process.suspend();
  expect([...memory.locks.keys()]).toEqual(['read home']);
});

describe('the lock of a process that is suspended while it reads a budget', () => {
  test('is waited for once in a minute, so that only one question takes longer', async () => {
    const { clock, start } = startProcesses();
    const other = start();
    await start().suspend();
    expect(await other.waitedMs()).toBe(20_000);
    expect(await other.waitedMs()).toBe(0);
    clock.advance(59_999);
    expect(await other.waitedMs()).toBe(0);
    clock.advance(1);
    expect(await other.waitedMs()).toBe(20_000);
  });

  test('is waited for again after it was released in between', async () => {
    const { start } = startProcesses();
    const [suspended, other] = [start(), start()];
    const goOn = await suspended.suspend();
    await other.waitedMs();
    await goOn();
    expect(await other.waitedMs()).toBe(0);
    await suspended.suspend();
    expect(await other.waitedMs()).toBe(20_000);
  });
});
