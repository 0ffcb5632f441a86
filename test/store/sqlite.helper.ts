/** Opens stores in files of a directory that is removed after the test. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { findSqlite, type OpenDatabase } from '../../src/store/sqlite.ts';
import { SqliteStore } from '../../src/store/sqlite-store.ts';

/** Undefined before Node.js 22.13, where tests of it are skipped. */
export const sqlite = findSqlite();

export const key = new Uint8Array(32).fill(7);

export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'budget-mcp-state-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export const openDatabase: OpenDatabase = (path, options) => {
  if (!sqlite) throw new Error('This test needs Node.js 22.13 or newer.');
  return sqlite(path, options);
};

export async function openStore(
  path: string,
  clock: Clock,
  otherKey = key,
  open = openDatabase,
): Promise<SqliteStore> {
  const store = await SqliteStore.open({ sqlite: open, clock, path, key: otherKey });
  onTestFinished(() => store.close());
  return store;
}
