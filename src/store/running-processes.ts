/** Which processes use a store. Each has a lock in a folder until it ends, however that happens. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../base/errno.ts';
import type { FileLocks } from './file-lock.ts';
import type { Release } from './shared-store.ts';
import { sqliteProblemOf } from './sqlite.ts';

const LOCK = /^process-([0-9a-f-]+)\.lock$/;

export interface OwnProcess {
  readonly id: string;
  /** False if its lock was removed. Then other processes take it for ended. */
  isListed(): boolean;
  readonly remove: Release;
}

export class RunningProcesses {
  readonly #directory: string;
  readonly #locks: FileLocks;

  constructor(directory: string, locks: FileLocks) {
    this.#directory = directory;
    this.#locks = locks;
  }

  /** Adds this process, and removes the locks of those that were killed. Must not run in two processes at once. */
  async add(): Promise<OwnProcess | undefined> {
    for (const name of readdirSync(this.#directory)) {
      const [, id] = LOCK.exec(name) ?? [];
      if (id !== undefined) this.#removeEnded(id);
    }
    const id = randomUUID();
    const release = await this.#locks.take(this.#lockOf(id), { waitMs: 0 });
    if (!release) return undefined;
    const remove = async () => {
      await release();
      this.#removeLock(id);
    };
    return { id, isListed: () => existsSync(this.#lockOf(id)), remove };
  }

  /** Throws an error of SQLite if that cannot be found out. */
  has(id: string): boolean {
    if (this.#locks.isTaken(this.#lockOf(id))) return true;
    this.#removeLock(id);
    return false;
  }

  /** Whether any process has not ended. One whose lock cannot be looked at may run. */
  hasAny(): boolean {
    if (!existsSync(this.#directory)) return false;
    return readdirSync(this.#directory).some((name) => {
      if (!LOCK.test(name)) return false;
      try {
        return this.#locks.isTaken(join(this.#directory, name));
      } catch (error) {
        if (sqliteProblemOf(error) === undefined) throw error;
        return true;
      }
    });
  }

  /** A lock that cannot be looked at stays. */
  #removeEnded(id: string): void {
    try {
      this.has(id);
    } catch (error) {
      if (sqliteProblemOf(error) === undefined) throw error;
    }
  }

  #lockOf = (id: string) => join(this.#directory, `process-${id}.lock`);

  /** On Windows a file stays while another process looks at it. Then it is removed the next time. */
  #removeLock(id: string): void {
    try {
      rmSync(this.#lockOf(id), { force: true });
    } catch (error) {
      if (errnoOf(error) === '') throw error;
    }
  }
}
