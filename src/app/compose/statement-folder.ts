/** Files of banks in a folder of this machine. It knows no formats. */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
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
  return names.toSorted().map((name) => ({ name, read: () => readInFolder(folder, name) }));
}

/** The file may have been replaced since it was listed, so what was opened is checked. */
async function readInFolder(folder: string, name: string): Promise<Uint8Array> {
  const refuse = (reason: string) => invalidInput(`The file ${reason}.`);
  const path = join(folder, name);
  // Without waiting for a writer, if it is a pipe now.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => {
    throw refuse('cannot be read');
  });
  try {
    const opened = await file.stat();
    const real = await realpath(path);
    const root = await realpath(folder);
    const checked = await open(real, flags);
    const same = await checked.stat().finally(() => checked.close());
    const isWithin = real.startsWith(root.endsWith(sep) ? root : root + sep);
    if (!opened.isFile() || !isWithin || same.ino !== opened.ino || same.dev !== opened.dev)
      throw refuse('is not a regular file of the folder');
    if (opened.size > MAX_FILE_BYTES) throw refuse(`is larger than ${MAX_FILE_BYTES / 2 ** 20} MB`);
    // It may grow meanwhile.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(opened.size));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
