import { expect, test } from 'vitest';
import { type JournalHead, newJournalId, WriteJournal } from '../../../src/session/writes/journal.ts';
import { PendingWrites } from '../../../src/session/writes/pending-writes.ts';
import { FallbackStore } from '../../../src/store/fallback-store.ts';
import { LaterChanges } from '../../../src/store/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import type { LogEntry, NewEntry, SharedStore } from '../../../src/store/shared-store.ts';
import type { StateStatus } from '../../../src/store/shared-stores.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { FullStore } from '../failing-store.helper.ts';

type Step = Parameters<WriteJournal['stepLine']>[2];

/** Adds its lines itself, as a pending write does. */
class Journal extends WriteJournal {
  readonly #store: SharedStore;

  constructor(store: SharedStore, clock: ManualClock, status: () => StateStatus = () => ({ shared: true })) {
    super(store, new LaterChanges(clock), status);
    this.#store = store;
  }

  async append(head: JournalHead, number: number, step: Step): Promise<void> {
    await this.#add(this.stepLine(head, number, step));
  }

  async complete(...line: Parameters<WriteJournal['afterLine']>): Promise<void> {
    await this.#add(this.afterLine(...line));
  }

  async #add({ log, value }: NewEntry): Promise<void> {
    await this.#store.append(log, value);
    await this.trim();
  }
}

const SCOPE = { caller: 'ann', budgetId: 'b' };

const headOf = (id: string, more: Partial<JournalHead> = {}): JournalHead => ({
  id,
  at: 0,
  tool: 'create_payee',
  ...SCOPE,
  ...more,
});

const STEP = { operation: 'create_payee', input: {}, data: {} };
const ROW = { id: 'row' };

const stepOf = (name: string) => ({ ...STEP, input: { name }, data: { payee: { id: name } }, before: [] });

function start() {
  const memory = new SharedMemory();
  const clock = new ManualClock(0);
  const [store, other] = [new MemoryStore(clock, memory), new MemoryStore(clock, memory)];
  const journal = new Journal(store, clock);
  const ids = async () => (await journal.list(SCOPE)).map(({ id }) => id);
  /** How many lines the store has. */
  const lines = () => memory.logs.get('journal')?.length;
  return { store, journal, other: new Journal(other, clock), ids, lines };
}

test('the entries of a caller in a budget are listed newest first, with their steps in order, in every process', async () => {
  const { journal, other } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  await other.append(headOf('two'), 2, stepOf('c'));
  await other.append(headOf('two'), 1, stepOf('b'));
  await journal.append(headOf('three', { caller: 'bob' }), 1, stepOf('d'));
  await journal.append(headOf('four', { budgetId: 'c' }), 1, stepOf('e'));
  const listed = await journal.list(SCOPE);
  expect(listed.map(({ id, steps }) => [id, steps.map(({ input }) => input['name'])])).toEqual([
    ['two', ['b', 'c']],
    ['one', ['a']],
  ]);
  expect(listed.map(({ isOwn }) => isOwn)).toEqual([false, true]);
  expect(await other.list(SCOPE)).toEqual(listed.map((entry) => ({ ...entry, isOwn: !entry.isOwn })));
});

test('a step that is added twice is there once, and keeps what it has written', async () => {
  const { journal, other } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  await journal.complete('one', 1, [{ id: 'other side' }]);
  await other.append(headOf('one'), 1, stepOf('a'));
  expect((await journal.list(SCOPE)).map(({ steps }) => steps)).toEqual([
    [{ ...stepOf('a'), after: [{ id: 'other side' }] }],
  ]);
  expect([...(await other.steps('one')).keys()]).toEqual([1]);
  expect((await other.steps('two')).size).toBe(0);
});

test('an entry that was taken back names the write that took it back', async () => {
  const { journal, other } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  await other.append(headOf('two', { takesBack: 'one' }), 1, stepOf('b'));
  await other.markTakenBack('one', 'two');
  expect(await journal.list(SCOPE)).toMatchObject([
    { id: 'two', takesBack: 'one' },
    { id: 'one', takenBackBy: 'two' },
  ]);
});

test('the newest 500 entries are listed, and older ones are removed from the store', async () => {
  const { journal, ids, lines } = start();
  for (let at = 1; at <= 620; at += 1) await journal.append(headOf(`${at}`), 1, stepOf('a'));
  expect(await ids()).toEqual(Array.from({ length: 500 }, (_, at) => `${620 - at}`));
  expect(lines()).toBeLessThanOrEqual(550);
});

test.each<[string, Step, (typeof ROW)[]]>([
  ['as they were before the write', { ...STEP, before: Array(99).fill(ROW) }, []],
  ['as they are after it', STEP, Array(99).fill(ROW)],
])(
  'the newest entries with 20,000 rows in all are listed, also if the journal has their rows %s',
  async (_, step, after) => {
    const { journal, ids } = start();
    for (let at = 1; at <= 210; at += 1) {
      await journal.append(headOf(`${at}`), 1, step);
      if (after.length > 0) await journal.complete(`${at}`, 1, after);
    }
    expect(await ids()).toEqual(Array.from({ length: 200 }, (_, at) => `${210 - at}`));
  },
);

test('an entry that alone has more rows than are kept is not listed', async () => {
  const { journal, ids } = start();
  await journal.append(headOf('one'), 1, { ...STEP, before: Array(20_000).fill(ROW) });
  expect(await ids()).toEqual([]);
});

test('an entry whose steps lie among those of others is removed as a whole', async () => {
  const { journal, ids } = start();
  await journal.append(headOf('long'), 1, stepOf('a'));
  for (let at = 1; at <= 480; at += 1) await journal.append(headOf(`${at}`), 1, stepOf('a'));
  await journal.append(headOf('long'), 2, stepOf('a'));
  for (let at = 481; at <= 700; at += 1) await journal.append(headOf(`${at}`), 1, stepOf('a'));
  const steps = await journal.steps('long');
  expect([0, 2]).toContain(steps.size);
  expect(await ids()).toEqual(Array.from({ length: 500 }, (_, at) => `${700 - at}`));
});

test('what another version has written into the log is left out, and stays there', async () => {
  const { journal, store, ids, lines } = start();
  await store.append('journal', { head: { id: 'odd' } });
  await journal.append(headOf('one'), 1, stepOf('a'));
  expect(await ids()).toEqual(['one']);
  expect(lines()).toBe(2);
});

test('what is noted of an entry or of a step that is not there changes nothing', async () => {
  const { journal } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  await journal.complete('one', 2, [ROW]);
  await journal.complete('removed', 1, [ROW]);
  await journal.markTakenBack('removed', 'one');
  expect(await journal.list(SCOPE)).toEqual([{ ...headOf('one'), isOwn: true, steps: [stepOf('a')] }]);
});

test('an entry is listed from its first step on, with the plan that was kept last, and belongs to the process that kept it', async () => {
  const { journal, other, ids } = start();
  await journal.keepPlan(headOf('one'), { rows: 1 });
  expect(await ids()).toEqual([]);
  await journal.append(headOf('one'), 1, stepOf('a'));
  await other.keepPlan(headOf('one'), { rows: 2 });
  expect(await other.list(SCOPE)).toEqual([
    { ...headOf('one'), isOwn: true, steps: [stepOf('a')], plan: { rows: 2 } },
  ]);
});

test('a step that the store does not take at first is added when the store can be used again, and the write goes on', async () => {
  const clock = new ManualClock(0);
  const store = new FullStore(clock);
  store.isFull = true;
  const later = new LaterChanges(clock);
  const journal = new WriteJournal(store, later, () => ({ shared: true }));
  const pending = new PendingWrites(store, clock, later);
  await pending.change('w', [], [journal.stepLine(headOf('one'), 1, stepOf('a'))]);
  await pending.change('w', [], [journal.stepLine(headOf('two'), 1, stepOf('b'))]);
  expect(await journal.list(SCOPE)).toEqual([]);
  store.isFull = false;
  clock.advance(1_000);
  await expect.poll(async () => (await journal.list(SCOPE)).map(({ id }) => id)).toEqual(['two', 'one']);
});

test('the journal is bounded also if each process writes only once', async () => {
  const clock = new ManualClock(0);
  const memory = new SharedMemory();
  const journalOfProcess = () => new Journal(new MemoryStore(clock, memory), clock);
  const first = journalOfProcess();
  for (let at = 1; at <= 495; at += 1) await first.append(headOf(`${at}`), 1, stepOf('a'));
  for (let at = 496; at <= 520; at += 1) await journalOfProcess().append(headOf(`${at}`), 1, stepOf('a'));
  expect(memory.logs.get('journal')).toHaveLength(500);
  const listed = await journalOfProcess().list(SCOPE);
  expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, at) => `${520 - at}`));
});

test('when the store goes on in memory, the entries of this process are still listed, newest first', async () => {
  class VanishingStore extends MemoryStore {
    hasVanished = false;
    override async *entries(log: string): AsyncIterable<LogEntry> {
      if (this.hasVanished) throw new StoreError('removed or replaced');
      yield* super.entries(log);
    }
  }
  const clock = new ManualClock(0);
  const file = new VanishingStore(clock, new SharedMemory());
  let hasFailed = false;
  const store = new FallbackStore(file, clock, () => {
    hasFailed = true;
  });
  const journal = new Journal(store, clock, () => ({ shared: !hasFailed, hasFailed }));
  await journal.append(headOf('one'), 1, stepOf('a'));
  file.hasVanished = true;
  for (let reading = 1; reading <= 2; reading += 1)
    expect((await journal.list(SCOPE)).map(({ id, isOwn }) => [id, isOwn])).toEqual([['one', true]]);
  for (let at = 1; at <= 60; at += 1) await journal.append(headOf(`${at}`), 1, stepOf('b'));
  const later = Array.from({ length: 60 }, (_, at) => `${60 - at}`);
  expect((await journal.list(SCOPE)).map(({ id }) => id)).toEqual([...later, 'one']);
});

test('the steps of an entry are not known after the store has failed, because another process may have written them', async () => {
  const clock = new ManualClock(0);
  const file = new MemoryStore(clock, new SharedMemory());
  let hasFailed = false;
  const store = new FallbackStore(file, clock, () => {
    hasFailed = true;
  });
  const journal = new Journal(store, clock, () => ({ shared: !hasFailed, hasFailed }));
  await journal.append(headOf('one'), 1, stepOf('a'));
  file.entries = () => {
    throw new StoreError('not readable or not writable');
  };
  for (const _ of ['while it fails', 'after that'])
    await expect(journal.steps('one')).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('while the store cannot be read, the steps of an entry are not known, and no entry is listed', async () => {
  const { store, journal, ids } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  const { entries } = MemoryStore.prototype;
  store.entries = async function* (log) {
    yield* entries.call(store, log);
    throw new StoreError('not answering');
  };
  await expect(journal.steps('one')).rejects.toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('journal of its writes cannot be read'),
  });
  expect(await ids()).toEqual([]);
});

test('a bug while the store is read is not taken for an empty journal', async () => {
  const { store, journal, ids } = start();
  await journal.append(headOf('one'), 1, stepOf('a'));
  store.entries = () => {
    throw new TypeError('a bug');
  };
  await expect(ids()).rejects.toThrow('a bug');
});

test('ids differ', () => {
  expect(new Set(Array.from({ length: 100 }, newJournalId)).size).toBe(100);
});
