/**
 * A lock among the processes of a machine: an open exclusive transaction of SQLite on an empty file. The operating system
 * ends it when its process ends, however that happens, and not before: a process that is suspended keeps the lock. It needs no clock and no file with an age.
 * So each process that uses a store has a lock, which shows the others that it runs.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cancelledError, throwCancelled } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errnoOf } from '../base/errno.ts';
import type { LockOptions, Release } from './shared-store.ts';
import { BUSY, type OpenDatabase, type SqliteDatabase, sqliteProblemOf } from './sqlite.ts';

const RETRY_MS = 25;

export class FileLocks {
  readonly #open: OpenDatabase;
  readonly #clock: Clock;

  constructor(open: OpenDatabase, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** Undefined if another process or call has it for longer than `waitMs`. Throws `cancelled`, and errors of the system and of SQLite. */
  async take(path: string, { waitMs, signal }: LockOptions): Promise<Release | undefined> {
    const deadline = this.#clock.monotonic() + waitMs;
    for (;;) {
      if (signal?.aborted) throw cancelledError();
      const database = this.#tryTake(path);
      if (database) return releaseOf(database);
      const remainingMs = deadline - this.#clock.monotonic();
      if (remainingMs <= 0) return undefined;
      await this.#clock.sleep(Math.min(RETRY_MS, remainingMs), signal).catch(throwCancelled);
    }
  }

  isTaken(path: string): boolean {
    if (!existsSync(path)) return false;
    let database: SqliteDatabase | undefined;
    try {
      database = this.#open(path, { readOnly: true });
      // Many processes can read at once, so that two that ask do not find each other.
      database.prepare('SELECT count(*) FROM sqlite_schema').get();
      return false;
    } catch (error) {
      if (sqliteProblemOf(error) === BUSY) return true;
      // Another process may have removed it meanwhile.
      if (!existsSync(path)) return false;
      throw error;
    } finally {
      database?.close();
    }
  }

  #tryTake(path: string): SqliteDatabase | undefined {
    // Only if there is none: when a process closes a file, POSIX takes away all locks that it has on that file, and another
    // call of this process may have the lock (sqlite.org/howtocorrupt.html, section 2.2).
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    const database = this.#open(path);
    try {
      // Without a file beside it that a killed process would leave.
      database.exec('PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      database.close();
      if (sqliteProblemOf(error) === BUSY) return undefined;
      throw error;
    }
  }
}

function releaseOf(database: SqliteDatabase): Release {
  let isReleased = false;
  return async () => {
    if (isReleased) return;
    isReleased = true;
    database.close();
  };
}

const PROCESS_LOCK = /^process-([0-9a-f-]+)\.lock$/;

export interface OwnProcess {
  readonly id: string;
  /** False if its lock was removed. Then other processes take it for ended. */
  isListed(): boolean;
  readonly remove: Release;
}

/** Which processes use a store, by their locks in a folder. */
export class RunningProcesses {
  readonly #directory: string;
  readonly #locks: FileLocks;

  constructor(directory: string, locks: FileLocks) {
    this.#directory = directory;
    this.#locks = locks;
  }

  /** Adds this process, and removes the locks of those that were killed. Must not run in two processes at once. */
  async add(): Promise<OwnProcess | undefined> {
    for (const ended of this.#listed()) trueIfUnknown(() => this.has(ended));
    const id = randomUUID();
    const release = await this.#locks.take(this.#lockOf(id), { waitMs: 0 });
    if (!release) return undefined;
    const remove = async () => {
      await release();
      this.#removeLock(id);
    };
    return { id, isListed: () => existsSync(this.#lockOf(id)), remove };
  }

  /** Throws an error of SQLite if that cannot be found out. */
  has(id: string): boolean {
    if (this.#locks.isTaken(this.#lockOf(id))) return true;
    this.#removeLock(id);
    return false;
  }

  /** Whether any process has not ended. Removes no lock, because a process may just begin to use the store. */
  hasAny(): boolean {
    return this.#listed().some((id) => trueIfUnknown(() => this.#locks.isTaken(this.#lockOf(id))));
  }

  #listed(): readonly string[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory).flatMap((name) => PROCESS_LOCK.exec(name)?.[1] ?? []);
  }

  #lockOf(id: string): string {
    return join(this.#directory, `process-${id}.lock`);
  }

  /** On Windows a file stays while another process looks at it. Then it is removed the next time. */
  #removeLock(id: string): void {
    try {
      rmSync(this.#lockOf(id), { force: true });
    } catch (error) {
      if (errnoOf(error) === '') throw error;
    }
  }
}

/** A process whose lock cannot be looked at may run. */
function trueIfUnknown(isRunning: () => boolean): boolean {
  try {
    return isRunning();
  } catch (error) {
    if (sqliteProblemOf(error) === undefined) throw error;
    return true;
  }
}
