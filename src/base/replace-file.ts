/** Puts a finished file in the place of another one. */
import { rename } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';
import { errnoOf } from './errno.ts';

/** For how long a file may be open elsewhere. A scanner of viruses or a reader needs less. */
const MAX_WAIT_MS = 2_000;
const RETRY_MS = 50;

/** The codes that Windows gives while another process has one of the two files open. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** True if Windows has refused to change a file that another process has open. Elsewhere that is no obstacle. */
export const isInUse = (error: unknown, platform = process.platform): boolean =>
  platform === 'win32' && IN_USE.has(errnoOf(error));

export interface ReplaceOptions {
  readonly clock?: Clock;
  readonly platform?: NodeJS.Platform;
  readonly move?: (from: string, to: string) => Promise<void>;
}

/**
 * Renames `from` to `to`, which may exist. On Windows that fails while another process has either file open, so it is tried again
 * for two seconds. Throws the last error of the system.
 */
export async function replaceFile(from: string, to: string, options: ReplaceOptions = {}): Promise<void> {
  const { clock = systemClock, platform, move = rename } = options;
  const deadline = clock.monotonic() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!isInUse(error, platform) || clock.monotonic() >= deadline) throw error;
    }
    await clock.sleep(RETRY_MS);
  }
}
