/** What a process answers after another one has written, however that was noted. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock, Moment } from '../../src/base/clock.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { FallbackStore } from '../../src/store/fallback-store.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { Look, Seen, SharedStore } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { callOperation } from '../call-operation.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { FailingStore } from './failing-store.helper.ts';
import { startHolding } from './holding.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

const AMOUNT = -4_500;
const cacheBytes = 10_000_000;

/** Receives responses, and passes them on when the test wants. */
class HoldingSender extends HttpSender {
  readonly held = new Arrivals<() => void>();
  isHolding = false;

  constructor() {
    super({ clock: new ManualClock('2026-11-21T12:00:00Z') });
    onTestFinished(() => this.close());
  }

  override async exchange(
    ...exchange: Parameters<HttpSender['exchange']>
  ): ReturnType<HttpSender['exchange']> {
    const response = await super.exchange(...exchange);
    if (this.isHolding && exchange[0].method === 'GET') {
      this.isHolding = false;
      await new Promise<void>((goOn) => this.held.add(goOn));
    }
    return response;
  }
}

describe('while a request for the budget is in progress that was sent before the write', () => {
  async function startReading() {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const sender = new HoldingSender();
    const one = sharing.startProcess(memory);
    const other = sharing.startProcess(memory, { cacheBytes, sender });
    const before = (await sharing.balanceIn(other)).balance;
    const call = other.client.begin();
    await call.resolveBudget(undefined);
    return { ...sharing, sender, one, other, call, after: before + AMOUNT };
  }

  test('a question does not get the answer of an earlier question', async () => {
    const { sender, one, other, pass, balanceIn, after } = await startReading();
    await pass(60_000);
    sender.isHolding = true;
    const earlier = balanceIn(other);
    const goOn = await sender.held.next();
    await one.log(AMOUNT);
    const question = balanceIn(other);
    await pass(100);
    goOn();
    await earlier;
    expect((await question).balance).toBe(after);
  });

  test('a question does not get the budget as it was before', async () => {
    const { sender, one, other, call, pass, balanceIn, after } = await startReading();
    sender.isHolding = true;
    const refreshing = call.refresh(false);
    const goOn = await sender.held.next();
    await one.log(AMOUNT);
    const question = balanceIn(other);
    await pass(100);
    goOn();
    await refreshing;
    expect((await question).balance).toBe(after);
  });

  test('an update that a person asked for sends a request of its own', async () => {
    const { sender, one, other, call, pass, balanceIn, after } = await startReading();
    await pass(60_000);
    sender.isHolding = true;
    const earlier = balanceIn(other);
    const goOn = await sender.held.next();
    await one.log(AMOUNT);
    const refreshing = call.refresh(false);
    await pass(100);
    goOn();
    await earlier;
    const { replica } = await refreshing;
    expect(replica.accounts.list().find(({ name }) => name === 'Wallet')?.balance).toBe(after);
  });
});

describe('after a write that its process could not note', () => {
  async function writtenButNotNoted(
    storeOf: (store: FailingStore, clock: Clock) => SharedStore = (store) => store,
  ) {
    const sharing = await startSharing();
    const { startProcess, clock, passing, pass, onWrite, balanceIn, requests } = sharing;
    const memory = new SharedMemory();
    const store = new FailingStore(clock, memory);
    const one = startProcess(memory, {
      cacheBytes,
      store: async () => storeOf(store, clock),
      rateBudget: (shared) => new RateBudget({ clock, store: shared, limit: 100_000 }),
    });
    // Few requests are left in this hour, so that older answers are allowed.
    class Sparing extends RateBudget {
      override statusOf(stored: unknown, now: Moment) {
        const returnsAt = Array.from({ length: 150 }, () => clock.now() + 1_800_000);
        return { ...super.statusOf(stored, now), leftForReads: 3, returnsAt };
      }
    }
    const sparing = new Sparing({ clock, limit: 100_000 });
    const start = () =>
      startProcess(memory, {
        cacheBytes,
        rateBudget: () => sparing,
      });
    const other = start();
    const { balance } = await passing(balanceIn(other));
    onWrite.push(() => {
      store.fails = true;
    });
    await pass(100);
    expect((await one.log(AMOUNT)).outcome).toBe('written');
    /** What a process answers, and how many requests that takes. */
    const ask = async (process = other) => {
      await pass(100);
      const sent = requests();
      const { balance } = await passing(balanceIn(process));
      return { balance, requests: requests() - sent };
    };
    return { ...sharing, memory, store, other, start, ask, after: balance + AMOUNT };
  }

  test('another process reads it, with one request for each question, until it is noted', async () => {
    const { store, pass, ask, after } = await writtenButNotNoted();
    const answer = { balance: after, requests: 1 };
    expect([await ask(), await ask()]).toEqual([answer, answer]);
    store.fails = false;
    await pass(5_000);
    await ask();
    expect(await ask()).toEqual({ balance: after, requests: 0 });
  });

  test('a process that starts reads it, also if the process that wrote it has ended', async () => {
    const { store, start, other, pass, ask, after } = await writtenButNotNoted();
    await store.close();
    const next = start();
    expect([(await ask(next)).balance, (await ask(other)).balance]).toEqual([after, after]);
    await pass(60_000);
    await ask(next);
    expect(await ask(next)).toEqual({ balance: after, requests: 0 });
  });

  test('questions cost nothing again after a minute, if it is never noted', async () => {
    const { ask, pass, after } = await writtenButNotNoted(
      (store, clock) => new FallbackStore(store, clock, () => {}),
    );
    await pass(60_000);
    await ask();
    expect(await ask()).toEqual({ balance: after, requests: 0 });
  });

  test('another process reads it, also if nobody could find out what has become of it', async () => {
    const { store, start, faults, passing, pass, ask, after } = await writtenButNotNoted();
    await store.close();
    const next = start();
    faults.reads.push(...Array.from({ length: 500 }, () => ({ deliveries: 1, answer: '503' }) as const));
    await passing(next.client.status());
    await pass(120_000);
    expect(await next.states()).toEqual(['unknown']);
    faults.reads.length = 0;
    expect((await ask()).balance).toBe(after);
  });
});

/** Its file can be deleted. */
class FileStore extends FailingStore {
  override look(wanted: Look): Promise<Seen> {
    return this.fails ? Promise.reject(new StoreError('removed or replaced')) : super.look(wanted);
  }
}

test('processes that have lost their state answer with what the others have written since', async () => {
  const { startProcess, clock, passing, pass, balanceIn } = await startSharing();
  const memory = new SharedMemory();
  const start = () => {
    const file = new FileStore(clock, memory);
    let hasFailed = false;
    const store = new FallbackStore(file, clock, () => {
      hasFailed = true;
    });
    const stateStatus = () => ({ shared: !hasFailed, hasFailed });
    return { file, ...startProcess(memory, { cacheBytes, store: async () => store, stateStatus }) };
  };
  const [one, other] = [start(), start()];
  const { balance } = await passing(balanceIn(other));
  for (const { file } of [one, other]) file.fails = true;
  for (const times of [1, 2]) {
    await one.log(AMOUNT);
    await pass(100);
    expect(await passing(balanceIn(other))).toEqual({ balance: balance + times * AMOUNT });
  }
});

test('questions cost nothing again a minute after a process was suspended in the middle of a write', async () => {
  const { startProcess, passing, pass, requests, balanceIn } = await startSharing();
  const memory = new SharedMemory();
  const one = startProcess(memory, { cacheBytes });
  const other = startProcess(memory);
  await passing(balanceIn(one));
  other.life.suspendAt('after update pending writes', 2);
  other.start(AMOUNT).catch(() => {});
  await pass(60_000);
  await passing(balanceIn(one));
  const sent = requests();
  await pass(100);
  await passing(balanceIn(one));
  expect(requests() - sent).toBe(0);
});

test('a look during a write of another process does not make the next question cost a request', async () => {
  const { startProcess, passing, pass, ledger, requests, balanceIn } = await startSharing();
  const memory = new SharedMemory();
  const sender = new HoldingSender();
  const one = startProcess(memory, { cacheBytes, sender });
  const other = startProcess(memory, { cacheBytes });
  await balanceIn(one);
  const { balance } = await passing(balanceIn(other));
  sender.isHolding = true;
  const writing = one.start(AMOUNT);
  const goOn = await sender.held.next();
  await pass(200);
  await other.client.lookAtOthers(ledger.id);
  goOn();
  await writing;
  await pass(100);
  const sent = requests();
  expect((await passing(balanceIn(other))).balance).toBe(balance + AMOUNT);
  expect(requests() - sent).toBe(0);
});

test('without a cache, an answer of a lagging copy says that it may lack a write of another process', async () => {
  const { connect, service, clock, altering, ledger } = await startHolding();
  const memory = new SharedMemory();
  const start = () =>
    connect(service.accessToken, { cacheBytes: 0, store: async () => new MemoryStore(clock, memory) });
  const [one, other] = [start(), start()];
  const read = () => callOperation(other, listTransactions, { since_date: '2026-11-01' });
  const before = JSON.stringify({ data: (await read()).data });
  const account_id = ledger.accounts()[0]?.id ?? '';
  await callOperation(one, createTransactions, {
    transactions: [{ account_id, date: '2026-11-21', amount: AMOUNT, memo: 'Coffee' }],
  });
  altering.answer = (path, body) => (path.includes('/transactions') ? before : body);
  expect((await read()).freshness.stale_reason).toBeDefined();
});
