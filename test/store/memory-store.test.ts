import { expect, it } from 'vitest';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { describeSharedStore, describeSharingProcesses } from './shared-store-contract.helper.ts';

describeSharedStore('in memory', async (clock) => new MemoryStore(clock));

describeSharingProcesses('in memory', async (clock, count) => {
  const memory = new SharedMemory();
  return Array.from({ length: count }, () => new MemoryStore(clock, memory));
});

it('a store in memory gives a change the time of its process', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  clock.advance(1_000);
  const now = await new MemoryStore(clock).update('a', (_, now) => ({ value: 1, result: now }));
  expect(now).toEqual({ wall: Date.parse('2026-11-21T12:00:01Z'), monotonic: 1_000 });
});
