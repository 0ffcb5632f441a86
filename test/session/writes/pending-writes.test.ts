import { expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import {
  endWithError,
  endWithOutcome,
  isUndelivered,
  MAX_UNDELIVERED_MS,
  type SentWrite,
} from '../../../src/session/writes/pending-write.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/shared-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { FullStore } from '../failing-store.helper.ts';
import { CALL, pendingIn, STEP, sentWriteOf } from './pending.helper.ts';

const WRITTEN = endWithOutcome({ data: { id: 't' }, outcome: 'written' }, 5);

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const startProcess = (store: SharedStore = new MemoryStore(clock, memory)) => {
    const pending = pendingIn(store, clock);
    const process = store.processId;
    return {
      store,
      process,
      pending,
      send: (id: string, more: Partial<SentWrite> = {}) =>
        pending.update(({ turns, writes }) => {
          const sent = sentWriteOf(id, process, more);
          return {
            value: { turns, writes: [...writes.filter((write) => write.id !== id), sent] },
            result: undefined,
          };
        }),
      settle: (id: string, result = WRITTEN) => pending.change(id, [{ type: 'settle', result }]),
      leave: (id: string) => pending.change(id, [{ type: 'leave', process }]),
      find: async (id: string) => (await pending.list()).find((write) => write.id === id),
      ids: async () => (await pending.list()).map(({ id }) => id),
      undelivered: async () => (await pending.takeOver()).filter(isUndelivered).map(({ id }) => id),
    };
  };
  return { clock, memory, startProcess, one: startProcess(), other: startProcess() };
}

test('a write under way is known to all processes, with its last step', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.send('w', { step: { ...STEP, number: 2 } });
  expect(await other.find('w')).toMatchObject({ state: 'sent', step: { number: 2 }, isAdopted: false });
  expect(await other.undelivered()).toEqual([]);
});

test('of several processes that want the outcome of a write, one gets it', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.leave('w');
  expect(await other.undelivered()).toEqual(['w']);
  expect([await other.pending.claim('w'), await one.pending.claim('w')]).toEqual([true, false]);
  await other.leave('w');
  expect(await one.pending.claim('w')).toBe(true);
  expect(await one.pending.claim('another')).toBeUndefined();
});

test('a host that leaves twice does not take the outcome from the one that has got it since', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.leave('w');
  await other.pending.claim('w');
  await one.leave('w');
  expect(await one.pending.claim('w')).toBe(false);
});

test('the outcome of a write is there again if the process that waited for it ends', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.leave('w');
  await other.pending.claim('w');
  expect(await one.undelivered()).toEqual([]);
  await other.store.close();
  expect(await one.undelivered()).toEqual(['w']);
  expect(await one.find('w')).toMatchObject({ isAdopted: false });
});

test('the writes of a process that has ended are taken over once, and those of running processes are not', async () => {
  const { one, other, startProcess } = start();
  const third = startProcess();
  await one.send('w');
  await third.send('v');
  await one.store.close();
  expect(await other.pending.takeOver()).toMatchObject([
    { id: 'w', state: 'lost', isAdopted: true, owner: other.process },
    { id: 'v', state: 'sent', isAdopted: false },
  ]);
  await third.pending.takeOver();
  expect(await other.find('w')).toMatchObject({ owner: other.process });
});

test('a host of a running process keeps its claim when the process that has sent the write ends', async () => {
  const { one, other, startProcess } = start();
  const third = startProcess();
  await one.send('w');
  await one.leave('w');
  await other.pending.claim('w');
  await one.store.close();
  expect(await third.undelivered()).toEqual([]);
  expect(await third.find('w')).toMatchObject({ owner: third.process, awaitedBy: other.process });
});

test('a write that was taken over is undelivered from then on, for ten minutes', async () => {
  const { clock, one, other } = start();
  await one.send('w');
  await one.leave('w');
  await one.settle('w');
  clock.advance(MAX_UNDELIVERED_MS);
  await one.store.close();
  expect(await other.undelivered()).toEqual(['w']);
  clock.advance(MAX_UNDELIVERED_MS);
  expect(await other.ids()).toEqual(['w']);
  clock.advance(1);
  expect(await other.ids()).toEqual([]);
});

test('a process of which nothing can be found out keeps its writes', async () => {
  const { clock, memory, one, startProcess } = start();
  class UnsureStore extends MemoryStore {
    override isRunning(): Promise<boolean> {
      return Promise.reject(new StoreError('not answering'));
    }
  }
  const unsure = startProcess(new UnsureStore(clock, memory));
  await one.send('w');
  expect(await unsure.pending.takeOver()).toMatchObject([{ owner: one.process, state: 'sent' }]);
});

test('while there is nothing to take over, a store that takes no changes is enough', async () => {
  const { clock, memory, one, startProcess } = start();
  const store = new FullStore(clock, memory);
  const reader = startProcess(store);
  await one.send('w');
  store.isFull = true;
  expect(await reader.pending.takeOver()).toMatchObject([{ id: 'w', owner: one.process }]);
});

test('a caller learns once which of its writes in a budget an ended process has left, and of no others', async () => {
  const { one, other, startProcess } = start();
  const third = startProcess();
  await third.send('of a running process');
  await one.send('w');
  await one.send('delivered');
  await one.settle('delivered');
  await one.store.close();
  await third.pending.takeOver();
  await third.pending.claim('delivered');
  // `third` owns it now. Its record stays only if another process delivers the outcome.
  await third.pending.change('delivered', [{ type: 'deliver', process: 'another' }]);
  const news = async (caller: string, budgetId: string) => {
    await other.pending.takeOver();
    return other.pending.takeNews(caller, budgetId).map(({ id }) => id);
  };
  expect(await other.ids()).toContain('delivered');
  expect([await news('bob', 'b'), await news('ann', 'c')]).toEqual([[], []]);
  expect([await news('ann', 'b'), await news('ann', 'b')]).toEqual([['w'], []]);
});

test('what others may still carry out in a budget are their unsettled writes there, and those they have left', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.send('in another budget', { call: { ...CALL, budgetId: 'c' } });
  await one.send('settled');
  await one.settle('settled');
  await other.send('own');
  const unsettled = async () =>
    other.pending.unsettledOfOthers(await other.pending.takeOver(), 'b').map(({ id }) => id);
  expect(await unsettled()).toEqual(['w']);
  await one.store.close();
  expect(await unsettled()).toEqual(['w']);
});

test('a settled write keeps its outcome or its error', async () => {
  const { one, other } = start();
  for (const id of ['w', 'v', 'u']) await one.send(id);
  await one.settle('w');
  await one.settle('v', endWithError(new BudgetError('partly_written', 'One of two.'), 6));
  await one.settle('u', endWithError(new TypeError('A bug.'), 7));
  expect((await other.pending.list()).map(({ result }) => result)).toMatchObject([
    { outcome: { data: { id: 't' }, outcome: 'written' }, at: 5 },
    { error: { code: 'partly_written', message: 'One of two.' }, at: 6 },
    { error: { code: 'outcome_unknown', message: expect.stringContaining('internal error') }, at: 7 },
  ]);
});

test('an undelivered outcome is kept for ten minutes, and a write under way until it is settled', async () => {
  const { clock, one, other } = start();
  await one.send('w');
  await one.leave('w');
  clock.advance(2 * MAX_UNDELIVERED_MS);
  expect(await other.ids()).toEqual(['w']);
  await one.send('v');
  await one.leave('v');
  await one.settle('v');
  clock.advance(MAX_UNDELIVERED_MS);
  expect(await other.ids()).toEqual(['w', 'v']);
  clock.advance(1);
  expect(await other.ids()).toEqual(['w']);
});

test('an outcome that another process has delivered is there for no equal call, and its owner sees that', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.leave('w');
  await one.settle('w');
  await other.pending.claim('w');
  await other.pending.change('w', [{ type: 'deliver', process: other.process }]);
  expect([await one.find('w'), await one.undelivered()]).toMatchObject([{ state: 'delivered' }, []]);
});

test('an outcome that its own process has delivered is not kept', async () => {
  const { one, other } = start();
  await one.send('w');
  await one.settle('w');
  await one.pending.change('w', [{ type: 'deliver', process: one.process }]);
  expect(await other.ids()).toEqual([]);
});

test('a record with an error that this version does not know counts as empty', async () => {
  const { clock, memory, one, other, startProcess } = start();
  await one.send('w');
  await one.settle('w', { at: 5, error: { code: 'not_written', message: 'It was not.' } });
  expect(await other.ids()).toEqual(['w']);
  const name = one.pending.recordName;
  const text = JSON.stringify(memory.records.get(name));
  memory.records.set(name, JSON.parse(text.replace('"not_written"', '"of_a_later_version"')));
  expect(await startProcess(new MemoryStore(clock, memory)).ids()).toEqual([]);
});

test('logs get nothing from a change that has no entries', async () => {
  const { clock, memory, startProcess } = start();
  const store = new FullStore(clock, memory);
  const { pending, send, leave } = startProcess(store);
  await send('w');
  await leave('w');
  store.isFull = true;
  await expect(pending.claim('w')).rejects.toThrow(StoreError);
  store.isFull = false;
  await pending.later.finish();
  expect(memory.logs).toEqual(new Map());
});

test('what has happened is noted when the store can be used again', async () => {
  const { clock, memory, other, startProcess } = start();
  const store = new FullStore(clock, memory);
  const { send, leave, settle } = startProcess(store);
  await send('w');
  store.isFull = true;
  await leave('w');
  await settle('w');
  expect(await other.find('w')).toMatchObject({ state: 'sent', awaitedBy: store.processId });
  store.isFull = false;
  clock.advance(1_000);
  await expect.poll(async () => (await other.find('w'))?.state).toBe('settled');
  expect((await other.find('w'))?.awaitedBy).toBeUndefined();
});
