/** Writes of a process whose store fails for a while, as when Redis does not answer. */
import { expect, test } from 'vitest';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { FailingStore } from './failing-store.helper.ts';
import { failureOf } from './sending.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

async function startFailing() {
  const sharing = await startSharing();
  const { startProcess, clock } = sharing;
  const memory = new SharedMemory();
  const store = new FailingStore(clock, memory);
  const one = startProcess(memory, {
    store: async () => store,
    rateBudget: (shared) => new RateBudget({ clock, store: shared, limit: 100_000 }),
  });
  return { ...sharing, store, one, other: startProcess(memory) };
}

test('a write is reported as written although the store fails after it was sent, and it is noted later', async () => {
  const { store, one, onWrite, coffees, sent, pass } = await startFailing();
  onWrite.push(() => {
    store.fails = true;
  });
  expect(await one.log(-4_500)).toMatchObject({ outcome: 'written', freshness: { requests_left: 997 } });
  store.fails = false;
  await pass(5_000);
  expect((await one.journal()).map(({ steps }) => steps.length)).toEqual([1]);
  expect([await one.states(), sent(), coffees(-4_500).length]).toEqual([[], 1, 1]);
});

test('another process writes only after the store has what the first one has written while it failed', async () => {
  const { store, one, other, onWrite, passing, pass, coffees } = await startFailing();
  onWrite.push(() => {
    store.fails = true;
  });
  await one.log(-4_500);
  const second = other.start(-9_900);
  await pass(1_500);
  expect(coffees(-9_900)).toEqual([]);
  store.fails = false;
  expect((await passing(second)).outcome).toBe('written');
});

test('an equal call for which the store fails while it waits says that the earlier one may be written, and the next one gets its outcome', async () => {
  const { store, one, other, faults, passing, pass, coffees } = await startFailing();
  const noLook = { deliveries: 1, answer: '503' } as const;
  faults.reads.push(NO_FAULT, ...Array.from({ length: 6 }, () => noLook));
  faults.writes.push(UNANSWERED);
  expect((await failureOf(other.log(-4_500))).code).toBe('outcome_unknown');
  await passing(one.client.begin().resolveBudget(undefined));
  const again = failureOf(one.start(-4_500));
  await pass(200);
  store.fails = true;
  expect((await passing(again)).code).toBe('outcome_unknown');
  store.fails = false;
  await pass(60_000);
  expect((await one.log(-4_500)).earlier_call).toBeDefined();
  expect(coffees(-4_500)).toHaveLength(1);
});

test('a claim of an earlier outcome whose answer was lost leaves the outcome to the next equal call', async () => {
  const { store, one, other, faults, passing, pass, coffees } = await startFailing();
  const noLook = { deliveries: 1, answer: '503' } as const;
  faults.reads.push(NO_FAULT, ...Array.from({ length: 6 }, () => noLook));
  faults.writes.push(UNANSWERED);
  await failureOf(other.log(-4_500));
  await pass(60_000);
  await passing(one.client.begin().resolveBudget(undefined));
  store.losesAnswer = true;
  expect((await failureOf(one.log(-4_500))).code).toBe('storage_unavailable');
  expect((await one.log(-4_500)).earlier_call).toBeDefined();
  expect(coffees(-4_500)).toHaveLength(1);
});

test('what waits for the store is noted before the program ends', async () => {
  const { store, one, other, onWrite, passing } = await startFailing();
  onWrite.push(() => {
    store.fails = true;
  });
  await one.log(-4_500);
  store.fails = false;
  await passing(one.client.writesSettled());
  expect((await other.journal()).map(({ steps }) => steps.length)).toEqual([1]);
});
