/**
 * Sign-ins in the clear, one JSON file for each profile, for machines without a keychain and only where the user asks
 * for it by name. It knows how to replace a file so that a crash leaves the old one or the new one, and how to keep
 * other users out; against other programs of the same user it is no protection.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BudgetError } from '../errors.ts';
import { errnoOf, readSecretFile, unusableFileError } from './secret-file.ts';
import { type CanReplace, parseSignIn, type SignIn, type TokenStore } from './token-store.ts';

const RULES = { forbidden: 0o077, own: true, limit: 2 ** 16 };

export class FileTokenStore implements TokenStore {
  readonly place: string;
  readonly #directory: string;

  /** `directory` is for nothing else, and is made where it is missing. */
  constructor(directory: string) {
    this.#directory = directory;
    this.place = `unencrypted files in ${directory}`;
  }

  async read(profile: string): Promise<SignIn | undefined> {
    const path = this.#path(profile);
    const text = await readSecretFile(path, RULES);
    return text === undefined ? undefined : parseSignIn(text, path);
  }

  async write(profile: string, signIn: SignIn, mayReplace: CanReplace = () => true): Promise<boolean> {
    const path = this.#path(profile);
    // What cannot be read may still be good: it is not replaced unseen.
    await this.read(profile);
    const draft = `${path}.${randomUUID()}`;
    let isFree: boolean;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await chmod(this.#directory, 0o700);
      await writeThrough(draft, JSON.stringify(signIn));
      isFree = mayReplace(await this.read(profile));
      if (isFree) await rename(draft, path);
      else await rm(draft);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      if (error instanceof BudgetError) throw error;
      throw unusableFileError(path, `cannot be written (${errnoOf(error)})`, error);
    }
    if (isFree) await this.#settle(path, 'written');
    return isFree;
  }

  async remove(profile: string): Promise<boolean> {
    const path = this.#path(profile);
    const names = await this.#namesOf(profile);
    try {
      for (const name of names) await rm(join(this.#directory, name));
    } catch (error) {
      throw unusableFileError(path, `cannot be removed (${errnoOf(error)})`, error);
    }
    if (names.length > 0) await this.#settle(path, 'removed');
    if ((await this.#namesOf(profile)).length > 0)
      throw unusableFileError(path, 'is there again after it was removed');
    return names.length > 0;
  }

  #path(profile: string): string {
    return join(this.#directory, `${profile}.json`);
  }

  /** The profile's file and the drafts that a crash has left, which hold secrets too. */
  async #namesOf(profile: string): Promise<string[]> {
    try {
      const names = await readdir(this.#directory);
      return names.filter((name) => name === `${profile}.json` || name.startsWith(`${profile}.json.`));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw unusableFileError(this.#directory, `cannot be listed (${errnoOf(error)})`, error);
    }
  }

  /** A new name outlives a power failure only once its directory is on the disk. Windows sees to it by itself. */
  async #settle(path: string, done: 'written' | 'removed'): Promise<void> {
    if (process.platform === 'win32') return;
    try {
      const directory = await open(this.#directory);
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      throw unusableFileError(
        path,
        `was ${done}, but a power failure may undo that (${errnoOf(error)})`,
        error,
      );
    }
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
