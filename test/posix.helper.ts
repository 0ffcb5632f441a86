/** Modes of files, special files, and signals that suspend a process: what Windows does not have. */
import { stat } from 'node:fs/promises';
import { expect } from 'vitest';

/** For `test.runIf`. */
export const isPosix = process.platform !== 'win32';

/** Such as 0o600. Windows protects the folders of a user instead. */
export async function expectMode(path: string, mode: number): Promise<void> {
  if (isPosix) expect(((await stat(path)).mode & 0o777).toString(8), path).toBe(mode.toString(8));
}
