/** Writes of a process whose store fails for a while, as when Redis does not answer. */
import { expect, test } from 'vitest';
import { RollingRateBudget } from '../../src/client/rate-budget.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import type { Change, StoredValue } from '../../src/state/shared-store.ts';
import { StoreError } from '../../src/state/store-error.ts';
import { NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { failureOf } from './sending.helper.ts';
import { type Process, startSharing } from './sharing-processes.helper.ts';

class FailingStore extends MemoryStore {
  fails = false;
  /** The next change is done, but its answer is lost. */
  losesAnswer = false;

  override read(name: string): Promise<unknown> {
    return this.fails ? failed() : super.read(name);
  }

  override async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    if (this.fails) return failed();
    const result = await super.update(name, change);
    if (!this.losesAnswer) return result;
    this.losesAnswer = false;
    return failed();
  }

  override append(log: string, value: StoredValue): Promise<number> {
    return this.fails ? failed() : super.append(log, value);
  }
}

const failed = (): Promise<never> => Promise.reject(new StoreError('not answering'));

const CACHE_BYTES = 10_000_000;

async function startFailing(cacheBytes = 0) {
  const sharing = await startSharing();
  const { startProcess, clock } = sharing;
  const memory = new SharedMemory();
  const store = new FailingStore(clock, memory);
  const one = startProcess(memory, {
    store: async () => store,
    cacheBytes,
    rateBudget: (shared) => new RollingRateBudget({ clock, store: shared, limit: 100_000 }),
  });
  return { ...sharing, memory, store, one, other: startProcess(memory, { cacheBytes }) };
}

test('a write is reported as written although the store fails after it was sent, and it is noted later', async () => {
  const { store, one, onWrite, coffees, sent, pass } = await startFailing();
  onWrite.push(() => {
    store.fails = true;
  });
  expect(await one.log(-4_500)).toMatchObject({ outcome: 'written', freshness: { requests_left: 0 } });
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

/** A process has written, and could not note it. */
async function writtenButNotNoted() {
  const started = await startFailing(CACHE_BYTES);
  const { store, one, other, onWrite, passing, pass } = started;
  const balanceIn = async ({ client }: Process) => {
    const { data } = await passing(client.call(listAccounts, {}));
    return data.accounts.find(({ name }) => name === 'Wallet')?.balance ?? Number.NaN;
  };
  const before = await balanceIn(other);
  onWrite.push(() => {
    store.fails = true;
  });
  await pass(100);
  expect((await one.log(-4_500)).outcome).toBe('written');
  return { ...started, balanceIn, after: before - 4_500 };
}

test('another process reads what was written although it could not be noted, with one request each time until it is', async () => {
  const { store, other, requests, pass, balanceIn, after } = await writtenButNotNoted();
  for (const _ of [1, 2]) {
    await pass(100);
    const sent = requests();
    expect([await balanceIn(other), requests() - sent]).toEqual([after, 1]);
  }
  store.fails = false;
  await pass(5_000);
  expect(await balanceIn(other)).toBe(after);
  const sent = requests();
  expect([await balanceIn(other), requests() - sent]).toEqual([after, 0]);
});

test('a process that starts reads what was written although the process that wrote it has ended without noting it', async () => {
  const { store, other, startProcess, pass, memory, requests, balanceIn, after } = await writtenButNotNoted();
  await store.close();
  const next = startProcess(memory, { cacheBytes: CACHE_BYTES });
  expect([await balanceIn(next), await balanceIn(other)]).toEqual([after, after]);
  await pass(60_000);
  expect(await balanceIn(next)).toBe(after);
  const sent = requests();
  expect([await balanceIn(next), requests() - sent]).toEqual([after, 0]);
});
