/** The files of a shared state, as another program sees them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sqlite } from '../store/sqlite.helper.ts';

/** The paths of all files below the directory. */
export const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

export const databasesOf = (directory: string): string[] =>
  filesOf(directory).filter((file) => file.endsWith('.db'));

/** What SQLite says about each database: `ok`, or what is wrong. */
export function integrityOf(directory: string): unknown[] {
  if (!sqlite) return expect.unreachable();
  return databasesOf(directory).flatMap((path) => {
    const database = sqlite?.(path, { readOnly: true });
    try {
      return database
        ?.prepare('PRAGMA integrity_check')
        .all()
        .flatMap((row) => Object.values(Object(row)));
    } finally {
      database?.close();
    }
  });
}
