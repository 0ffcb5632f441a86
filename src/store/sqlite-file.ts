/**
 * The database file of a `SqliteStore`: opened, checked, and set aside if it cannot be used. It is a cache: nothing is lost
 * with it but time.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { errnoOf } from '../base/errno.ts';
import type { Seal } from './seal.ts';
import { BUSY, type OpenDatabase, type SqliteDatabase, sqliteProblemOf } from './sqlite.ts';
import { isDamage, StoreError } from './store-error.ts';

/** SQLite waits for another process for this long. Nothing else happens in this process meanwhile. */
const BUSY_TIMEOUT_MS = 200;
/** Another process may write for this long before the file counts as blocked: a disk can stall for seconds. */
const MAX_WAIT_MS = 8_000;
const RETRY_MS = 50;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, log BLOB NOT NULL, value BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS entries_of_log ON entries (log, number);
  CREATE TABLE IF NOT EXISTS ends (log BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * After a power failure, what was written before stays written; macOS writes through the cache of the disk only with
 * `fullfsync`. WAL: a reader never waits for a writer.
 */
const SETTINGS = `
  PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA journal_size_limit = 4194304;
`;

const KEY_CHECK = 'key check';

/** Creates the file if it is missing. Throws errors of the system and of SQLite, and a `StoreError` for another key. */
function openSqliteFile(open: OpenDatabase, path: string, seal: Seal): SqliteDatabase {
  // What SQLite keeps beside a file that was removed may still be in use, and would damage the new one.
  if (!existsSync(path)) removeBeside(path);
  // SQLite gives the files beside it the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const database = open(path);
  try {
    database.exec(SETTINGS);
    database.exec(SCHEMA);
    checkKey(database, seal);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Keeps one unusable file, for a person who wants to know what has happened. */
function setAside(path: string): void {
  removeBeside(path);
  renameSync(path, `${path}.unusable`);
}

function removeBeside(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/** For a file that cannot be removed. A program that has it open fails as with one that was removed. */
export function emptyDatabase(open: OpenDatabase, path: string): void {
  try {
    const database = open(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; DROP TABLE records; DROP TABLE entries;`);
    } finally {
      database.close();
    }
  } catch (error) {
    // Its content is sealed with a key that is removed too.
    if (sqliteProblemOf(error) === undefined) throw error;
  }
}

const damageMark = (path: string) => `${path}.damaged`;

/** Damage inside the file shows only when it is read. The next process that opens the file replaces it. */
export function markDamaged(path: string): void {
  try {
    closeSync(openSync(damageMark(path), 'a', 0o600));
  } catch (error) {
    if (errnoOf(error) === '') throw error;
  }
}

/** Opens the file, or a new one in its place if it is damaged. Must not run in two processes at once. */
export function openOrReplace(open: OpenDatabase, path: string, seal: Seal): SqliteDatabase {
  if (existsSync(damageMark(path))) {
    if (existsSync(path)) setAside(path);
    rmSync(damageMark(path));
  }
  try {
    return openSqliteFile(open, path, seal);
  } catch (error) {
    if (!isDamage(error)) throw error;
    setAside(path);
    return openSqliteFile(open, path, seal);
  }
}

const entryRows = z.array(z.object({ number: z.number(), value: z.instanceof(Uint8Array) }));

/** The entries of a log with a number above `after`. None if its time is over `now`. */
export function entriesIn(
  database: SqliteDatabase,
  log: Uint8Array,
  after: number,
  now: number,
  limit: number,
) {
  const select = `SELECT number, value FROM entries WHERE log = ? AND number > ?
    AND log NOT IN (SELECT log FROM ends WHERE at <= ?) ORDER BY number LIMIT ?`;
  return entryRows.parse(database.prepare(select).all(log, after, now, limit));
}

/** Removes the logs whose time is over. */
export function removeEnded(database: SqliteDatabase, now: number): void {
  database.prepare('DELETE FROM entries WHERE log IN (SELECT log FROM ends WHERE at <= ?)').run(now);
  database.prepare('DELETE FROM ends WHERE at <= ?').run(now);
}

/** Returns the number of the entry. With `keptMs`, the log ends so many milliseconds after `now`. */
export function addEntry(
  database: SqliteDatabase,
  log: Uint8Array,
  value: Uint8Array,
  now: number,
  keptMs?: number,
): number {
  removeEnded(database, now);
  if (keptMs !== undefined)
    database.prepare('INSERT OR REPLACE INTO ends VALUES (?, ?)').run(log, now + keptMs);
  const insert = 'INSERT INTO entries (log, value) VALUES (?, ?)';
  return Number(database.prepare(insert).run(log, value).lastInsertRowid);
}

/** Another number after the file has been removed or replaced. Undefined if there is none. */
export function fileNumberOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Runs `write` again while another process writes. Throws the error of SQLite if that takes too long. */
export async function whileBusy<Result>(clock: Clock, write: () => Result): Promise<Result> {
  const deadline = clock.monotonic() + MAX_WAIT_MS;
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (sqliteProblemOf(error) !== BUSY || clock.monotonic() >= deadline) throw error;
    }
    await clock.sleep(RETRY_MS);
  }
}

const countSchema = z.object({ count: z.number() });

/** Names are keyed too, so that this record has another name with another key. */
function checkKey(database: SqliteDatabase, seal: Seal): void {
  const name = seal.nameOf(KEY_CHECK);
  if (database.prepare('SELECT name FROM records WHERE name = ?').get(name) !== undefined) return;
  const { count } = countSchema.parse(database.prepare('SELECT count(*) AS count FROM records').get());
  if (count > 0) throw new StoreError('sealed with another key', { isDamage: true });
  database.prepare('INSERT INTO records VALUES (?, ?)').run(name, seal.closeValue(KEY_CHECK, name));
}
