/** The rules of `SharedStore`, for every kind of store. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Clock, yieldTurn } from '../../src/base/clock.ts';
import type { BudgetError } from '../../src/base/errors.ts';
import { PendingWrites } from '../../src/session/writes/pending-writes.ts';
import { WriteTurns } from '../../src/session/writes/write-turns.ts';
import { LaterChanges } from '../../src/store/later-changes.ts';
import { ENTRIES_OF_LOOK, SharedRecord, type SharedStore } from '../../src/store/shared-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { STEP, sentWriteOf } from '../session/writes/pending.helper.ts';

const START = '2026-11-21T12:00:00Z';

export const valuesOf = async (store: SharedStore, log: string, after?: number) => {
  const values: unknown[] = [];
  for await (const { value } of store.entries(log, after)) values.push(value);
  return values;
};

const NAMES = ['a', 'b', 'c'] as const;
const someChange = fc.record({
  kind: fc.constantFrom('update', 'remove', 'append', 'trim'),
  name: fc.constantFrom(...NAMES),
  value: fc.integer(),
});

type SomeChange = typeof someChange extends fc.Arbitrary<infer Value> ? Value : never;

async function change(store: SharedStore, { kind, name, value }: SomeChange): Promise<void> {
  if (kind === 'append') await store.append(name, value);
  else if (kind === 'trim') await store.trim(name, Math.abs(value) % 10);
  else
    await store.update(name, () => ({ value: kind === 'update' ? { value } : undefined, result: undefined }));
}

/** What `look` should show, by other requests. */
async function oneByOne(store: SharedStore, after: number) {
  const entriesOf = async (log: string) => {
    const entries = [];
    for await (const entry of store.entries(log, after)) entries.push(entry);
    return entries.slice(0, ENTRIES_OF_LOOK);
  };
  const records = NAMES.map(async (name) => [name, await store.read(name)] as const);
  const logs = NAMES.map(async (log) => [log, await entriesOf(log)] as const);
  return { records: new Map(await Promise.all(records)), logs: new Map(await Promise.all(logs)) };
}

/** `open` opens the same store each time within one test, if the kind of store allows that. */
export function describeSharedStore(kind: string, open: (clock: ManualClock) => Promise<SharedStore>): void {
  describe(`a store ${kind}`, () => {
    it('has no record before one is written', async () => {
      const store = await open(new ManualClock(START));
      expect(await store.read('a')).toBeUndefined();
    });

    it('keeps the value of each record, and gives it to the next change', async () => {
      const store = await open(new ManualClock(START));
      const seen = await store.update('a', (value) => ({ value: { count: 1 }, result: value }));
      await store.update('b', () => ({ value: ['other'], result: undefined }));
      expect(seen).toBeUndefined();
      expect(await store.update('a', (value) => ({ value: { count: 2 }, result: value }))).toEqual({
        count: 1,
      });
      expect(await store.read('a')).toEqual({ count: 2 });
      expect(await store.read('b')).toEqual(['other']);
    });

    it('removes a record whose new value is undefined', async () => {
      const store = await open(new ManualClock(START));
      await store.update('a', () => ({ value: 1, result: undefined }));
      await store.update('a', () => ({ value: undefined, result: undefined }));
      expect(await store.read('a')).toBeUndefined();
    });

    it('keeps the old value if a change throws', async () => {
      const store = await open(new ManualClock(START));
      await store.update('a', () => ({ value: 1, result: undefined }));
      const failing = store.update('a', () => {
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      expect(await store.read('a')).toBe(1);
    });

    it('adds entries to logs with the change of a record, and none if the change throws', async () => {
      const store = await open(new ManualClock(START));
      const first = await store.append('log', 'first');
      await store.update('a', (value) => ({
        value: 1,
        result: value,
        entries: [
          { log: 'log', value: { text: 'second' } },
          { log: 'other', value: 'elsewhere' },
          { log: 'log', value: 'third' },
        ],
      }));
      const failing = store.update('a', () => {
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      await store.update('a', () => ({
        value: undefined,
        result: undefined,
        entries: [{ log: 'log', value: 4 }],
      }));
      expect(await valuesOf(store, 'log', first)).toEqual([{ text: 'second' }, 'third', 4]);
      expect(await valuesOf(store, 'other')).toEqual(['elsewhere']);
      const numbers: number[] = [];
      for await (const { number } of store.entries('log')) numbers.push(number);
      expect(new Set(numbers).size).toBe(4);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const seen = await store.look({ records: ['a'], logs: [{ log: 'log', after: first }] });
      expect(seen.records.get('a')).toBeUndefined();
      expect(seen.logs.get('log')).toHaveLength(3);
    });

    it('gives a change the time, which goes on by both clocks', async () => {
      const clock = new ManualClock(START);
      const store = await open(clock);
      const timeOfChange = () => store.update('a', (_, now) => ({ value: 1, result: now }));
      const first = await timeOfChange();
      clock.advance(1_000);
      const second = await timeOfChange();
      expect(second.monotonic - first.monotonic).toBe(1_000);
      expect(second.wall).toBeGreaterThanOrEqual(first.wall);
    });

    it('keeps the entries of each log in their order, and gives those after a number', async () => {
      const store = await open(new ManualClock(START));
      const first = await store.append('log', { text: 'one' });
      await store.append('other', 'elsewhere');
      const second = await store.append('log', { text: 'two' });
      expect(second).toBeGreaterThan(first);
      expect(await valuesOf(store, 'log')).toEqual([{ text: 'one' }, { text: 'two' }]);
      expect(await valuesOf(store, 'log', first)).toEqual([{ text: 'two' }]);
      expect(await valuesOf(store, 'log', second)).toEqual([]);
    });

    it('removes the first entries of a log, or all of them, and uses no number again', async () => {
      const store = await open(new ManualClock(START));
      const first = await store.append('log', 1);
      const second = await store.append('log', 2);
      await store.trim('log', first);
      expect(await valuesOf(store, 'log')).toEqual([2]);
      await store.trim('log');
      expect(await valuesOf(store, 'log')).toEqual([]);
      expect(await store.append('log', 3)).toBeGreaterThan(second);
    });

    it('removes a log that is kept for some time, so long after its last entry that says so, and no other one', async () => {
      const clock = new ManualClock(START);
      const store = await open(clock);
      // In Redis the real time counts.
      const add = (log: string, keptMs?: number) =>
        store.update('a', () => ({
          value: 1,
          result: undefined,
          entries: [{ log, value: log, ...(keptMs !== undefined && { keptMs }) }],
        }));
      await add('short', 100);
      await add('prolonged', 100);
      await add('prolonged', 3_600_000);
      await add('lasting');
      clock.advance(100);
      await expect.poll(() => valuesOf(store, 'short'), { timeout: 10_000 }).toEqual([]);
      const { logs } = await store.look({ records: [], logs: [{ log: 'short', after: 0 }] });
      expect(logs.get('short')).toEqual([]);
      expect(await valuesOf(store, 'prolonged')).toEqual(['prolonged', 'prolonged']);
      expect(await valuesOf(store, 'lasting')).toEqual(['lasting']);
      await add('short');
      expect(await valuesOf(store, 'short')).toEqual(['short']);
    });

    it('removes nothing up to a number before the first entry', async () => {
      const store = await open(new ManualClock(START));
      const first = await store.append('log', 1);
      for (const number of [first - 1, 0, -1, -1_000]) await store.trim('log', number);
      expect(await valuesOf(store, 'log')).toEqual([1]);
    });

    it('keeps a large value as it is', async () => {
      const store = await open(new ManualClock(START));
      const value = Array.from({ length: 20_000 }, (_, i) => ({ id: `${i}`, memo: `Łódź ${i % 7} 🛒` }));
      await store.append('log', value);
      expect(await valuesOf(store, 'log')).toEqual([value]);
    });

    it('looks at nothing, and at what is missing', async () => {
      const clock = new ManualClock(START);
      const store = await open(clock);
      const { records, logs } = await store.look({ records: ['a'], logs: [{ log: 'log', after: 0 }] });
      expect([records.get('a'), logs.get('log')]).toEqual([undefined, []]);
      expect(await store.look({ records: [] })).toMatchObject({ records: new Map(), logs: new Map() });
      const earlier = await store.update('a', (_, now) => ({ value: 1, result: now }));
      const { now } = await store.look({ records: ['a', 'b'] });
      expect(now.monotonic).toBeGreaterThanOrEqual(earlier.monotonic);
      clock.advance(1_000);
      const later = await store.look({ records: ['b', 'a'] });
      expect(later.now.monotonic - now.monotonic).toBe(1_000);
      expect([later.records.get('a'), later.records.get('b')]).toEqual([1, undefined]);
    });

    it('a look shows a bounded number of entries, and the others follow', async () => {
      const store = await open(new ManualClock(START));
      const numbers = Array.from({ length: ENTRIES_OF_LOOK + 2 }, (_, i) => i);
      for (const number of numbers) await store.append('log', number);
      const { logs } = await store.look({ records: [], logs: [{ log: 'log', after: 0 }] });
      const seen = logs.get('log') ?? [];
      expect(seen.map(({ value }) => value)).toEqual(numbers.slice(0, ENTRIES_OF_LOOK));
      expect(await valuesOf(store, 'log', seen.at(-1)?.number)).toEqual(numbers.slice(ENTRIES_OF_LOOK));
    });

    it('a value that a look has read is parsed by its record', async () => {
      const store = await open(new ManualClock(START));
      const record = new SharedRecord(store, 'a', z.object({ count: z.number() }), { count: 0 });
      const parsed = async () =>
        record.parse((await store.look({ records: [record.name] })).records.get('a'));
      expect(await parsed()).toEqual({ count: 0 });
      await record.update(() => ({ value: { count: 1 }, result: undefined }));
      expect(await parsed()).toEqual({ count: 1 });
    });

    it('gives a lock to one after the other', async () => {
      const clock = new ManualClock(START);
      const store = await open(clock);
      const release = await store.lock('a', { waitMs: 0 });
      expect(release).toBeDefined();
      expect(await store.lock('a', { waitMs: 0 })).toBeUndefined();
      const other = await store.lock('b', { waitMs: 0 });
      expect(other).toBeDefined();
      await release?.();
      const next = await store.lock('a', { waitMs: 0 });
      expect(next).toBeDefined();
      await next?.();
      await other?.();
    });

    it('a second release of a lock does not release the lock of the next one', async () => {
      const store = await open(new ManualClock(START));
      const release = await store.lock('a', { waitMs: 0 });
      await release?.();
      const next = await store.lock('a', { waitMs: 0 });
      await release?.();
      expect(await store.lock('a', { waitMs: 0 })).toBeUndefined();
      await next?.();
    });

    it('a call that waits for a lock stops waiting when it is cancelled', async () => {
      const store = await open(new ManualClock(START));
      const release = await store.lock('a', { waitMs: 0 });
      const controller = new AbortController();
      const waiting = store.lock('a', { waitMs: 60_000, signal: controller.signal });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
      await release?.();
      expect(await store.lock('a', { waitMs: 0 })).toBeDefined();
    });

    it('knows that its own process runs, and that an unknown process does not', async () => {
      const store = await open(new ManualClock(START));
      expect(await store.isRunning(store.processId)).toBe(true);
      expect(await store.isRunning('00000000-0000-4000-8000-000000000000')).toBe(false);
    });

    it('a record that does not fit its schema counts as missing', async () => {
      const store = await open(new ManualClock(START));
      const record = new SharedRecord(store, 'a', z.object({ count: z.number() }), { count: 0 });
      await store.update('a', () => ({ value: { count: 'many' }, result: undefined }));
      expect(await record.read()).toEqual({ count: 0 });
      const before = await record.update(({ count }) => ({ value: { count: count + 1 }, result: count }));
      expect(before).toBe(0);
      expect(await record.read()).toEqual({ count: 1 });
    });
  });
}

/** `openAll` opens the stores of several processes on the same state. */
export function describeSharingProcesses(
  kind: string,
  openAll: (clock: ManualClock, count: number) => Promise<readonly SharedStore[]>,
): void {
  const openTwo = async (clock = new ManualClock(START)) => {
    const [one, other] = await openAll(clock, 2);
    if (!one || !other) throw new Error('Two stores are needed.');
    return { one, other };
  };

  describe(`processes that share a store ${kind}`, () => {
    it('each sees what the others write', async () => {
      const { one, other } = await openTwo();
      await one.update('a', () => ({ value: 1, result: undefined }));
      expect(await other.read('a')).toBe(1);
      await other.update('a', () => ({ value: 2, result: undefined }));
      expect(await one.read('a')).toBe(2);
      await one.append('log', 'entry');
      expect(await valuesOf(other, 'log')).toEqual(['entry']);
    });

    it('the version changes when another process has changed something', async () => {
      const { one, other } = await openTwo();
      await one.update('a', () => ({ value: 1, result: undefined }));
      const before = other.version;
      expect(other.version).toBe(before);
      await one.append('log', 'entry');
      // A store of several machines hears of it a moment later.
      await expect.poll(() => other.version).not.toBe(before);
    });

    it('no change of a record is lost, however many processes change it', async () => {
      const stores = await openAll(new ManualClock(START), 4);
      const increments = stores.flatMap((store) =>
        Array.from({ length: 25 }, () =>
          store.update('count', (value) => ({ value: Number(value ?? 0) + 1, result: undefined })),
        ),
      );
      await Promise.all(increments);
      expect(await stores[0]?.read('count')).toBe(100);
    });

    it('a look of each shows what reading one by one shows, after any changes of any of them', async () => {
      const { one, other } = await openTwo();
      const changes = fc.array(fc.tuple(fc.boolean(), someChange), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(changes, fc.nat(20), async (made, after) => {
          for (const [isOwn, each] of made) await change(isOwn ? one : other, each);
          const logs = NAMES.map((log) => ({ log, after }));
          for (const store of [one, other]) {
            const { records, logs: entries } = await store.look({ records: NAMES, logs });
            expect({ records, logs: entries }).toEqual(await oneByOne(store, after));
          }
        }),
        { numRuns: 30 },
      );
    });

    it('a look shows everything that was written before anything that it shows', async () => {
      const { one, other } = await openTwo();
      const write = async () => {
        for (let count = 1; count <= 40; count += 1) {
          await one.update('a', () => ({ value: count, result: undefined }));
          await one.update('b', () => ({ value: count, result: undefined }));
          await one.append('log', count);
        }
        isWritten = true;
      };
      let isWritten = false;
      const writing = write();
      do {
        const { records, logs } = await other.look({ records: ['b', 'a'], logs: [{ log: 'log', after: 0 }] });
        const [a, b] = [Number(records.get('a') ?? 0), Number(records.get('b') ?? 0)];
        const appended = logs.get('log')?.length ?? 0;
        expect([a - b, b - appended, a - appended].every((lead) => lead === 0 || lead === 1)).toBe(true);
        await yieldTurn();
      } while (!isWritten);
      await writing;
    });

    it('a lock of one process is not given to another one before it is released', async () => {
      const { one, other } = await openTwo();
      const release = await one.lock('a', { waitMs: 0 });
      expect(await other.lock('a', { waitMs: 0 })).toBeUndefined();
      await release?.();
      expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
    });

    describe('their turns to write', () => {
      const turnsOf = (store: SharedStore, clock: Clock) =>
        new WriteTurns(new PendingWrites(store, clock, new LaterChanges(clock)), clock, () => ({
          shared: true,
        }));

      /** A turn of one process, whose timers stand still as if it was suspended, and attempts of another one to get the next. */
      async function suspended() {
        const clock = new ManualClock(START);
        const { one, other } = await openTwo(clock);
        const still: Clock = {
          now: () => clock.now(),
          monotonic: () => clock.monotonic(),
          sleep: (_, signal) => new ManualClock(START).sleep(1, signal),
        };
        let goOn = () => {};
        const goesOn = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        let begin = () => {};
        const begun = new Promise<void>((resolve) => {
          begin = resolve;
        });
        const turn = turnsOf(one, still).run('b', {}, async ({ noteRequest }) => {
          const write = sentWriteOf('w', one.processId, { state: 'planned' });
          await noteRequest(write, STEP, []);
          begin();
          await goesOn;
          await noteRequest(write, STEP, []);
        });
        await begun;
        const turns = turnsOf(other, clock);
        const attempt = () =>
          turns
            .run('b', { remainingMs: () => 0 }, async () => 'begun')
            .catch(({ code }: BudgetError) => code);
        return { clock, one, turn, goOn, attempt };
      }

      it('end for a process that does not move for 45 s, which may not send any more', async () => {
        const { clock, turn, goOn, attempt } = await suspended();
        clock.advance(43_000);
        expect([await attempt(), await attempt()]).toEqual(['not_written', 'not_written']);
        clock.advance(1_000);
        await attempt();
        expect(await attempt()).toBe('begun');
        goOn();
        await expect(turn).rejects.toMatchObject({ code: 'not_written' });
        expect(await attempt()).toBe('begun');
      });

      it('end with their process', async () => {
        const { one, goOn, turn, attempt } = await suspended();
        await one.close();
        expect(await attempt()).toBe('begun');
        goOn();
        await turn.catch(() => {});
      });

      it('go on for a process that goes on in time', async () => {
        const { clock, turn, goOn, attempt } = await suspended();
        clock.advance(43_000);
        goOn();
        await turn;
        expect(await attempt()).toBe('begun');
      });
    });

    it('the locks of a process that has ended are free, and it does not run any more', async () => {
      const { one, other } = await openTwo();
      await one.lock('a', { waitMs: 0 });
      expect(await other.isRunning(one.processId)).toBe(true);
      await one.close();
      expect(await other.isRunning(one.processId)).toBe(false);
      expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
    });
  });
}
