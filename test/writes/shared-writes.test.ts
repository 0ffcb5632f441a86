import { expect, test, vi } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import { LaterChanges } from '../../src/state/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import type { Change } from '../../src/state/shared-store.ts';
import { StoreError } from '../../src/state/store-error.ts';
import { MAX_UNDELIVERED_MS, SharedWrites } from '../../src/writes/shared-writes.ts';
import { type StoredStep, settlementOf } from '../../src/writes/stored-write.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const STEP: StoredStep = {
  number: 1,
  operation: 'create_transactions',
  input: { budget_id: 'b' },
  sentAt: { wall: 0, monotonic: 0 },
  before: { ids: [], server_knowledge: 7 },
};

const writeOf = (id: string) => ({
  id,
  calledAt: 0,
  isTogether: false,
  call: {
    caller: 'ann',
    tool: 'create_transactions',
    title: 'Create',
    budgetId: 'b',
    input: { budget_id: 'b' },
  },
});

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const startProcess = () => {
    const store = new MemoryStore(clock, memory);
    return { store, writes: new SharedWrites(store, clock, new LaterChanges(clock)) };
  };
  return { clock, memory, startProcess, one: startProcess(), other: startProcess() };
}

type Process = ReturnType<ReturnType<typeof start>['startProcess']>;

async function states({ writes }: Process) {
  return (await writes.adopt()).writes.map(({ id, state, isAdopted }) => [id, state, isAdopted]);
}

test('a write under way is known to all processes, with its last step', async () => {
  const { one, other } = start();
  await one.writes.sending(writeOf('w'), STEP);
  await one.writes.sending(writeOf('w'), { ...STEP, number: 2 });
  expect(await other.writes.find('w')).toMatchObject({
    state: 'sent',
    step: { number: 2 },
    isAdopted: false,
  });
  expect((await other.writes.adopt()).undelivered.size).toBe(0);
});

test('of several processes that want the outcome of a write, one gets it', async () => {
  const { one, other } = start();
  await one.writes.sending(writeOf('w'), STEP);
  await one.writes.hostLeft('w');
  const { writes, undelivered } = await other.writes.adopt();
  const [write] = writes;
  if (!write) expect.unreachable();
  expect([...undelivered]).toEqual(['w']);
  expect([await other.writes.claim(write), await one.writes.claim(write)]).toEqual([true, false]);
  await other.writes.hostLeft('w');
  expect(await one.writes.claim(write)).toBe(true);
});

test('the outcome of a write is there again if the process that waited for it ends', async () => {
  const { one, other } = start();
  await one.writes.sending(writeOf('w'), STEP);
  await one.writes.hostLeft('w');
  const [write] = await other.writes.list();
  if (!write) expect.unreachable();
  await other.writes.claim(write);
  expect((await one.writes.adopt()).undelivered.size).toBe(0);
  await other.store.close();
  const { writes, undelivered } = await one.writes.adopt();
  expect([...undelivered, writes[0]?.isAdopted]).toEqual(['w', false]);
});

test('the writes of a process that has ended are taken over once, and those of running processes are not', async () => {
  const { one, other, startProcess } = start();
  const third = startProcess();
  await one.writes.sending(writeOf('w'), STEP);
  await third.writes.sending(writeOf('v'), STEP);
  await one.store.close();
  expect(await states(other)).toEqual([
    ['w', 'being_looked_for', true],
    ['v', 'sent', false],
  ]);
  expect(await other.writes.find('w')).toMatchObject({ owner: other.store.processId });
  await third.writes.adopt();
  expect(await other.writes.find('w')).toMatchObject({ owner: other.store.processId });
});

test('a settled write keeps its outcome or its error', async () => {
  const { one, other } = start();
  for (const id of ['w', 'v', 'u']) await one.writes.sending(writeOf(id), STEP);
  await one.writes.settled('w', { outcome: { data: { id: 't' }, outcome: 'written' }, at: 5 });
  await one.writes.settled('v', { error: new BudgetError('partly_written', 'One of two.'), at: 6 });
  await one.writes.settled('u', { error: new TypeError('A bug.'), at: 7 });
  const settlements = (await other.writes.list()).map(settlementOf);
  expect(settlements).toMatchObject([
    { outcome: { data: { id: 't' }, outcome: 'written' }, at: 5 },
    { error: { code: 'partly_written', message: 'One of two.' }, at: 6 },
    { error: { code: 'outcome_unknown' }, at: 7 },
  ]);
  expect((await other.writes.list()).map(({ state }) => state)).toEqual([
    'written',
    'partly_written',
    'unknown',
  ]);
});

test('an undelivered outcome is kept for ten minutes, and a write under way until it is settled', async () => {
  const { clock, one, other } = start();
  await one.writes.sending(writeOf('w'), STEP);
  await one.writes.hostLeft('w');
  clock.advance(2 * MAX_UNDELIVERED_MS);
  expect(await other.writes.list()).toHaveLength(1);
  await one.writes.sending(writeOf('v'), STEP);
  await one.writes.hostLeft('v');
  await one.writes.settled('v', { outcome: { data: {}, outcome: 'written' }, at: 5 });
  clock.advance(MAX_UNDELIVERED_MS);
  expect((await other.writes.list()).map(({ id }) => id)).toEqual(['w', 'v']);
  clock.advance(1);
  expect((await other.writes.list()).map(({ id }) => id)).toEqual(['w']);
});

test('an outcome that another process has delivered is there for no equal call', async () => {
  const { one, other } = start();
  await one.writes.sending(writeOf('w'), STEP);
  await one.writes.hostLeft('w');
  await other.writes.deliveredHere('w');
  const { writes, undelivered } = await one.writes.adopt();
  expect([writes.map(({ isDelivered }) => isDelivered), undelivered.size]).toEqual([[true], 0]);
});

test('nothing is sent that the store does not take, and what has happened is noted when the store can be used again', async () => {
  const { clock, memory, other } = start();
  class FailingStore extends MemoryStore {
    isFull = false;
    override update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
      return this.isFull ? Promise.reject(new StoreError('full')) : super.update(name, change);
    }
  }
  const store = new FailingStore(clock, memory);
  const writes = new SharedWrites(store, clock, new LaterChanges(clock));
  await writes.sending(writeOf('w'), STEP);
  store.isFull = true;
  await expect(writes.sending(writeOf('x'), STEP)).rejects.toMatchObject({ code: 'storage_unavailable' });
  await writes.hostLeft('w');
  await writes.settled('w', { outcome: { data: {}, outcome: 'written' }, at: 1 });
  expect(await other.writes.list()).toMatchObject([{ id: 'w', state: 'sent', host: store.processId }]);
  store.isFull = false;
  clock.advance(1_000);
  await vi.waitFor(async () =>
    expect(await other.writes.list()).toMatchObject([{ id: 'w', state: 'written', host: undefined }]),
  );
});
