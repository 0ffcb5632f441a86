import { describe, expect, it } from 'vitest';
import { RecentWrites } from '../../src/writes/recent-writes.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

const dataOf = (id: string) => ({ transaction_ids: [id], server_knowledge: 7 });

async function startTwo() {
  const { processes, ...rest } = await startProcesses(2);
  const [one, other] = processes.map((store) => {
    const learned: string[] = [];
    const recent = new RecentWrites(store, (_, { ids }) => learned.push(...ids));
    return { store, recent, learned };
  });
  if (!one || !other) throw new Error('Two processes are needed.');
  return { ...rest, one, other };
}

describe.skipIf(!sqlite)('after the state was blocked', () => {
  it('a process learns what another one wrote meanwhile, also if it wrote more itself', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => one.recent.add('b', 'create', dataOf('own 1')));
    await one.recent.add('b', 'create', dataOf('own 2'));
    await one.recent.learn('b');
    end();
    await other.recent.add('b', 'create', dataOf('of the other'));
    await untilFree(clock, [one.store]);
    await one.recent.learn('b');
    expect(one.learned).toEqual(['of the other']);
    await other.recent.learn('b');
    expect(other.learned).toEqual(['own 1', 'own 2']);
  });

  it('a process learns what another one wrote, also if it looked between that write and its own return', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => one.recent.add('b', 'create', dataOf('own')));
    end();
    await other.recent.add('b', 'create', dataOf('of the other'));
    await one.recent.learn('b');
    await untilFree(clock, [one.store]);
    await one.recent.learn('b');
    expect(one.learned).toEqual(['of the other']);
  });
});
