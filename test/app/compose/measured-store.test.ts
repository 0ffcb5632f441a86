import { expect, it } from 'vitest';
import { measured } from '../../../src/app/compose/measured-store.ts';
import type { Metrics } from '../../../src/base/metrics.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { describeSharedStore } from '../../store/shared-store-contract.helper.ts';

const START = '2026-11-22T12:00:00Z';

/** Notes the operations of stores. */
function notes() {
  const noted: (readonly [string, string, number])[] = [];
  const metrics: Metrics = {
    httpRequest: () => {},
    toolCall: () => {},
    serviceRequest: () => {},
    storeOperation: (operation) => (outcome, milliseconds) => noted.push([operation, outcome, milliseconds]),
    watch: () => () => {},
  };
  return { noted, metrics };
}

describeSharedStore('that is measured', async (clock) =>
  measured(new MemoryStore(clock), clock, notes().metrics),
);

it('a store is not wrapped if nothing is measured', () => {
  const clock = new ManualClock(START);
  const store = new MemoryStore(clock);
  expect(measured(store, clock, undefined)).toBe(store);
});

it('the time of a lock includes the wait, and a lock that is not free in time is missed', async () => {
  const clock = new ManualClock(START);
  const memory = new SharedMemory();
  const release = await new MemoryStore(clock, memory).lock('a', { waitMs: 0 });
  const { noted, metrics } = notes();
  const store = measured(new MemoryStore(clock, memory), clock, metrics);
  const missed = store.lock('a', { waitMs: 500 });
  clock.advance(500);
  expect(await missed).toBeUndefined();
  await release?.();
  await store.lock('a', { waitMs: 0 });
  expect(noted).toEqual([
    ['lock', 'missed', 500],
    ['lock', 'done', 0],
  ]);
});

it('only an error of the store counts as its failure', async () => {
  const clock = new ManualClock(START);
  const failing = new MemoryStore(clock);
  failing.read = async () => {
    throw new StoreError('not usable');
  };
  const { noted, metrics } = notes();
  const store = measured(failing, clock, metrics);
  const refuse = () => {
    throw new Error('refused');
  };
  await expect(store.read('a')).rejects.toMatchObject({ reason: 'not usable' });
  await expect(store.update('a', refuse)).rejects.toThrow('refused');
  expect(noted.map(([operation, outcome]) => [operation, outcome])).toEqual([
    ['read', 'failed'],
    ['update', 'done'],
  ]);
});
