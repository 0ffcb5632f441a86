import { expect, test } from 'vitest';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import { type ForeignWrite, RecentWrites } from '../../src/writes/recent-writes.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const START = '2026-11-21T12:00:00Z';

function start() {
  const memory = new SharedMemory();
  const clock = new ManualClock(START);
  const startProcess = () => {
    const learned: (Pick<ForeignWrite, 'kind' | 'ids' | 'evidence'> & { budgetId: string })[] = [];
    const store = new MemoryStore(clock, memory);
    const recent = new RecentWrites(store, (budgetId, { kind, ids, evidence }) =>
      learned.push({ budgetId, kind, ids, ...(evidence && { evidence }) }),
    );
    return { recent, learned };
  };
  return { clock, memory, startProcess, one: startProcess(), other: startProcess() };
}

test('a process learns what others have written in a budget, once, and not its own writes', async () => {
  const { one, other } = start();
  await one.recent.add('b', 'create', {
    transaction_ids: ['t1'],
    transaction: { id: 't1', amount: -4_500 },
    server_knowledge: 7,
  });
  await one.recent.add('b', 'update', { account: { id: 'a1', name: 'Wallet' } });
  await one.recent.add('b', 'delete', undefined);
  await one.recent.addDuplicates('b', ['t2'], 8);
  await one.recent.add('c', 'create', { payee: { id: 'p1' }, server_knowledge: 3 });
  for (const _ of [1, 2]) await other.recent.learn('b');
  expect(other.learned).toEqual([
    { budgetId: 'b', kind: 'create', ids: ['t1'], evidence: { server_knowledge: 7 } },
    { budgetId: 'b', kind: 'update', ids: ['a1'], evidence: { account: { id: 'a1', name: 'Wallet' } } },
    { budgetId: 'b', kind: 'delete', ids: [] },
    { budgetId: 'b', kind: 'create', ids: ['t2'], evidence: { server_knowledge: 8 } },
  ]);
  await one.recent.learn('b');
  expect(one.learned).toEqual([]);
});

test('a process that starts later learns the writes of the last twenty minutes', async () => {
  const { clock, one, startProcess } = start();
  await one.recent.add('b', 'delete', { transaction: { id: 'old' }, server_knowledge: 1 });
  clock.advance(1);
  await one.recent.add('b', 'delete', { transaction: { id: 'young' }, server_knowledge: 2 });
  clock.advance(20 * 60_000);
  await one.recent.add('b', 'delete', { transaction: { id: 'new' }, server_knowledge: 3 });
  const later = startProcess();
  await later.recent.learn('b');
  expect(later.learned.map(({ ids }) => ids)).toEqual([['young'], ['new']]);
});

test('a thousand writes in a short time are kept up to a limit', async () => {
  const { one, other } = start();
  for (let at = 1; at <= 510; at += 1) await one.recent.add('b', 'delete', undefined);
  await other.recent.learn('b');
  expect(other.learned).toHaveLength(500);
});
