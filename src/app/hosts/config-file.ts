/** Reads and replaces a configuration file of a host. It knows nothing about its content. */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import { BudgetError, unusableFile } from '../../base/errors.ts';
import { replaceFile } from '../../base/replace-file.ts';

export interface ConfigFile {
  /** The file itself, where the path that was given is a symbolic link. */
  readonly file: string;
  /** Empty for a file that does not exist. */
  readonly text: string;
  readonly stats?: { readonly mode: number; readonly uid: number; readonly gid: number };
}

/** Follows symbolic links. Throws `file_unusable`. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  try {
    const link = await lstat(path);
    if (!link.isFile() && !link.isSymbolicLink()) throw unusableFile(path, 'is not a file');
    const file = await realpath(path);
    const { mode, uid, gid } = await stat(file);
    return { file, text: decoded(file, await readFile(file)), stats: { mode: mode & 0o777, uid, gid } };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      // The target of a link may be on a disk that is not there now.
      if (await lstat(path).catch(() => undefined))
        throw unusableFile(path, 'is a link to a file that does not exist');
      return { file: path, text: '' };
    }
    throw explained(path, error);
  }
}

function decoded(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusableFile(file, 'is not a text in UTF-8');
  }
}

/**
 * Replaces the file as a whole, with the same permissions, and keeps a copy of what was there in place of any earlier
 * copy, readable by the user only, because the file may have secrets of other servers. Returns the path of the copy.
 * Throws `file_unusable`, also if the file has changed since it was read.
 */
export async function replaceConfigFile(before: ConfigFile, text: string): Promise<string | undefined> {
  const { file, stats } = before;
  const copy = stats && `${file}.budget-mcp-backup`;
  const temporary = `${file}.budget-mcp-${randomUUID()}.tmp`;
  const mode = stats?.mode ?? 0o600;
  try {
    await mkdir(dirname(file), { recursive: true });
    // By the handle, since another user could replace the path by a link meanwhile.
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(text);
      // The process mask may have taken permissions away.
      await handle.chmod(mode);
      // Only needed, and only allowed, for an administrator who changes the file of another user.
      if (stats && process.getuid && stats.uid !== process.getuid()) await handle.chown(stats.uid, stats.gid);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The host itself writes to some of these files while it runs.
    const now = await readConfigFile(file);
    if (now.text !== before.text) throw unusableFile(file, 'has been changed in the meantime: try again');
    if (copy) {
      await rm(copy, { force: true });
      await writeFile(copy, before.text, { flag: 'wx', mode: 0o600 });
    }
    await replaceFile(temporary, file);
    return copy;
  } catch (error) {
    await rm(temporary, { force: true });
    throw explained(file, error);
  }
}

function explained(file: string, error: unknown): unknown {
  const code = errnoOf(error);
  if (error instanceof BudgetError || code === '') return error;
  return unusableFile(file, `cannot be used (${code})`, error);
}
