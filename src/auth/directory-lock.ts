/**
 * A lock that is a directory, for a Node.js without SQLite. Its holder updates it. If the holder crashes or is suspended,
 * another process takes the lock after some seconds.
 */
import { rmdir, stat } from 'node:fs/promises';
import { cancelledError } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errnoOf } from '../base/errno.ts';

export type Release = () => Promise<void>;

/** A holder updates the lock once a second. A lock that is older belongs to a process that crashed or is suspended. */
const STALE_MS = 5_000;
const UPDATE_MS = 1_000;

/** About four attempts within half a second, at random times. */
const RETRIES = { retries: 4, factor: 1, minTimeout: 75, randomize: true };

/**
 * Takes the lock `path`.lock. Tries at least for half a second, until `deadline` by the wall clock. Undefined if another
 * process keeps it. Throws `cancelled` if the signal is aborted.
 */
export async function takeDirectoryLock(
  path: string,
  clock: Clock,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Release | undefined> {
  do {
    await clearStale(path, clock);
    const release = await tryTake(path, Number.MAX_SAFE_INTEGER, RETRIES);
    if (signal?.aborted) {
      await release?.();
      throw cancelledError();
    }
    if (release) return release;
  } while (clock.now() < deadline);
  return undefined;
}

/**
 * Removes a stale lock. The library does so too, but if two processes find it stale at once, the second removes the new
 * lock of the first. So removing needs a lock of its own.
 */
async function clearStale(path: string, clock: Clock): Promise<void> {
  if (!(await isStale(path, clock))) return;
  const release = await tryTake(`${path}-takeover`, STALE_MS);
  if (!release) return;
  try {
    if (await isStale(path, clock)) await rmdir(`${path}.lock`);
  } catch (error) {
    // The holder was only slow and has removed the lock.
    if (errnoOf(error) !== 'ENOENT') throw error;
  } finally {
    await release().catch(() => {});
  }
}

async function isStale(path: string, clock: Clock): Promise<boolean> {
  try {
    // A time in the future is stale too: the clock was set back after a crash.
    return Math.abs(clock.now() - (await stat(`${path}.lock`)).mtimeMs) > STALE_MS;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
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
