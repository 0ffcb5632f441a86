import { describe, expect, test } from 'vitest';
import { SyncLocks } from '../../../src/session/sync/sync-locks.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { AutoAdvanceClock } from '../../manual-clock.helper.ts';

function startProcesses() {
  const clock = new AutoAdvanceClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const start = () => new SyncLocks(new MemoryStore(clock, memory), clock);
  const { signal } = new AbortController();
  /** How long the process waited, and whether it got the lock, which it releases. */
  const take = async (locks: SyncLocks) => {
    const before = clock.monotonic();
    const { release } = await locks.take('home', 3_000, signal);
    await release?.();
    return { waitedMs: clock.monotonic() - before, hasLock: release !== undefined };
  };
  return { clock, start, take, signal };
}

describe('the lock of a process that is suspended while it reads a budget', () => {
  test('is waited for once in a minute, so that only one question takes longer', async () => {
    const { clock, start, take, signal } = startProcesses();
    const other = start();
    await start().take('home', 3_000, signal);
    expect(await take(other)).toEqual({ waitedMs: 3_000, hasLock: false });
    expect(await take(other)).toEqual({ waitedMs: 0, hasLock: false });
    clock.advance(59_999);
    expect(await take(other)).toEqual({ waitedMs: 0, hasLock: false });
    clock.advance(1);
    expect(await take(other)).toEqual({ waitedMs: 3_000, hasLock: false });
  });

  test('is waited for again after it was released in between', async () => {
    const { start, take, signal } = startProcesses();
    const [suspended, other] = [start(), start()];
    const { release } = await suspended.take('home', 3_000, signal);
    await take(other);
    await release?.();
    expect(await take(other)).toEqual({ waitedMs: 0, hasLock: true });
    await suspended.take('home', 3_000, signal);
    expect(await take(other)).toEqual({ waitedMs: 3_000, hasLock: false });
  });
});
