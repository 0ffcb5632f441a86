/**
 * Stores secrets unencrypted, one file for each profile, for machines without a keychain, and only if the user asks for
 * it. A crash leaves either the old file or the new one. Other users cannot read the files; other programs of the same
 * user can.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import { BudgetError, unusableFile } from '../base/errors.ts';
import { replaceFile } from '../base/replace-file.ts';
import { readSecretFile } from './secret-file.ts';
import type { CanReplace, SecretStore } from './token-store.ts';

export class FileSecretStore implements SecretStore {
  readonly place: string;
  readonly #directory: string;
  readonly #extension: string;

  /**
   * `directory` is only for secrets, and is created if it is missing. Secrets of one profile differ in the `extension`,
   * such as ".json", of their files.
   */
  constructor(directory: string, extension: string) {
    this.#directory = directory;
    this.#extension = extension;
    this.place = `unencrypted files in ${directory}`;
  }

  read(profile: string): Promise<string | undefined> {
    return readSecretFile(this.#path(profile), { own: true });
  }

  async write(profile: string, secret: string, mayReplace: CanReplace<string> = () => true) {
    const path = this.#path(profile);
    const draft = `${path}.${randomUUID()}`;
    let isReplaced: boolean;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await chmod(this.#directory, 0o700);
      await writeFile(draft, secret, { flag: 'wx', mode: 0o600, flush: true });
      // Throws if the file cannot be read. It may be valid, so it must not be replaced.
      isReplaced = mayReplace(await this.read(profile));
      if (isReplaced) await replaceFile(draft, path);
      else await rm(draft);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      if (error instanceof BudgetError) throw error;
      throw unusableFile(path, `cannot be written (${errnoOf(error)})`, error);
    }
    if (isReplaced) await this.#syncDirectory(path, 'written');
    return isReplaced;
  }

  async remove(profile: string): Promise<boolean> {
    const path = this.#path(profile);
    const files = await this.#filesOf(profile);
    try {
      for (const file of files) await rm(file);
    } catch (error) {
      throw unusableFile(path, `cannot be removed (${errnoOf(error)})`, error);
    }
    if (files.length > 0) await this.#syncDirectory(path, 'removed');
    if ((await this.#filesOf(profile)).length > 0)
      throw unusableFile(path, 'exists again after it was removed');
    return files.length > 0;
  }

  #path(profile: string): string {
    return join(this.#directory, `${profile}${this.#extension}`);
  }

  /** The profile's file, and drafts that a crash has left, because they contain secrets too. */
  async #filesOf(profile: string): Promise<string[]> {
    const own = this.#path(profile);
    try {
      const files = (await readdir(this.#directory)).map((name) => join(this.#directory, name));
      return files.filter((file) => file === own || file.startsWith(`${own}.`));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw unusableFile(this.#directory, `cannot be listed (${errnoOf(error)})`, error);
    }
  }

  /** A change of names survives a power failure only after the directory is synced. Windows does that itself. */
  async #syncDirectory(path: string, done: 'written' | 'removed'): Promise<void> {
    if (process.platform === 'win32') return;
    try {
      const directory = await open(this.#directory);
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      throw unusableFile(path, `was ${done}, but a power failure may undo that (${errnoOf(error)})`, error);
    }
  }
}
