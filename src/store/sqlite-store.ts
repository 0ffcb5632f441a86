/**
 * A store in one file, for all processes of a user on one machine. Values are sealed, so that the file says nothing without
 * its key. Every method throws `StoreError` if the file cannot be used any more.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Clock, momentOf } from '../base/clock.ts';
import { FileLocks, type OwnProcess, RunningProcesses } from './file-lock.ts';
import { Seal } from './seal.ts';
import {
  type Change,
  ENTRIES_OF_LOOK,
  type LockOptions,
  type LogEntry,
  type Look,
  type NewEntry,
  type Release,
  type Seen,
  type SharedStore,
  type StoredValue,
} from './shared-store.ts';
import type { OpenDatabase, SqliteDatabase, SqliteValue } from './sqlite.ts';
import {
  addEntry,
  entriesIn,
  fileNumberOf,
  markDamaged,
  openOrReplace,
  removeEnded,
  whileBusy,
} from './sqlite-file.ts';
import { isDamage, StoreError, storeErrorOf } from './store-error.ts';

export interface SqliteStoreOptions {
  readonly sqlite: OpenDatabase;
  readonly clock: Clock;
  /** In a directory of this user only. SQLite's own files and a folder with locks lie beside it. */
  readonly path: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Another process opens or replaces the file for no longer. */
const OPENING_MS = 5_000;
/** How often it is checked at most that the file is still there, except by a look. */
const CHECK_MS = 1_000;
/** The values of so many records are remembered, so that they need not be read and opened again. */
const MAX_VALUES = 500;
/** Entries are read in groups, so that a large log is never in memory as a whole. */
const ENTRIES_AT_ONCE = 4;

const recordRow = z.object({ value: z.instanceof(Uint8Array) }).optional();
const versionRow = z.object({ data_version: z.number() });

export class SqliteStore implements SharedStore {
  readonly processId: string;
  readonly #options: SqliteStoreOptions;
  readonly #seal: Seal;
  readonly #locks: FileLocks;
  readonly #database: SqliteDatabase;
  readonly #processes: RunningProcesses;
  readonly #own: OwnProcess;
  readonly #fileNumber: bigint | undefined;
  /** Records as they were at `#valuesVersion`, parsed. None that are missing: strangers can ask for any number of those. */
  readonly #values = new LRUCache<string, { readonly value: unknown }>({ max: MAX_VALUES });
  #valuesVersion = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  readonly #ownLocks = new Set<Release>();
  #isClosed = false;

  private constructor(options: SqliteStoreOptions, database: SqliteDatabase, own: OwnProcess) {
    this.#options = options;
    this.#seal = new Seal(options.key);
    this.#locks = new FileLocks(options.sqlite, options.clock);
    this.#database = database;
    this.#processes = new RunningProcesses(locksOf(options.path), this.#locks);
    this.processId = own.id;
    this.#own = own;
    this.#fileNumber = fileNumberOf(options.path);
  }

  /** A file that is damaged, or that was written with another key, is set aside and replaced. */
  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const { sqlite, clock, path, key } = options;
    const locks = new FileLocks(sqlite, clock);
    try {
      mkdirSync(locksOf(path), { recursive: true, mode: 0o700 });
      const release = await locks.take(join(locksOf(path), 'opening.lock'), { waitMs: OPENING_MS });
      if (!release) throw new StoreError('blocked by another process');
      try {
        const database = openOrReplace(sqlite, path, new Seal(key));
        removeEnded(database, clock.now());
        const own = await new RunningProcesses(locksOf(path), locks).add();
        if (!own) throw new StoreError('blocked by another process');
        return new SqliteStore(options, database, own);
      } finally {
        await release();
      }
    } catch (error) {
      throw storeErrorOf(error);
    }
  }

  get version(): number {
    return this.#try(() => {
      this.#checkFile();
      return versionRow.parse(this.#database.prepare('PRAGMA data_version').get()).data_version;
    });
  }

  async read(name: string): Promise<unknown> {
    this.#forgetChanged();
    return this.#try(() => this.#valueOf(name));
  }

  async look({ records, logs = [] }: Look): Promise<Seen> {
    return this.#try(() => {
      // A call that has begun after the file was removed must not answer by what is in it.
      this.#checkFile(0);
      return this.#transaction('DEFERRED', () => {
        this.#forgetChanged();
        return {
          records: new Map(records.map((name) => [name, this.#valueOf(name)])),
          logs: new Map(logs.map(({ log, after }) => [log, this.#entriesOf(log, after, ENTRIES_OF_LOOK)])),
          now: momentOf(this.#options.clock),
          isAlone: false,
        };
      });
    });
  }

  async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    return this.#write(() => {
      const { value, result } = this.#transaction('IMMEDIATE', () => {
        const before = this.#readRecord(name);
        // Not before: a change of another process, which this one waited for, must not be later than this one.
        const changed = change(before, momentOf(this.#options.clock));
        this.#writeRecord(name, changed.value);
        for (const entry of changed.entries ?? []) this.#append(entry);
        return changed;
      });
      this.#remember(name, value);
      return result;
    });
  }

  async append(log: string, value: StoredValue): Promise<number> {
    return this.#write(() => this.#append({ log, value }));
  }

  async *entries(log: string, after = 0): AsyncIterable<LogEntry> {
    for (let last = after; ; ) {
      const entries = this.#try(() => this.#entriesOf(log, last, ENTRIES_AT_ONCE));
      yield* entries;
      if (entries.length < ENTRIES_AT_ONCE) return;
      last = entries.at(-1)?.number ?? last;
    }
  }

  async trim(log: string, upTo = Number.MAX_SAFE_INTEGER): Promise<void> {
    const place = this.#seal.nameOf(log);
    await this.#write(() => {
      this.#run('DELETE FROM entries WHERE log = ? AND number <= ?', place, upTo);
      this.#run('DELETE FROM ends WHERE log = ? AND log NOT IN (SELECT log FROM entries)', place);
    });
  }

  async lock(name: string, options: LockOptions): Promise<Release | undefined> {
    const path = join(locksOf(this.#options.path), `${this.#seal.nameOf(name).toString('hex')}.lock`);
    const taken = await this.#locks.take(path, options).catch((error: unknown) => {
      throw storeErrorOf(error);
    });
    if (!taken) return undefined;
    const release = async () => {
      this.#ownLocks.delete(release);
      await taken();
    };
    this.#ownLocks.add(release);
    return release;
  }

  async isRunning(processId: string): Promise<boolean> {
    if (processId === this.processId) return true;
    return this.#try(() => this.#processes.has(processId));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const release of this.#ownLocks) await release();
    await this.#own.remove();
    this.#database.close();
  }

  #forgetChanged(): void {
    const { version } = this;
    if (version !== this.#valuesVersion) this.#values.clear();
    this.#valuesVersion = version;
  }

  #valueOf(name: string): unknown {
    const known = this.#values.get(name);
    if (known) return known.value;
    const value = this.#readRecord(name);
    this.#remember(name, value);
    return value;
  }

  #entriesOf(log: string, after: number, limit: number): readonly LogEntry[] {
    const place = this.#seal.nameOf(log);
    const rows = entriesIn(this.#database, place, after, this.#options.clock.now(), limit);
    return rows.map(({ number, value }) => ({ number, value: this.#seal.openValue(value, place) }));
  }

  #remember(name: string, value: unknown): void {
    this.#values.set(name, value === undefined ? undefined : { value });
  }

  #readRecord(name: string): unknown {
    const place = this.#seal.nameOf(name);
    const select = 'SELECT value FROM records WHERE name = ?';
    const row = recordRow.parse(this.#database.prepare(select).get(place));
    return row && this.#seal.openValue(row.value, place);
  }

  #writeRecord(name: string, value: StoredValue | undefined): void {
    const place = this.#seal.nameOf(name);
    if (value === undefined) this.#run('DELETE FROM records WHERE name = ?', place);
    else
      this.#run('INSERT OR REPLACE INTO records VALUES (?, ?)', place, this.#seal.closeValue(value, place));
  }

  #append({ log, value, keptMs }: NewEntry): number {
    const place = this.#seal.nameOf(log);
    const sealed = this.#seal.closeValue(value, place);
    return addEntry(this.#database, place, sealed, this.#options.clock.now(), keptMs);
  }

  #run(sql: string, ...values: SqliteValue[]) {
    return this.#database.prepare(sql).run(...values);
  }

  /**
   * After a sign-out or a replacement, the open file has no name any more, and no other process uses it. Without the lock of
   * this process, which a program that cleans directories may have removed, the others take it for ended.
   */
  #checkFile(everyMs = CHECK_MS): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#checkedAt < everyMs) return;
    if (fileNumberOf(this.#options.path) !== this.#fileNumber || !this.#own.isListed())
      throw new StoreError('removed or replaced');
    this.#checkedAt = now;
  }

  #transaction<Result>(kind: 'DEFERRED' | 'IMMEDIATE', work: () => Result): Result {
    this.#database.exec(`BEGIN ${kind}`);
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  async #write<Result>(work: () => Result): Promise<Result> {
    try {
      this.#checkFile();
      return await whileBusy(this.#options.clock, work);
    } catch (error) {
      throw this.#failureOf(error);
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // On a full disk SQLite has already done it. What counts is the first error.
    }
  }

  #try<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): unknown {
    if (isDamage(error)) markDamaged(this.#options.path);
    return storeErrorOf(error);
  }
}

const locksOf = (path: string) => `${path}.locks`;
