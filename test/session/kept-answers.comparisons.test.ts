import { expect, it } from 'vitest';
import { comparisonsIn, MAX_COMPARISON_AGE_MS } from '../../src/session/kept-answers.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const comparison = (date: string, texts: readonly string[] = []) => ({
  date,
  transactions: [],
  rows: texts.map((text) => ({ date, amount: -1, text })),
  missing: [],
});

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const startProcess = () => {
    const store = new MemoryStore(clock, memory);
    const all = comparisonsIn(store, clock);
    return { store, all, comparisons: all('anna', 'home') };
  };
  return { clock, startProcess, ...startProcess() };
}

it('remembers the last comparison of each account, for each caller and budget, in every process', async () => {
  const { all, comparisons, startProcess } = start();
  const { comparisons: elsewhere } = startProcess();
  await comparisons.set('giro', comparison('2026-11-01'));
  expect(await elsewhere.get('giro')).toEqual(comparison('2026-11-01'));
  await elsewhere.set('giro', comparison('2026-11-02', ['Coffee']));
  for (const each of [comparisons, elsewhere]) {
    expect(await each.get('giro')).toEqual(comparison('2026-11-02', ['Coffee']));
    expect(await each.get('savings')).toBeUndefined();
  }
  for (const other of [all('ben', 'home'), all('anna', 'other')])
    expect(await other.get('giro')).toBeUndefined();
});

it('forgets a comparison after an hour', async () => {
  const { clock, comparisons } = start();
  await comparisons.set('giro', comparison('2026-11-01'));
  clock.advance(MAX_COMPARISON_AGE_MS - 1);
  expect(await comparisons.get('giro')).toBeDefined();
  clock.advance(1);
  expect(await comparisons.get('giro')).toBeUndefined();
});

it('forgets the oldest comparisons if there are too many', async () => {
  const { comparisons } = start();
  const large = comparison('2026-11-01', Array(1_000).fill('x'.repeat(500)));
  const keys = Array.from({ length: 20 }, (_, index) => `account ${index}`);
  for (const each of keys) await comparisons.set(each, large);
  const found = await Promise.all(keys.map((each) => comparisons.get(each)));
  const kept = found.flatMap((each, index) => (each ? [index] : []));
  expect(kept.length).toBeGreaterThan(3);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 20 - kept.length + index));
});

it('a comparison that the store does not take is answered all the same', async () => {
  const { store, comparisons } = start();
  Object.assign(store, { update: () => Promise.reject(new StoreError('full')) });
  await comparisons.set('giro', comparison('2026-11-01'));
  expect(await comparisons.get('giro')).toBeUndefined();
});
