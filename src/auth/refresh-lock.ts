/**
 * One at a time among all processes of a user: the lock around what changes a sign-in. It knows processes that crash and
 * processes that stand still, whose lock passes on after some seconds. So it keeps the peace, and is no proof: whoever
 * has stood still must look again at what is kept before writing. It must not know what the work is.
 */
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { errnoOf, unusableFileError } from './secret-file.ts';

export interface RefreshLockOptions {
  /** Of the user; made where it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  /** How long to wait for others. */
  readonly waitMs?: number;
}

/** Runs `work` alone; `sign_in_busy` where others take too long, `cancelled` where `signal` says so before it begins. */
export type WithRefreshLock = <T>(
  profile: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

type Release = () => Promise<void>;

/** A holder says once a second that it lives; one that has not for so long has crashed or stands still. */
const STALE_MS = 5_000;
const SIGN_OF_LIFE_MS = 1_000;

/** Some four tries within half a second, at odds with those of others. */
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
      // A lock that has passed on, or cannot be removed, is nobody's error here: it becomes stale.
      await release().catch(() => {});
    }
  };

  async function acquire(path: string, signal: AbortSignal | undefined): Promise<Release> {
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const deadline = clock.now() + waitMs;
      do {
        await clearStale(path);
        const release = await tryFor(path, Number.MAX_SAFE_INTEGER, RETRIES);
        if (signal?.aborted) {
          await release?.();
          throw new BudgetError('cancelled', 'The call was cancelled.');
        }
        if (release) return release;
      } while (clock.now() < deadline);
    } catch (error) {
      if (error instanceof BudgetError || errnoOf(error) === '') throw error;
      throw unusableFileError(directory, `cannot hold the lock of the sign-in (${errnoOf(error)})`, error);
    }
    throw new BudgetError(
      'sign_in_busy',
      `Another process has been changing the sign-in for more than ${waitMs / 1_000} s.`,
    );
  }

  /**
   * Removes a lock whose holder is gone. The library would do so too, but of two who find it stale at once, the second
   * would remove the new lock of the first. So this is itself done by one at a time.
   */
  async function clearStale(path: string): Promise<void> {
    if (!(await isStale(path))) return;
    const release = await tryFor(`${path}-takeover`, STALE_MS);
    if (!release) return;
    try {
      if (await isStale(path)) await rmdir(`${path}.lock`);
    } catch (error) {
      // Its holder was only late.
      if (errnoOf(error) !== 'ENOENT') throw error;
    } finally {
      await release().catch(() => {});
    }
  }

  async function isStale(path: string): Promise<boolean> {
    try {
      // Nobody has been alive in the future: the clock was set back after a crash.
      return Math.abs(clock.now() - (await stat(`${path}.lock`)).mtimeMs) > STALE_MS;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }
}

/** Undefined where somebody else has it. */
async function tryFor(path: string, stale: number, retries?: typeof RETRIES): Promise<Release | undefined> {
  // Lazily, since it listens for signals as soon as it is loaded.
  const { default: lockfile } = await import('proper-lockfile');
  try {
    return await lockfile.lock(path, {
      realpath: false,
      stale,
      update: SIGN_OF_LIFE_MS,
      ...(retries && { retries }),
      onCompromised: () => {},
    });
  } catch (error) {
    if (errnoOf(error) === 'ELOCKED') return undefined;
    throw error;
  }
}
