import { describe, expect, it } from 'vitest';
import { LaterChanges } from '../../src/state/later-changes.ts';
import { type JournalHead, StoredJournal } from '../../src/writes/journal.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

const SCOPE = { caller: 'ann', budgetId: 'b' };

const headOf = (id: string): JournalHead => ({
  id,
  at: 0,
  tool: 'create_payee',
  ...SCOPE,
});

const stepOf = (name: string) => ({
  operation: 'create_payee',
  input: { name },
  data: { payee: { id: name } },
});

describe.skipIf(!sqlite)('while the state is blocked', () => {
  it('a process journals its writes, and all processes have the entries after that', async () => {
    const { clock, path, processes } = await startProcesses(2);
    const [one, other] = processes.map((store) => new StoredJournal(store, new LaterChanges(clock)));
    const ids = async (journal = one) => (await journal?.list(SCOPE))?.map(({ id }) => id);
    await one?.append(headOf('before'), 1, stepOf('a'));
    const end = startWriting(path);
    await changeAfterWait(clock, async () => one?.append(headOf('meanwhile'), 1, stepOf('b')));
    await one?.complete('meanwhile', 1, [{ id: 'other side' }]);
    await one?.markTakenBack('before', 'meanwhile');
    await changeAfterWait(clock, async () => other?.append(headOf('elsewhere'), 1, stepOf('c')));
    expect([await ids(), await ids(other)]).toEqual([
      ['meanwhile', 'before'],
      ['elsewhere', 'before'],
    ]);
    end();
    await untilFree(clock, processes);
    expect((await ids())?.toSorted()).toEqual(['before', 'elsewhere', 'meanwhile']);
    const listed = await other?.list(SCOPE);
    expect(listed?.map(({ id }) => id)).toEqual(await ids());
    expect(listed?.find(({ id }) => id === 'before')).toMatchObject({ takenBackBy: 'meanwhile' });
    expect((await other?.steps('meanwhile'))?.get(1)).toMatchObject({ after: [{ id: 'other side' }] });
  });
});
