/** Files of banks in a folder of this machine. It knows no formats. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { invalidInput } from '../../base/errors.ts';
import type { StatementFile } from '../../session/uploaded-statements.ts';

const MAX_FILE_BYTES = 10 * 2 ** 20;
const MAX_FILES = 1_000;
const MAX_DEPTH = 5;

/** The regular files below a folder, by name. Links are neither followed nor listed. Throws if it cannot be read. */
export async function statementFilesIn(folder: string): Promise<StatementFile[]> {
  const names: string[] = [];
  const walk = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch((error: unknown) => {
      if (path !== '') return [];
      throw invalidInput('The folder of --statements cannot be read.', { cause: error });
    });
    for (const entry of entries) {
      if (entry.name.startsWith('.') || names.length >= MAX_FILES) continue;
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isFile()) names.push(name);
      else if (entry.isDirectory() && depth < MAX_DEPTH) await walk(name, depth + 1);
    }
  };
  await walk('', 1);
  return names.toSorted().map((name) => ({
    name,
    version: () => versionInFolder(folder, name),
    read: () => readInFolder(folder, name),
  }));
}

const refuse = (reason: string) => invalidInput(`The file ${reason}.`);

async function readInFolder(folder: string, name: string): Promise<Uint8Array> {
  const file = await openInFolder(folder, name);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw refuse(`is larger than ${MAX_FILE_BYTES / 2 ** 20} MB`);
    // It may grow meanwhile.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function versionInFolder(folder: string, name: string): Promise<string> {
  const file = await openInFolder(folder, name);
  const { dev, ino, size, mtimeMs, ctimeMs } = await file.stat().finally(() => file.close());
  return JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]);
}

/** The file may have been replaced since it was listed, so where the open one is is checked: nothing is opened a second time. */
async function openInFolder(folder: string, name: string): Promise<FileHandle> {
  const path = join(folder, name);
  // Without waiting for a writer, if it is a pipe now.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => {
    throw refuse('cannot be read');
  });
  try {
    const root = await realpath(folder);
    const real = await placeOf(file, path);
    const isWithin = real?.startsWith(root.endsWith(sep) ? root : root + sep) ?? false;
    if (!(await file.stat()).isFile() || !isWithin) throw refuse('is not a regular file of the folder');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Linux says where an open file is. Elsewhere its path is followed, and has to lead to the same file. Undefined if it does not. */
async function placeOf(file: FileHandle, path: string): Promise<string | undefined> {
  const known = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  if (known !== undefined) return known;
  const real = await realpath(path);
  const [opened, found] = [await file.stat(), await lstat(real)];
  return opened.ino === found.ino && opened.dev === found.dev ? real : undefined;
}
