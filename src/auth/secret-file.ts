/**
 * Reads files that contain secrets. A file that other users can change is refused, and its content is never quoted. This
 * file knows nothing about the secret or its use.
 */
import type { Stats } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { decodedText } from '../base/decoded-text.ts';
import { errnoOf } from '../base/errno.ts';
import { BudgetError, unusableFile } from '../base/errors.ts';

interface SecretFileRules {
  /**
   * Whether this program has written the file: it must belong to this user and be no symbolic link, and others may do
   * nothing with it. Docker mounts secrets as 0444, Kubernetes as 0644 and by symbolic links. So others may read any other
   * file, which gives a warning, but not write to it.
   */
  readonly own: boolean;
  readonly warn?: Warn;
}

const MAX_BYTES = 2 ** 16;

/** Called if a file is accepted although other users may be able to read it. */
export type Warn = (message: string) => void;

/** The text of the file. Undefined if there is no file. Throws a `BudgetError` that names the path and the problem. */
export async function readSecretFile(path: string, rules: SecretFileRules): Promise<string | undefined> {
  // Without O_NONBLOCK, opening a pipe without a writer would wait for ever. Windows has neither flag.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (rules.own ? constants.O_NOFOLLOW : 0);
  try {
    const file = await open(path, flags);
    try {
      // Checks the open file, so that the file cannot be replaced in between.
      const stats = await file.stat();
      const fault = faultOf(stats, rules);
      if (fault) throw unusableFile(path, fault);
      if (isReadableByOthers(stats)) rules.warn?.(`${path} has mode ${modeOf(stats)}: ${OTHERS_READ}`);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1));
      if (bytesRead > MAX_BYTES) throw unusableFile(path, `is larger than ${MAX_BYTES} bytes`);
      return decodedText(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof BudgetError) throw error;
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw unusableFile(path, faults[errnoOf(error)] ?? `cannot be read (${errnoOf(error)})`, error);
  }
}

/**
 * The lines, without empty ones, of a file that must exist and that a person provides. Throws a `BudgetError` that names the
 * path and the problem.
 */
export async function readSecretLines(path: string, warn: Warn): Promise<readonly string[]> {
  const text = await readSecretFile(path, { own: false, warn });
  if (text === undefined) throw unusableFile(path, 'does not exist');
  return text.split(/\r?\n/).filter((line) => line !== '');
}

const faults: Readonly<Record<string, string>> = {
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link',
  ENOTDIR: 'lies below something that is not a directory',
};

const OTHERS_READ =
  'other users of this computer can read the secret in it, unless its folder keeps them out. Mode 0600 does.';

const isReadableByOthers = ({ mode }: Stats) => process.platform !== 'win32' && (mode & 0o044) !== 0;

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8).padStart(4, '0');

function faultOf(stats: Stats, { own }: SecretFileRules): string | undefined {
  if (stats.isDirectory()) return faults['EISDIR'];
  if (!stats.isFile()) return 'is not a regular file';
  // Windows has other permissions, and protects the folders of a user by default.
  if (process.platform === 'win32') return undefined;
  if (own && stats.uid !== process.getuid?.()) return 'belongs to another user';
  if ((stats.mode & 0o022) !== 0) return `has mode ${modeOf(stats)}, so that others can change it`;
  if (own && (stats.mode & 0o077) !== 0) return `has mode ${modeOf(stats)}, so that others can read it`;
  return undefined;
}
