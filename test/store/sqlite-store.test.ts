import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { yieldTurn } from '../../src/base/clock.ts';
import type { SharedStore } from '../../src/store/shared-store.ts';
import { emptyDatabase } from '../../src/store/sqlite-file.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { expectMode, isPosix } from '../posix.helper.ts';
import { describeSharedStore, describeSharingProcesses, valuesOf } from './shared-store-contract.helper.ts';
import { key, openDatabase, openStore, sqlite, temporaryDirectory } from './sqlite.helper.ts';

const START = '2026-11-21T12:00:00Z';
const newPath = () => join(temporaryDirectory(), 'state.db');
const filesBeside = (path: string) =>
  readdirSync(dirname(path), { recursive: true, encoding: 'utf8' })
    .map((name) => join(dirname(path), name))
    .filter((file) => statSync(file).isFile());

/** Whether another process could write to the file now. */
function canBeChanged(path: string): boolean {
  const database = sqlite?.(path);
  try {
    database?.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  } finally {
    database?.close();
  }
}

describe.skipIf(!sqlite)('with SQLite', () => {
  describeSharedStore('in a file', async (clock) => openStore(newPath(), clock));

  describeSharingProcesses('in a file', async (clock, count) => {
    const path = newPath();
    const stores: SharedStore[] = [];
    while (stores.length < count) stores.push(await openStore(path, clock));
    return stores;
  });

  describe('a store in a file', () => {
    it('still has its records and logs when it is opened again', async () => {
      const path = newPath();
      const first = await openStore(path, new ManualClock(START));
      await first.update('a', () => ({ value: { count: 1 }, result: undefined }));
      await first.append('log', 'entry');
      await first.close();
      const second = await openStore(path, new ManualClock(START));
      expect(await second.read('a')).toEqual({ count: 1 });
      expect(await valuesOf(second, 'log')).toEqual(['entry']);
    });

    it('shows no name and no value in its files, and other users cannot read them', async () => {
      const path = newPath();
      const store = await openStore(path, new ManualClock(START));
      const memo = 'Dinner with Zoë at the harbour';
      await store.update('budget of Zoë', () => ({
        value: { memo, amount: 123_456_789 },
        result: undefined,
      }));
      await store.append(
        'budget of Zoë',
        Array.from({ length: 200 }, () => ({ memo, amount: 123_456_789 })),
      );
      const release = await store.lock('write budget of Zoë', { waitMs: 0 });
      const files = filesBeside(path);
      expect(files.length).toBeGreaterThan(3);
      for (const file of files) {
        const bytes = readFileSync(file);
        for (const secret of ['Zoë', 'Dinner', '123456789', 'budget of'])
          expect(bytes.includes(secret), `${basename(file)} has ${secret}`).toBe(false);
        expect(basename(file)).not.toContain('Zo');
        await expectMode(file, 0o600);
      }
      await release?.();
    });

    it.each([
      ['has another content', (path: string) => writeFileSync(path, 'not a database '.repeat(500))],
      ['is torn', (path: string) => truncateSync(path, 5_000)],
      ['has no more than its first bytes', (path: string) => truncateSync(path, 50)],
    ])('is set aside and made again if the file %s', async (_, damage) => {
      const path = newPath();
      const first = await openStore(path, new ManualClock(START));
      await first.update('a', () => ({ value: 1, result: undefined }));
      await first.close();
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      damage(path);
      const second = await openStore(path, new ManualClock(START));
      await second.update('b', () => ({ value: 2, result: undefined }));
      expect(await second.read('b')).toBe(2);
      expect(existsSync(`${path}.unusable`)).toBe(true);
    });

    it('reads the time of a change when no other process can change anything', async () => {
      const path = newPath();
      let isChanging = false;
      const seen: string[] = [];
      class ProbingClock extends ManualClock {
        override monotonic(): number {
          if (isChanging) seen.push(canBeChanged(path) ? 'open' : 'locked');
          return super.monotonic();
        }
      }
      const store = await openStore(path, new ProbingClock(START));
      await store.read('a');
      isChanging = true;
      const now = await store.update('a', (_, now) => ({ value: 1, result: now }));
      expect(now).toEqual({ wall: Date.parse(START), monotonic: 0 });
      expect(seen.at(-1)).toBe('locked');
    });

    it('says that the disk is full, and keeps what it has', async () => {
      const path = newPath();
      const store = await openStore(path, new ManualClock(START), key, (file, options) => {
        const database = openDatabase(file, options);
        if (file === path) database.exec('PRAGMA max_page_count = 12');
        return database;
      });
      await store.update('a', () => ({ value: 1, result: undefined }));
      const large = randomBytes(200_000).toString('base64');
      const update = store.update('a', () => ({ value: large, result: undefined }));
      await expect(update).rejects.toMatchObject({ reason: 'on a full disk', isDamage: false });
      expect(await store.read('a')).toBe(1);
    });

    it('remembers the records that were used last, and none that are missing', async () => {
      let selects = 0;
      const store = await openStore(newPath(), new ManualClock(START), key, (file, options) => {
        const database = openDatabase(file, options);
        return {
          exec: (sql) => database.exec(sql),
          close: () => database.close(),
          prepare(sql) {
            if (sql.startsWith('SELECT value FROM records')) selects += 1;
            return database.prepare(sql);
          },
        };
      });
      const selectsOf = async (name: string) => {
        const before = selects;
        await store.read(name);
        return selects - before;
      };
      await store.read('anything');
      await store.update('used often', () => ({ value: 1, result: undefined }));
      await store.update('used once', () => ({ value: null, result: undefined }));
      expect([await selectsOf('used often'), await selectsOf('used once')]).toEqual([0, 0]);
      await store.update('removed', () => ({ value: undefined, result: undefined }));
      for (const name of ['removed', 'never written'])
        expect([await selectsOf(name), await selectsOf(name)], name).toEqual([1, 1]);
      for (let count = 0; count < 1_000; count += 1) {
        await store.update(`other ${count}`, () => ({ value: count, result: undefined }));
        await store.read('used often');
      }
      expect([await selectsOf('used often'), await selectsOf('used once')]).toEqual([0, 1]);
    });

    it('waits while another process writes, and does other work meanwhile', async () => {
      const path = newPath();
      const clock = new ManualClock(START);
      const store = await openStore(path, clock);
      const other = openDatabase(path);
      other.exec('BEGIN IMMEDIATE');
      const update = store.update('a', () => ({ value: 1, result: undefined }));
      const append = store.append('log', 'entry');
      clock.advance(5_000);
      await yieldTurn();
      other.exec('ROLLBACK');
      other.close();
      clock.advance(50);
      await Promise.all([update, append]);
      expect([await store.read('a'), await valuesOf(store, 'log')]).toEqual([1, ['entry']]);
    });

    it('fails as blocked if another process writes for too long', async () => {
      const path = newPath();
      const clock = new ManualClock(START);
      const store = await openStore(path, clock);
      const other = openDatabase(path);
      onTestFinished(() => other.close());
      other.exec('BEGIN IMMEDIATE');
      const update = store.update('a', () => ({ value: 1, result: undefined }));
      clock.advance(8_000);
      await expect(update).rejects.toMatchObject({ reason: 'blocked by another process' });
    });

    it('removes the locks of processes that were killed when it is opened', async () => {
      const path = newPath();
      const running = await openStore(path, new ManualClock(START));
      const lockOf = (id: string) => join(`${path}.locks`, `process-${id}.lock`);
      const killed = lockOf('00000000-0000-4000-8000-000000000000');
      writeFileSync(killed, '');
      writeFileSync(lockOf('00000000-0000-4000-8000-000000000001'), 'no lock '.repeat(1_000));
      const opened = await openStore(path, new ManualClock(START));
      expect(existsSync(killed)).toBe(false);
      expect(await opened.isRunning(running.processId)).toBe(true);
    });

    it('is set aside and made again if it was written with another key', async () => {
      const path = newPath();
      const first = await openStore(path, new ManualClock(START));
      await first.update('a', () => ({ value: 1, result: undefined }));
      await first.close();
      const second = await openStore(path, new ManualClock(START), new Uint8Array(32).fill(8));
      expect(await second.read('a')).toBeUndefined();
      expect(existsSync(`${path}.unusable`)).toBe(true);
    });

    it('fails as damaged if a value was put in the place of another one, and is replaced when it is opened next', async () => {
      const path = newPath();
      const store = await openStore(path, new ManualClock(START));
      await store.update('a', () => ({ value: 1, result: undefined }));
      await store.update('b', () => ({ value: 2, result: undefined }));
      const database = sqlite?.(path);
      database?.exec('UPDATE records SET value = (SELECT value FROM records ORDER BY name LIMIT 1)');
      database?.close();
      const reads = await Promise.allSettled(['a', 'b'].map((name) => store.read(name)));
      expect(reads).toContainEqual(
        expect.objectContaining({ reason: expect.objectContaining({ name: 'StoreError', isDamage: true }) }),
      );
      await store.close();
      const next = await openStore(path, new ManualClock(START));
      expect(await Promise.all([next.read('a'), next.read('b')])).toEqual([undefined, undefined]);
      await next.close();
      const last = await openStore(path, new ManualClock(START));
      await last.update('a', () => ({ value: 3, result: undefined }));
      expect([existsSync(`${path}.unusable`), existsSync(`${path}.damaged`)]).toEqual([true, false]);
    });

    it.runIf(isPosix)(
      'fails once the lock of its process has been removed, because the others take it for ended',
      async () => {
        const path = newPath();
        const clock = new ManualClock(START);
        const [store, other] = [await openStore(path, clock), await openStore(path, clock)];
        await store.update('a', () => ({ value: 1, result: undefined }));
        rmSync(join(`${path}.locks`, `process-${store.processId}.lock`));
        expect(await other.isRunning(store.processId)).toBe(false);
        clock.advance(1_000);
        const update = store.update('a', () => ({ value: 2, result: undefined }));
        await expect(update).rejects.toMatchObject({ reason: 'removed or replaced' });
        expect(await other.read('a')).toBe(1);
      },
    );

    it('fails once its file has been emptied, because it could not be removed, and keeps nothing', async () => {
      const path = newPath();
      const store = await openStore(path, new ManualClock(START));
      await store.update('a', () => ({ value: 'x'.repeat(10_000), result: undefined }));
      emptyDatabase(openDatabase, path);
      await expect(store.update('a', () => ({ value: 2, result: undefined }))).rejects.toThrow();
      await expect(store.read('a')).rejects.toThrow();
    });

    it('is written through the cache of the disk on macOS', async () => {
      const settings: unknown[] = [];
      const open: typeof openDatabase = (path, options) => {
        const database = openDatabase(path, options);
        const close = () => {
          settings.push(database.prepare('PRAGMA fullfsync').get());
          database.close();
        };
        return { exec: (sql) => database.exec(sql), prepare: (sql) => database.prepare(sql), close };
      };
      const path = newPath();
      await (await openStore(path, new ManualClock(START), key, open)).close();
      expect(settings).toContainEqual({ fullfsync: 1 });
    });

    it.runIf(isPosix)('fails once its file has been removed', async () => {
      const path = newPath();
      const clock = new ManualClock(START);
      const store = await openStore(path, clock);
      await store.update('a', () => ({ value: 1, result: undefined }));
      for (const file of filesBeside(path)) rmSync(file, { force: true });
      clock.advance(1_000);
      await expect(store.read('a')).rejects.toMatchObject({ reason: 'removed or replaced' });
      await expect(store.update('a', () => ({ value: 2, result: undefined }))).rejects.toThrow();
      expect(existsSync(path)).toBe(false);
    });

    it('cannot be opened in a place that is not a directory', async () => {
      const file = join(temporaryDirectory(), 'file');
      writeFileSync(file, '');
      await expect(openStore(join(file, 'state.db'), new ManualClock(START))).rejects.toMatchObject({
        name: 'StoreError',
      });
    });
  });
});
