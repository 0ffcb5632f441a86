/** Equal calls after a write whose host did not get its answer, also while a process still notes that it was lost. */
import { expect, test } from 'vitest';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { Change, LockOptions } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { yieldTurns } from '../manual-clock.helper.ts';
import { failureOf } from './sending.helper.ts';
import { type Process, type Sharing, startSharing } from './sharing-processes.helper.ts';

const AMOUNT = -4_500;
const PENDING = 'pending writes';
/** The reads of a write that is found when its host does not wait any more. */
const FOUND_LATE: readonly Fault[] = [NO_FAULT, ...Array(6).fill({ deliveries: 1, answer: '503' })];

/** Like the store in Redis: changes and locks go one after the other, and reads do not wait for them. */
class QueuedStore extends MemoryStore {
  /** The next change of the pending writes waits for this, and fails if it is rejected. */
  nextChange: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  override update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    const isAwaited = name === PENDING;
    const until = isAwaited ? this.nextChange : undefined;
    if (isAwaited) this.nextChange = undefined;
    return this.#inTurn(async () => {
      await until;
      return super.update(name, change);
    });
  }

  override lock(name: string, options: LockOptions) {
    return this.#inTurn(() => super.lock(name, options));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** The host of `process` is answered before it is known that its write was carried out. */
async function writeUndelivered({ faults, pass }: Sharing, process: Process) {
  faults.reads.push(...FOUND_LATE);
  faults.writes.push(UNANSWERED);
  expect((await failureOf(process.log(AMOUNT))).code).toBe('outcome_unknown');
  await pass(60_000);
}

/** A write was carried out, and its answer is on its way. `by` says which process has sent it. */
async function start(by: 'this' | 'another') {
  const sharing = await startSharing();
  const { startProcess, clock, passing, coffees, coffee } = sharing;
  const memory = new SharedMemory();
  const store = new QueuedStore(clock, memory);
  const { client } = startProcess(memory, { store: async () => store });
  let end: (isSent: boolean) => void = () => {};
  const answered = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const write = (isFirst = false) =>
    client
      .begin(isFirst ? { request: { waitedMs: () => 0, answered } } : {})
      .write(createTransactions, { transactions: [{ ...coffee, amount: AMOUNT }] });
  await passing(client.begin().resolveBudget(undefined));
  if (by === 'another') {
    const other = startProcess(memory);
    await passing(other.client.begin().resolveBudget(undefined));
    await writeUndelivered(sharing, other);
  }
  expect((await passing(write(true))).earlier_call !== undefined).toBe(by === 'another');
  return {
    store,
    write,
    passing,
    count: () => coffees(AMOUNT).length,
    /** The connection of the first host is lost. */
    lose: async () => {
      end(false);
      await yieldTurns(5);
    },
  };
}

test('one of two equal calls gets the outcome whose answer was lost, and the other one writes', async () => {
  const { store, write, passing, count, lose } = await start('this');
  let goOn = () => {};
  store.nextChange = new Promise((resolve) => {
    goOn = resolve;
  });
  await lose();
  const calls = [write(), write()];
  await yieldTurns(30);
  goOn();
  const results = await passing(Promise.all(calls));
  expect(results.filter(({ earlier_call }) => earlier_call !== undefined)).toHaveLength(1);
  expect(count()).toBe(2);
});

test.each(['this', 'another'] as const)(
  'an equal call writes nothing although the store failed to note that the answer about a write of %s process was lost',
  async (by) => {
    const { store, write, passing, count, lose } = await start(by);
    let fail = (_: StoreError) => {};
    store.nextChange = new Promise((_, reject) => {
      fail = reject;
    });
    await lose();
    const again = write();
    await yieldTurns(30);
    fail(new StoreError('not answering'));
    expect((await passing(again)).earlier_call).toBeDefined();
    expect(count()).toBe(1);
  },
);

/** Two processes, of which one has a write whose outcome no host has. */
async function startUndelivered() {
  const sharing = await startSharing();
  const { startProcess, passing } = sharing;
  const memory = new SharedMemory();
  const [one, other] = [startProcess(memory), startProcess(memory)];
  await passing(other.client.begin().resolveBudget(undefined));
  await writeUndelivered(sharing, one);
  return { ...sharing, memory, one, other };
}

test('an equal call writes if another process gets the outcome, and forgets the write, just before it', async () => {
  const { one, other, passing, pass, coffees } = await startUndelivered();
  const goOn = other.life.suspendAt('before update pending writes');
  const late = other.start(AMOUNT);
  await pass(100);
  expect((await one.log(AMOUNT)).earlier_call).toBeDefined();
  await pass(1_000);
  goOn();
  expect((await passing(late)).earlier_call).toBeUndefined();
  expect(coffees(AMOUNT)).toHaveLength(2);
});

test('an outcome that another process has got is not returned again, also if the store then loses what it had', async () => {
  const { memory, one, other, pass, coffees } = await startUndelivered();
  expect((await other.log(AMOUNT)).earlier_call).toBeDefined();
  await pass(1_000);
  expect(await one.states()).toEqual([]);
  memory.records.delete(PENDING);
  expect((await one.log(AMOUNT)).earlier_call).toBeUndefined();
  expect(coffees(AMOUNT)).toHaveLength(2);
});
