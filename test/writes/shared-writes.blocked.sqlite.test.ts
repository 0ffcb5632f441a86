import { describe, expect, it } from 'vitest';
import { LaterChanges } from '../../src/state/later-changes.ts';
import { SharedWrites } from '../../src/writes/shared-writes.ts';
import type { StoredStep } from '../../src/writes/stored-write.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

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

describe.skipIf(!sqlite)('while the state is blocked', () => {
  it('a process begins a write, which is looked for when the process ends after that', async () => {
    const { clock, path, processes } = await startProcesses(2);
    const [one, other] = processes;
    if (!one || !other) throw new Error('Two processes are needed.');
    const writes = new SharedWrites(one, clock, new LaterChanges(clock));
    const end = startWriting(path);
    await changeAfterWait(clock, () => writes.sending(writeOf('under way'), STEP));
    await writes.sending(writeOf('delivered'), STEP);
    await writes.settled('delivered', { outcome: { data: {}, outcome: 'written' }, at: 1 });
    await writes.remove('delivered');
    await writes.sending(writeOf('settled'), STEP);
    await writes.settled('settled', { outcome: { data: {}, outcome: 'written' }, at: 1 });
    await writes.hostLeft('settled');
    expect((await writes.list()).map(({ id }) => id)).toEqual(['under way', 'settled']);
    end();
    await untilFree(clock, [one]);
    const adopting = new SharedWrites(other, clock, new LaterChanges(clock));
    expect((await adopting.adopt()).writes.map(({ id, isAdopted }) => [id, isAdopted])).toEqual([
      ['under way', false],
      ['settled', false],
    ]);
    await one.close();
    const { writes: left, undelivered } = await adopting.adopt();
    expect(left.map(({ id, state }) => [id, state])).toEqual([
      ['under way', 'being_looked_for'],
      ['settled', 'written'],
    ]);
    expect([...undelivered]).toEqual(['under way', 'settled']);
  });
});
