/**
 * SQLite as a part of Node.js, from 22.13 on. Older versions have none. Modules with binaries of their own are no
 * alternative: hosts on macOS refuse to load them.
 */
import { z } from 'zod';

export type SqliteValue = string | number | Uint8Array | null;

interface Statement {
  run(...values: SqliteValue[]): { readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type OpenDatabase = (path: string, options?: { readonly readOnly?: boolean }) => SqliteDatabase;

const moduleSchema = z.object({
  DatabaseSync: z.custom<new (...args: Parameters<OpenDatabase>) => SqliteDatabase>(
    (value) => typeof value === 'function',
  ),
});

/** Opens a database file. Undefined if this Node.js has no SQLite. */
export function findSqlite(): OpenDatabase | undefined {
  const { emitWarning } = process;
  // Node.js warns that the module is experimental. The log belongs to the user.
  process.emitWarning = () => {};
  try {
    const { data } = moduleSchema.safeParse(process.getBuiltinModule('node:sqlite'));
    return data && ((path, options = {}) => new data.DatabaseSync(path, options));
  } finally {
    process.emitWarning = emitWarning;
  }
}

export const BUSY = 'blocked by another process';
export const DAMAGED = 'damaged';

/** The primary result codes of SQLite that mean something here (sqlite.org/rescode.html). Each text completes "the file is …". */
const problems: ReadonlyMap<number, string> = new Map([
  [1, DAMAGED],
  [5, BUSY],
  [8, 'not writable'],
  [10, 'not readable or not writable'],
  [11, DAMAGED],
  [13, 'on a full disk'],
  [14, 'not writable'],
  [26, DAMAGED],
]);

const errorSchema = z.object({ code: z.literal('ERR_SQLITE_ERROR'), errcode: z.number() });

/** What an error of SQLite means. Undefined for any other error. */
export function sqliteProblemOf(error: unknown): string | undefined {
  const { data } = errorSchema.safeParse(error);
  return data && (problems.get(data.errcode & 0xff) ?? 'refused by SQLite');
}
