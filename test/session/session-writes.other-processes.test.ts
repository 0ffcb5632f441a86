import { expect, test } from 'vitest';
import { Watermarks } from '../../src/session/freshness/watermarks.ts';
import { OtherProcesses } from '../../src/session/session-writes.ts';
import type { SharedBudget } from '../../src/session/sync/shared-budget.ts';
import { PendingWrites } from '../../src/session/writes/pending-writes.ts';
import { LaterChanges } from '../../src/store/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const START = '2026-11-21T12:00:00Z';

/** Knows which writes of others it was given. */
class RecordingMarks extends Watermarks {
  readonly foreign: unknown[] = [];

  override recordForeignWrite(...write: Parameters<Watermarks['recordForeignWrite']>): void {
    const [budgetId, , evidence] = write;
    this.foreign.push([budgetId, ...(evidence && 'knowledge' in evidence ? [evidence.knowledge] : [])]);
    super.recordForeignWrite(...write);
  }
}

function start() {
  const memory = new SharedMemory();
  const clock = new ManualClock(START);
  const startProcess = () => {
    const store = new MemoryStore(clock, memory);
    const marks = new RecordingMarks(clock);
    const created: string[] = [];
    const others = new OtherProcesses({
      store,
      status: () => ({ shared: true }),
      clock,
      marks,
      pending: new PendingWrites(store, clock, new LaterChanges(clock)),
      recordCreated: (ids) => created.push(...ids),
      adopt: async () => {},
    });
    const addWrite = async (budgetId: string, ...write: Parameters<SharedBudget['entryOf']>) => {
      const { log, value } = others.of(budgetId).budget.entryOf(...write);
      await store.append(log, value);
    };
    const learn = async (...budgetIds: string[]) =>
      others.takeOver(await store.look(others.wantedOf(budgetIds)), budgetIds);
    return { others, addWrite, created, marks, learn };
  };
  return { clock, memory, startProcess, one: startProcess(), other: startProcess() };
}

test('a process learns what others have written in a budget, once, and not its own writes', async () => {
  const { one, other } = start();
  await one.addWrite('b', 'create', {
    transaction_ids: ['t1'],
    transaction: { id: 't1', amount: -4_500 },
    server_knowledge: 7,
  });
  await one.addWrite('b', 'update', { account: { id: 'a1', name: 'Wallet' } });
  await one.addWrite('b', 'delete');
  await one.others.of('b').budget.addDuplicates(['t2'], 8);
  await one.addWrite('c', 'create', { payee: { id: 'p1' }, server_knowledge: 3 });
  for (const _ of [1, 2]) await other.learn('b');
  expect(other.marks.foreign).toEqual([['b', 7], ['b'], ['b'], ['b', 8]]);
  expect(other.created).toEqual(['t1', 't2']);
  await one.learn('b');
  expect([one.marks.foreign, one.created]).toEqual([[], []]);
});

test('what others did to several budgets is read by one request', async () => {
  const { clock, memory, one, other } = start();
  for (const budgetId of ['b', 'c']) await one.addWrite(budgetId, 'delete', { server_knowledge: 1 });
  const seen = await new MemoryStore(clock, memory).look(other.others.wantedOf(['b', 'c']));
  await other.others.takeOver(seen, ['b', 'c']);
  expect(other.marks.foreign).toEqual([
    ['b', 1],
    ['c', 1],
  ]);
});

test('a process that did not look while others wrote much learns all of it', async () => {
  const { one, other } = start();
  for (let knowledge = 1; knowledge <= 120; knowledge += 1)
    await one.addWrite('b', 'delete', { server_knowledge: knowledge });
  await other.learn('b');
  expect(other.marks.foreign).toHaveLength(120);
});

test('a process that starts later learns the writes of the last twenty minutes', async () => {
  const { clock, one, startProcess } = start();
  await one.addWrite('b', 'delete', { server_knowledge: 1 });
  clock.advance(1);
  await one.addWrite('b', 'delete', { server_knowledge: 2 });
  await one.learn('b');
  clock.advance(20 * 60_000);
  await one.addWrite('b', 'delete', { server_knowledge: 3 });
  const later = startProcess();
  await later.learn('b');
  expect(later.marks.foreign).toEqual([
    ['b', 2],
    ['b', 3],
  ]);
});
