/**
 * The directory of the shared state: whether it can be used, which files in it belong to a sign-in, and when they are
 * removed. It knows nothing about the content of the files.
 */
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { errnoOf, undefinedIfMissing } from '../base/errno.ts';
import { BudgetError, invalidConfig } from '../base/errors.ts';
import { isInUse } from '../base/replace-file.ts';
import type { OpenDatabase } from './sqlite.ts';
import { emptyDatabase } from './sqlite-file.ts';

/** The format of the content. A program that writes another format uses another file. */
const FORMAT = 1;

/** State that no process has opened for so long is removed: its sign-in was replaced, or the program is not used. */
const UNUSED_MS = 90 * 24 * 3_600_000;

/** How the names of all files of a state begin: the database, what SQLite keeps beside it, files that were set aside, and locks. */
const STATE_FILE = /^([0-9a-f]{32})\.v\d+\./;

export interface StateOwner {
  /** The same in every process. */
  readonly signIn: string;
  readonly baseUrl: string;
}

/** The name of a state. It does not tell which sign-in it belongs to. */
export function stateNameOf({ signIn, baseUrl }: StateOwner): string {
  return createHash('sha256').update(`${signIn}\n${baseUrl}`).digest('hex').slice(0, 32);
}

export const databaseOf = (directory: string, owner: StateOwner) =>
  join(directory, `${stateNameOf(owner)}.v${FORMAT}.db`);

/**
 * Creates the directory if it is missing. `uid` is the id of this user, undefined on Windows. Throws `invalid_configuration`.
 */
export async function prepareDirectory(directory: string, uid = process.getuid?.()): Promise<void> {
  if (!isAbsolute(directory))
    throw invalidConfig(`${directory} is not an absolute path: name one with --state-dir.`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
    const stats = await stat(directory);
    if (uid === undefined) return;
    if (stats.uid !== uid) throw invalidConfig(`${directory} belongs to another user.`);
    if ((stats.mode & 0o022) !== 0) throw invalidConfig(`${directory} can be written by other users.`);
  } catch (error) {
    if (error instanceof BudgetError || errnoOf(error) === '') throw error;
    throw invalidConfig(`${directory} cannot be used (${errnoOf(error)}).`);
  }
}

/** Notes that a state is in use, so that it is not removed. */
export async function touch(path: string, clock: Clock): Promise<void> {
  const now = clock.now() / 1_000;
  await utimes(path, now, now);
}

export interface RemovalOptions {
  /** Undefined if this Node.js has no SQLite. */
  readonly sqlite?: OpenDatabase | undefined;
  readonly platform?: NodeJS.Platform;
  readonly remove?: (directory: string, file: string) => Promise<void>;
}

/**
 * Removes the state of a sign-in, in all formats. Returns whether all of it was removed: Windows keeps files that a running program
 * has open. They are emptied, and `removeUnused` removes them once that program has ended. Throws `file_unusable`.
 */
export async function removeState(
  directory: string,
  owner: StateOwner,
  { sqlite, platform, remove = removeFile }: RemovalOptions = {},
): Promise<boolean> {
  const name = stateNameOf(owner);
  let isRemoved = true;
  try {
    for (const file of await stateFilesIn(directory)) {
      if (STATE_FILE.exec(file)?.[1] !== name) continue;
      try {
        await remove(directory, file);
      } catch (error) {
        if (!isInUse(error, platform)) throw error;
        isRemoved = false;
        await writeFile(join(directory, markOf(startOf(file))), '', { mode: 0o600 });
        if (sqlite && file.endsWith('.db')) emptyDatabase(sqlite, join(directory, file));
      }
    }
    return isRemoved;
  } catch (error) {
    if (errnoOf(error) === '') throw error;
    const message = `The shared state of the sign-in in ${directory} cannot be removed (${errnoOf(error)}).`;
    throw new BudgetError('file_unusable', message, { cause: error });
  }
}

/** Beside files of a state that was to be removed, but that a program still had open. */
const markOf = (start: string) => `${start}removed`;

/**
 * Removes states that no process has opened for 90 days, or that were to be removed before, and that none uses now: one may run for
 * longer, or the clock was set. `isUsed` gets the directory of their locks.
 */
export async function removeUnused(
  directory: string,
  clock: Clock,
  isUsed: (locks: string) => boolean,
): Promise<void> {
  const files = await stateFilesIn(directory);
  const lastUses = new Map<string, number>();
  for (const file of files) {
    // SQLite may remove its own files at any time.
    const { mtimeMs = 0 } = (await stat(join(directory, file)).catch(ignoreSystemError)) ?? {};
    lastUses.set(startOf(file), Math.max(mtimeMs, lastUses.get(startOf(file)) ?? 0));
  }
  for (const [start, lastUse] of lastUses) {
    const isOver = clock.now() - lastUse > UNUSED_MS || files.includes(markOf(start));
    if (!isOver || isUsed(join(directory, `${start}db.locks`))) continue;
    // What cannot be removed stays until the next time.
    for (const file of files)
      if (startOf(file) === start) await removeFile(directory, file).catch(ignoreSystemError);
  }
}

const startOf = (file: string) => STATE_FILE.exec(file)?.[0] ?? '';

async function stateFilesIn(directory: string): Promise<string[]> {
  const files = (await readdir(directory).catch(undefinedIfMissing)) ?? [];
  return files.filter((file) => STATE_FILE.test(file));
}

const removeFile = (directory: string, file: string) =>
  rm(join(directory, file), { recursive: true, force: true });

export function ignoreSystemError(error: unknown): undefined {
  if (errnoOf(error) === '') throw error;
}
