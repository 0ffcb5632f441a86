import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, stat, utimes, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRefreshLock } from '../../src/auth/refresh-lock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { FileLocks } from '../../src/store/file-lock.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { expectMode, isPosix } from '../posix.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';

async function open() {
  const directory = join(await temporaryDirectory(), 'state');
  return {
    directory,
    lockFile: join(directory, 'refresh-default.lock'),
    withRefreshLock: createRefreshLock({ directory, clock: systemClock }),
    /** Fails after the first attempts. */
    tryRefreshLock: createRefreshLock({ directory, clock: systemClock, waitMs: 0 }),
  };
}

type Kind = 'sqlite' | 'directory';

function startProcess(directory: string, times: number, kind: Kind = 'directory') {
  const script = fileURLToPath(new URL('lock-process.helper.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, String(times), kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** A process that has the lock and keeps it. */
async function startHolder(directory: string, kind: Kind = 'directory') {
  const holder = startProcess(directory, 0, kind);
  await once(holder.stdout, 'data');
  return holder;
}

async function ended(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

/** As if its holder had not updated it for a minute. */
const age = (lockFile: string) => utimes(lockFile, Date.now() / 1_000 - 60, Date.now() / 1_000 - 60);

/** Counts how many callers work at once. */
function counted() {
  let present = 0;
  const seen = { most: 0, calls: 0 };
  const work = async () => {
    present += 1;
    seen.calls += 1;
    seen.most = Math.max(seen.most, present);
    await stat('/');
    present -= 1;
  };
  return { seen, work };
}

describe('the lock of a sign-in', () => {
  test('the lock returns the result of the work, and is released when the work succeeds or fails', async () => {
    const { withRefreshLock, directory } = await open();
    expect(await withRefreshLock('default', async () => 42)).toBe(42);
    const error = new Error('Not today.');
    await expect(withRefreshLock('default', () => Promise.reject(error))).rejects.toBe(error);
    expect(await readdir(directory)).toEqual([]);
  });

  test('only the user can see the files of the lock', async () => {
    const { withRefreshLock, directory } = await open();
    await withRefreshLock('default', async () => {});
    await expectMode(directory, 0o700);
  });

  test('only one caller at a time works on a profile', async () => {
    const { withRefreshLock } = await open();
    const { seen, work } = counted();
    await Promise.all(Array.from({ length: 8 }, () => withRefreshLock('default', work)));
    expect(seen).toEqual({ most: 1, calls: 8 });
  });

  test('work on different profiles can run at the same time', async () => {
    const { withRefreshLock } = await open();
    await withRefreshLock('work', () => withRefreshLock('home', async () => {}));
  });

  test('only one process at a time has the lock', async () => {
    const { directory } = await open();
    const processes = Array.from({ length: 4 }, () => startProcess(directory, 5));
    expect(await Promise.all(processes.map(ended))).toEqual([0, 0, 0, 0]);
    expect(await readFile(join(directory, 'notes'), 'utf8')).toBe('in\nout\n'.repeat(20));
  });

  test('a caller waits for the lock until the time limit, and then gets an error that says why', async () => {
    const { withRefreshLock, tryRefreshLock } = await open();
    await withRefreshLock('default', async () => {
      const failure = await failureOf(tryRefreshLock('default', async () => {}));
      expect(failure.code).toBe('sign_in_busy');
      expect(failure.message).toMatch(/^Another process/);
    });
  });

  test('a cancelled caller does not take the lock', async () => {
    const { withRefreshLock } = await open();
    const cancellation = new AbortController();
    const { seen, work } = counted();
    await withRefreshLock('default', async () => {
      const acquiring = failureOf(withRefreshLock('default', work, cancellation.signal));
      cancellation.abort();
      expect((await acquiring).code).toBe('cancelled');
    });
    expect(seen.calls).toBe(0);
    await withRefreshLock('default', async () => {});
  });

  test('the error about an unusable lock folder names the folder', async () => {
    const { directory, withRefreshLock } = await open();
    await writeFile(directory, 'a file where a folder should be');
    const failure = await failureOf(withRefreshLock('default', async () => {}));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toContain(directory);
  });
});

describe('a holder of the lock', () => {
  test('the lock of a killed process can be taken by another', async () => {
    const { directory, lockFile, withRefreshLock, tryRefreshLock } = await open();
    const holder = await startHolder(directory);
    holder.kill('SIGKILL');
    await ended(holder);
    expect((await failureOf(tryRefreshLock('default', async () => {}))).code, 'but not at once').toBe(
      'sign_in_busy',
    );
    await age(lockFile);
    expect(await withRefreshLock('default', async () => 'done')).toBe('done');
  });

  test('a lock that was renewed within the last five seconds is kept, and an older one is taken over', async () => {
    const { directory, lockFile } = await open();
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const tryLock = createRefreshLock({ directory, clock, waitMs: 0 });
    await mkdir(lockFile, { recursive: true });
    await utimes(lockFile, clock.now() / 1_000, clock.now() / 1_000);
    clock.advance(5_000);
    expect((await failureOf(tryLock('default', async () => {}))).code).toBe('sign_in_busy');
    clock.advance(1);
    expect(await tryLock('default', async () => 'done')).toBe('done');
  });

  test.runIf(isPosix)(
    'a suspended process loses the lock, and continues without an error afterwards',
    async () => {
      const { directory, lockFile, withRefreshLock } = await open();
      const holder = await startHolder(directory);
      holder.kill('SIGSTOP');
      await age(lockFile);
      expect(await withRefreshLock('default', async () => 'done')).toBe('done');
      const over = ended(holder);
      holder.kill('SIGCONT');
      holder.stdin.write('go\n');
      expect(await over).toBe(0);
    },
  );

  test('the lock is updated during long work, so that no other process takes it', async () => {
    const { lockFile, withRefreshLock } = await open();
    await withRefreshLock('default', async () => {
      const { mtimeMs } = await stat(lockFile);
      for await (const _ of watch(lockFile)) if ((await stat(lockFile)).mtimeMs > mtimeMs) break;
    });
  });

  test('after a killed process, the waiting processes get the lock one at a time', async () => {
    const { directory, lockFile, withRefreshLock } = await open();
    for (let round = 0; round < 10; round++) {
      await mkdir(lockFile, { recursive: true });
      await age(lockFile);
      const { seen, work } = counted();
      await Promise.all(Array.from({ length: 16 }, () => withRefreshLock('default', work)));
      expect(seen).toEqual({ most: 1, calls: 16 });
    }
    expect(await readdir(directory)).toEqual([]);
  });
});

/** With the lock of the operating system. */
async function openWithSqlite() {
  const {
    directory,
    lockFile,
    withRefreshLock: withDirectoryLock,
    tryRefreshLock: tryDirectoryLock,
  } = await open();
  if (!sqlite) throw new Error('This test needs Node.js 22.13 or newer.');
  const fileLocks = new FileLocks(sqlite, systemClock);
  return {
    directory,
    lockFile,
    withDirectoryLock,
    tryDirectoryLock,
    withRefreshLock: createRefreshLock({ directory, clock: systemClock, fileLocks }),
    tryRefreshLock: createRefreshLock({ directory, clock: systemClock, waitMs: 0, fileLocks }),
  };
}

describe.skipIf(!sqlite)('the lock of a sign-in with SQLite', () => {
  const nothing = async () => {};

  test('one of several callers and processes at a time has the lock', async () => {
    const { directory, withRefreshLock } = await openWithSqlite();
    const { seen, work } = counted();
    await Promise.all(Array.from({ length: 8 }, () => withRefreshLock('default', work)));
    expect(seen).toEqual({ most: 1, calls: 8 });
    const kinds: Kind[] = ['sqlite', 'sqlite', 'directory', 'directory'];
    const processes = kinds.map((kind) => startProcess(directory, 5, kind));
    expect(await Promise.all(processes.map(ended))).toEqual([0, 0, 0, 0]);
    expect(await readFile(join(directory, 'notes'), 'utf8')).toBe('in\nout\n'.repeat(20));
  });

  test('the lock of a killed process is free at once', async () => {
    const { directory, tryRefreshLock } = await openWithSqlite();
    const holder = await startHolder(directory, 'sqlite');
    expect((await failureOf(tryRefreshLock('default', nothing))).code).toBe('sign_in_busy');
    holder.kill('SIGKILL');
    await ended(holder);
    expect(await tryRefreshLock('default', async () => 'done')).toBe('done');
  });

  test.runIf(isPosix)(
    'a suspended process keeps the lock, and only it writes after it continues',
    async () => {
      const { directory, lockFile, withRefreshLock, tryRefreshLock } = await openWithSqlite();
      const holder = await startHolder(directory, 'sqlite');
      holder.kill('SIGSTOP');
      await age(lockFile);
      expect((await failureOf(tryRefreshLock('default', nothing))).code).toBe('sign_in_busy');
      const waiting = withRefreshLock('default', () => appendFile(join(directory, 'notes'), 'successor\n'));
      const over = ended(holder);
      holder.kill('SIGCONT');
      holder.stdin.write('go\n');
      expect(await over).toBe(0);
      await waiting;
      expect(await readFile(join(directory, 'notes'), 'utf8')).toBe('holder\nsuccessor\n');
    },
  );

  test('a process without SQLite and one with it exclude each other', async () => {
    const { directory, tryRefreshLock, tryDirectoryLock } = await openWithSqlite();
    await tryRefreshLock('default', async () => {
      expect((await failureOf(tryDirectoryLock('default', nothing))).code).toBe('sign_in_busy');
    });
    const holder = await startHolder(directory);
    expect((await failureOf(tryRefreshLock('default', nothing))).code).toBe('sign_in_busy');
    holder.stdin.write('go\n');
    expect(await ended(holder)).toBe(0);
    expect(await tryRefreshLock('default', async () => 'done')).toBe('done');
  });

  test('the lock of a process without SQLite is not taken over because one with SQLite was killed before', async () => {
    const { directory, lockFile, tryRefreshLock, tryDirectoryLock } = await openWithSqlite();
    const killed = await startHolder(directory, 'sqlite');
    killed.kill('SIGKILL');
    await ended(killed);
    await age(lockFile);
    await tryDirectoryLock('default', async () => {
      expect((await failureOf(tryRefreshLock('default', nothing))).code).toBe('sign_in_busy');
    });
    expect(await tryRefreshLock('default', async () => 'done')).toBe('done');
  });

  test('the lock leaves one file, which only the user can see', async () => {
    const { directory, withRefreshLock } = await openWithSqlite();
    await withRefreshLock('default', nothing);
    expect(await readdir(directory)).toEqual(['refresh-default.file-lock']);
    await expectMode(directory, 0o700);
    await expectMode(join(directory, 'refresh-default.file-lock'), 0o600);
  });

  test('a cancelled caller does not wait for the lock, and does not keep it', async () => {
    const { withRefreshLock, tryRefreshLock } = await openWithSqlite();
    const cancellation = new AbortController();
    await withRefreshLock('default', async () => {
      const acquiring = failureOf(withRefreshLock('default', nothing, cancellation.signal));
      cancellation.abort();
      expect((await acquiring).code).toBe('cancelled');
    });
    expect(await tryRefreshLock('default', async () => 'done')).toBe('done');
  });

  test('the directory is a lock alone where the locks of the operating system fail', async () => {
    const { directory, lockFile, tryDirectoryLock } = await openWithSqlite();
    const broken = () => {
      throw Object.assign(new Error('No locks here.'), { code: 'ENOLCK' });
    };
    const fileLocks = new FileLocks(broken, systemClock);
    const tryLock = createRefreshLock({ directory, clock: systemClock, waitMs: 0, fileLocks });
    const killed = await startHolder(directory, 'sqlite');
    killed.kill('SIGKILL');
    await ended(killed);
    expect((await failureOf(tryLock('default', nothing))).code, 'it is not stale yet').toBe('sign_in_busy');
    await age(lockFile);
    await tryLock('default', async () => {
      expect((await failureOf(tryDirectoryLock('default', nothing))).code).toBe('sign_in_busy');
      expect((await failureOf(tryLock('default', nothing))).code).toBe('sign_in_busy');
    });
  });
});
