/**
 * The lock around changes to a sign-in, for all processes of a user. With SQLite the operating system keeps it until its
 * holder releases it or ends, so that a suspended process has no successor. Without SQLite another process takes it after
 * some seconds. So the lock alone is no guarantee: a process must read the store again before it writes. Processes with
 * SQLite take both kinds of lock, so that they and older versions of Node.js exclude each other. This file knows nothing
 * about the work.
 */
import { mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelledError } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errnoOf, undefinedIfMissing } from '../base/errno.ts';
import { BudgetError, unusableFile } from '../base/errors.ts';
import type { FileLocks } from '../store/file-lock.ts';
import type { Release } from '../store/shared-store.ts';

interface RefreshLockOptions {
  /** A directory of the user. Created if it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  /** How long to wait for other processes. */
  readonly waitMs?: number;
  /** Undefined if this Node.js has no SQLite. */
  readonly fileLocks?: FileLocks | undefined;
}

/** Runs `work` alone. Throws `sign_in_busy` if others take too long, `cancelled` if `signal` is aborted before it begins. */
export type WithRefreshLock = <T>(
  profile: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

export function createRefreshLock(options: RefreshLockOptions): WithRefreshLock {
  const { directory, clock, waitMs = 15_000, fileLocks } = options;
  return async (profile, work, signal) => {
    const release = await takeAll(join(directory, `refresh-${profile}`), signal);
    try {
      return await work();
    } finally {
      await release();
    }
  };

  async function takeAll(path: string, signal: AbortSignal | undefined): Promise<Release> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const deadline = clock.now() + waitMs;
      const releaseFile = fileLocks && (await takeFile(fileLocks, path, signal));
      if (!releaseFile) return await takeDirectory(path, deadline, signal);
      try {
        await removeLeft(path);
        const releaseDirectory = await takeDirectory(path, deadline, signal);
        await mark(path);
        return async () => {
          await unmark(path);
          await releaseDirectory();
          await releaseFile();
        };
      } catch (error) {
        await releaseFile();
        throw error;
      }
    } catch (error) {
      if (error instanceof BudgetError || errnoOf(error) === '') throw error;
      throw unusableFile(directory, `cannot contain the lock of the sign-in (${errnoOf(error)})`, error);
    }
  }

  /** Undefined if the file system has no such locks, as some of a network. The directory is a lock there too. */
  async function takeFile(locks: FileLocks, path: string, signal: AbortSignal | undefined) {
    try {
      return (await locks.take(`${path}.file-lock`, { waitMs, signal })) ?? refuse();
    } catch (error) {
      if (error instanceof BudgetError) throw error;
      return undefined;
    }
  }

  /** Tries at least for half a second, until `deadline` by the wall clock. Throws `cancelled` if the signal is aborted. */
  async function takeDirectory(
    path: string,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Release> {
    do {
      await clearStale(path, clock);
      const release = await tryTake(path, Number.MAX_SAFE_INTEGER, RETRIES);
      if (signal?.aborted) {
        await release?.();
        throw cancelledError();
      }
      // Another process may have taken the lock, or it cannot be removed. Then it becomes stale, which is no error.
      if (release) return () => release().catch(() => {});
    } while (clock.now() < deadline);
    return refuse();
  }

  function refuse(): never {
    throw new BudgetError(
      'sign_in_busy',
      `Another process has been changing the sign-in for more than ${waitMs / 1_000} s.`,
    );
  }
}

// The mark of a holder says which directory it has created. If the holder is killed, the next one, who has the lock of the
// operating system, removes that directory and need not wait until it is stale. The directory of a process without SQLite
// has no mark.

const markOf = (path: string) => `${path}.holder`;

/** Another directory with the same name differs in it. Undefined if there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  const stats = await stat(`${path}.lock`, { bigint: true }).catch(undefinedIfMissing);
  return stats && `${stats.ino} ${stats.birthtimeNs}`;
}

// Without a mark, or with one of an earlier directory, the next holder only waits longer. So failures are no errors.

async function mark(path: string): Promise<void> {
  await writeFile(markOf(path), (await identityOf(path)) ?? '', { mode: 0o600 }).catch(() => {});
}

const unmark = (path: string) => rm(markOf(path), { force: true }).catch(() => {});

async function removeLeft(path: string): Promise<void> {
  const left = await readFile(markOf(path), 'utf8').catch(() => undefined);
  if (left !== undefined && left === (await identityOf(path))) await rmdir(`${path}.lock`);
  await unmark(path);
}

// The lock that is a directory. Its holder updates it. If the holder crashes or is suspended, another process takes it.

/** A holder updates the lock once a second. A lock that is older belongs to a process that crashed or is suspended. */
const STALE_MS = 5_000;
const UPDATE_MS = 1_000;

/** About four attempts within half a second, at random times. */
const RETRIES = { retries: 4, factor: 1, minTimeout: 75, randomize: true };

/**
 * Removes a stale lock. The library does so too, but if two processes find it stale at once, the second removes the new
 * lock of the first. So removing needs a lock of its own.
 */
async function clearStale(path: string, clock: Clock): Promise<void> {
  if (!(await isStale(path, clock))) return;
  const release = await tryTake(`${path}-takeover`, STALE_MS);
  if (!release) return;
  try {
    // It is missing if the holder was only slow and has removed it.
    if (await isStale(path, clock)) await rmdir(`${path}.lock`).catch(undefinedIfMissing);
  } finally {
    await release().catch(() => {});
  }
}

async function isStale(path: string, clock: Clock): Promise<boolean> {
  const stats = await stat(`${path}.lock`).catch(undefinedIfMissing);
  // A time in the future is stale too: the clock was set back after a crash.
  return stats !== undefined && Math.abs(clock.now() - stats.mtimeMs) > STALE_MS;
}

/** Undefined if another process has the lock. */
async function tryTake(path: string, stale: number, retries?: typeof RETRIES): Promise<Release | undefined> {
  // Imported late, because it listens for signals as soon as it is loaded.
  const { default: lockfile } = await import('proper-lockfile');
  try {
    return await lockfile.lock(path, {
      realpath: false,
      stale,
      update: UPDATE_MS,
      ...(retries && { retries }),
      onCompromised: () => {},
    });
  } catch (error) {
    if (errnoOf(error) === 'ELOCKED') return undefined;
    throw error;
  }
}
