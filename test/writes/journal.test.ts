import { describe, expect, it } from 'vitest';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import { newJournalId, StoredJournal } from '../../src/writes/journal.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const START = '2026-11-21T12:00:00Z';
const scope = { caller: '', budgetId: 'home' };
const step = { operation: 'create_transactions', input: {}, data: {} };

describe('the journal', () => {
  it('is bounded, also if each process writes only once', async () => {
    const clock = new ManualClock(START);
    const memory = new SharedMemory();
    const ids: string[] = [];
    for (let i = 0; i < 520; i += 1) {
      const id = newJournalId();
      ids.unshift(id);
      const head = { ...scope, id, at: clock.now(), tool: 'create_transactions' };
      await new StoredJournal(new MemoryStore(clock, memory)).append(head, 1, step);
    }
    expect(memory.logs.get('journal')).toHaveLength(500);
    const entries = await new StoredJournal(new MemoryStore(clock, memory)).list(scope);
    expect(entries.map(({ id }) => id)).toEqual(ids.slice(0, 500));
  });
});
