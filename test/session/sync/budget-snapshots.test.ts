import { expect, test } from 'vitest';
import { BudgetSnapshots } from '../../../src/session/sync/budget-snapshots.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { START, smallLedger } from '../../service/ledger/random-changes.helper.ts';

async function start() {
  const memory = new SharedMemory();
  const clock = new ManualClock(START);
  const data = await directReader(smallLedger()).export();
  return { data, startProcess: () => new BudgetSnapshots(new MemoryStore(clock, memory)) };
}

test('a snapshot replaces all earlier ones of its budget, and none of another one', async () => {
  const { data, startProcess } = await start();
  const [one, other] = [startProcess(), startProcess()];
  const studio = await one.write('studio', [data]);
  const first = await one.write('home', [data]);
  const last = await other.write('home', [data]);
  expect([studio.replaced, first.replaced, last.replaced]).toEqual([[], [], [first.id]]);
  await other.remove(last.replaced);
  expect(await one.read(first.id)).toBeUndefined();
  expect([await one.read(studio.id), await one.read(last.id)]).toEqual([data, data]);
});

test('a snapshot that was replaced while it was written is not read as a whole one', async () => {
  const { data, startProcess } = await start();
  const [one, other] = [startProcess(), startProcess()];
  let next = () => {};
  function* parts() {
    yield data;
    next();
    yield data;
  }
  const replacedMeanwhile = new Promise<void>((resolve) => {
    next = resolve;
  }).then(async () => other.remove((await other.write('home', [data])).replaced));
  const [slow] = await Promise.all([one.write('home', parts()), replacedMeanwhile]);
  expect(await one.read(slow.id)).toBeUndefined();
});
