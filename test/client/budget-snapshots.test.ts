import { expect, test } from 'vitest';
import { BudgetSnapshots } from '../../src/client/budget-snapshots.ts';
import { fastParse } from '../../src/client/fast-validate.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';
import { START, smallLedger } from '../service/ledger/random-changes.helper.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

test('a snapshot that another process is still writing is not removed, and replaces this one', async () => {
  const memory = new SharedMemory();
  const clock = new ManualClock(START);
  const data = await directReader(smallLedger()).export();
  const start = () =>
    new BudgetSnapshots(new MemoryStore(clock, memory), (value) => fastParse(getBudget.output, value)?.data);
  const [one, other] = [start(), start()];
  const [first, last] = await Promise.all([one.write('home', [data]), other.write('home', [data])]);
  expect(first.replaced).toEqual([]);
  expect(last.replaced.map(({ id }) => id)).toEqual([first.id]);
  expect(await one.read(last.id)).toEqual(data);
});

test.skipIf(!sqlite)(
  'a snapshot is given up when the store is blocked, and the next one replaces it',
  async () => {
    const { clock, path, processes } = await startProcesses(1);
    const [store] = processes;
    if (!store) throw new Error('A process is needed.');
    const data = await directReader(smallLedger()).export();
    const snapshots = new BudgetSnapshots(store, (value) => fastParse(getBudget.output, value)?.data);
    const end = startWriting(path);
    const writing = changeAfterWait(clock, () => snapshots.write('home', [data]));
    await expect(writing).rejects.toMatchObject({ isBlocked: true });
    end();
    await untilFree(clock, processes);
    const { id, replaced } = await snapshots.write('home', [data]);
    expect(replaced).toHaveLength(1);
    expect(await snapshots.read(id)).toEqual(data);
  },
);
