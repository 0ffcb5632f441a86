/**
 * The lock around changes to a sign-in, for all processes of a user. If a process crashes or is suspended, another one
 * takes the lock after some seconds. So the lock alone is no guarantee: a process that was suspended must read the store
 * again before it writes. This file knows nothing about the work.
 */
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { errnoOf } from '../platform/errno.ts';
import { unusableFileError } from './secret-file.ts';

export interface RefreshLockOptions {
  /** A directory of the user. Created if it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  /** How long to wait for other processes. */
  readonly waitMs?: number;
}

/** Runs `work` alone. Throws `sign_in_busy` if others take too long, `cancelled` if `signal` is aborted before it begins. */
export type WithRefreshLock = <T>(
  profile: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

type Release = () => Promise<void>;

/** A holder updates the lock once a second. A lock that is older belongs to a process that crashed or is suspended. */
const STALE_MS = 5_000;
const UPDATE_MS = 1_000;

/** About four attempts within half a second, at random times. */
const RETRIES = { retries: 4, factor: 1, minTimeout: 75, randomize: true };

export function createRefreshLock({
  directory,
  clock,
  waitMs = 15_000,
}: RefreshLockOptions): WithRefreshLock {
  return async (profile, work, signal) => {
    const path = join(directory, `refresh-${profile}`);
    const release = await acquire(path, signal);
    try {
      return await work();
    } finally {
      // Another process may have taken the lock, or it cannot be removed. Then it becomes stale, which is no error.
      await release().catch(() => {});
    }
  };

  async function acquire(path: string, signal: AbortSignal | undefined): Promise<Release> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const deadline = clock.now() + waitMs;
      do {
        await clearStale(path);
        const release = await tryAcquire(path, Number.MAX_SAFE_INTEGER, RETRIES);
        if (signal?.aborted) {
          await release?.();
          throw new BudgetError('cancelled', 'The call was cancelled.');
        }
        if (release) return release;
      } while (clock.now() < deadline);
    } catch (error) {
      if (error instanceof BudgetError || errnoOf(error) === '') throw error;
      throw unusableFileError(directory, `cannot contain the lock of the sign-in (${errnoOf(error)})`, error);
    }
    throw new BudgetError(
      'sign_in_busy',
      `Another process has been changing the sign-in for more than ${waitMs / 1_000} s.`,
    );
  }

  /**
   * Removes a stale lock. The library does so too, but if two processes find it stale at once, the second removes the new
   * lock of the first. So removing needs a lock of its own.
   */
  async function clearStale(path: string): Promise<void> {
    if (!(await isStale(path))) return;
    const release = await tryAcquire(`${path}-takeover`, STALE_MS);
    if (!release) return;
    try {
      if (await isStale(path)) await rmdir(`${path}.lock`);
    } catch (error) {
      // The holder was only slow and has removed the lock.
      if (errnoOf(error) !== 'ENOENT') throw error;
    } finally {
      await release().catch(() => {});
    }
  }

  async function isStale(path: string): Promise<boolean> {
    try {
      // A time in the future is stale too: the clock was set back after a crash.
      return Math.abs(clock.now() - (await stat(`${path}.lock`)).mtimeMs) > STALE_MS;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }
}

/** Undefined if another process has the lock. */
async function tryAcquire(
  path: string,
  stale: number,
  retries?: typeof RETRIES,
): Promise<Release | undefined> {
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
