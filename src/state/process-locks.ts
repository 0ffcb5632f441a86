/** Which processes use a state: each has the lock of a file with its id, until it ends. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FileLocks } from './file-lock.ts';
import type { Release } from './shared-store.ts';
import { StoreError } from './store-error.ts';

export class ProcessLocks {
  readonly #locks: FileLocks;
  readonly #directory: string;

  constructor(locks: FileLocks, directory: string) {
    this.#locks = locks;
    this.#directory = directory;
  }

  /** The returned function releases the lock and removes the file. */
  async take(id: string): Promise<Release> {
    const path = this.#pathOf(id);
    const release = await this.#locks.take(path, { waitMs: 0 });
    if (!release) throw new StoreError('blocked by another process');
    return async () => {
      await release();
      rmSync(path, { force: true });
    };
  }

  isRunning(id: string): boolean {
    return !this.#removeIfFree(this.#pathOf(id));
  }

  /** Removes what killed processes have left. Must not run while a process takes its lock. */
  removeEnded(): void {
    for (const name of readdirSync(this.#directory))
      if (name.startsWith(PREFIX)) this.#removeIfFree(join(this.#directory, name));
  }

  #removeIfFree(path: string): boolean {
    if (this.#locks.isTaken(path)) return false;
    rmSync(path, { force: true });
    return true;
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${PREFIX}${id}.lock`);
  }
}

const PREFIX = 'process-';
