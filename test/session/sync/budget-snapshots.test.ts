import { expect, test } from 'vitest';
import { BudgetSnapshots } from '../../../src/session/sync/budget-snapshots.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { START, smallLedger } from '../../service/ledger/random-changes.helper.ts';

test('a snapshot that another process is still writing is not removed, and replaces this one', async () => {
  const memory = new SharedMemory();
  const clock = new ManualClock(START);
  const data = await directReader(smallLedger()).export();
  const start = () => new BudgetSnapshots(new MemoryStore(clock, memory));
  const [one, other] = [start(), start()];
  const [first, last] = await Promise.all([one.write('home', [data]), other.write('home', [data])]);
  expect(first.replaced).toEqual([]);
  expect(last.replaced.map(({ id }) => id)).toEqual([first.id]);
  expect(await one.read(last.id)).toEqual(data);
});
