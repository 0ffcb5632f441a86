import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { FileLocks } from '../../src/store/file-lock.ts';
import { openDatabase, sqlite, temporaryDirectory } from './sqlite.helper.ts';

const open = (database = openDatabase) => ({
  locks: new FileLocks(database, systemClock),
  path: join(temporaryDirectory(), 'a.lock'),
});

/** What another process prints that tries to take the lock. */
async function triedByAnotherProcess(path: string): Promise<string> {
  const script = fileURLToPath(new URL('take-lock.helper.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, path]);
  return stdout;
}

describe.skipIf(!sqlite)('a lock on a file', () => {
  it('is not given to another process, also after another call of its own process has asked for it', async () => {
    const { locks, path } = open();
    const release = await locks.take(path, { waitMs: 0 });
    expect(await locks.take(path, { waitMs: 0 })).toBeUndefined();
    expect(locks.isTaken(path)).toBe(true);
    expect(await triedByAnotherProcess(path)).toBe('refused');
    await release?.();
    expect(await triedByAnotherProcess(path)).toBe('taken');
  });

  it('is not taken if another process removes its file while this one looks at it', async () => {
    const { locks, path } = open((file, options) => {
      if (options?.readOnly) rmSync(file);
      return openDatabase(file, options);
    });
    await (await locks.take(path, { waitMs: 0 }))?.();
    expect(locks.isTaken(path)).toBe(false);
  });
});
