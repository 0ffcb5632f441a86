/**
 * Opens the state that the processes of a user share, one for each sign-in, or says why there is none. Without a file everything
 * works in memory, so a file that is lost is no error of a call. It does not know where a key comes from.
 */

import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { FallbackStore } from './fallback-store.ts';
import { FileLocks, RunningProcesses } from './file-lock.ts';
import { MemoryStore } from './memory-store.ts';
import type { SharedStore } from './shared-store.ts';
import type { OpenDatabase } from './sqlite.ts';
import { SqliteStore } from './sqlite-store.ts';
import {
  databaseOf,
  ignoreSystemError,
  prepareDirectory,
  removeState as removeFiles,
  removeUnused,
  type StateOwner,
  stateNameOf,
  touch,
} from './state-directory.ts';
import { StoreError } from './store-error.ts';

export interface StateStatus {
  /** Whether other processes of the user use the same state. */
  readonly shared: boolean;
  /** Why it is not shared, in sentences for a person. */
  readonly reason?: string;
  /** It was shared before. The others may go on with it, and this process does not see what they do. */
  readonly hasFailed?: boolean;
}

/** Several machines share it, so that nothing goes on in memory without it. Both methods throw `StoreError`. */
export interface StatePlace {
  open(owner: StateOwner, key: Uint8Array): Promise<SharedStore>;
  remove(owner: StateOwner): Promise<void>;
}

/** Where this machine shares the state, or why it does not, in sentences for a person. */
export type LocalSharing =
  | { readonly sqlite: OpenDatabase; readonly directory: string }
  | { readonly reason: string };

export type Sharing = StatePlace | LocalSharing;

export interface SharedStoresOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** Returns the key that seals a state, of 32 bytes. Throws a `BudgetError` if it cannot be had. */
export type ReadKey = () => Promise<Uint8Array>;

export class SharedStores {
  readonly #options: SharedStoresOptions;
  /** By the name of the state. */
  readonly #stores = new Map<string, Promise<SharedStore>>();
  readonly #opened: SharedStore[] = [];
  /** By the name of the state. */
  readonly #statuses = new Map<string, StateStatus>();

  constructor(options: SharedStoresOptions) {
    this.#options = options;
  }

  /** Without an owner, the status before a state is opened. */
  statusOf(owner?: StateOwner): StateStatus {
    const { sharing } = this.#options;
    const reason = 'reason' in sharing ? sharing.reason : 'No call has needed it yet.';
    return (owner && this.#statuses.get(stateNameOf(owner))) ?? { shared: false, reason };
  }

  /** The same store for the same owner. */
  open(owner: StateOwner, readKey: ReadKey): Promise<SharedStore> {
    const name = stateNameOf(owner);
    const known = this.#stores.get(name);
    if (known !== undefined) return known;
    const opening = this.#open(owner, readKey);
    this.#stores.set(name, opening);
    opening.catch(() => this.#stores.delete(name));
    return opening;
  }

  /** Does not wait for a store that is being opened, because the keychain may not answer. */
  async close(): Promise<void> {
    for (const store of this.#opened) await store.close();
  }

  async #open(owner: StateOwner, readKey: ReadKey): Promise<SharedStore> {
    const { sharing, clock, warn } = this.#options;
    if ('reason' in sharing) return new MemoryStore(clock);
    if ('open' in sharing) {
      const store = await sharing.open(owner, await readKey());
      this.#opened.push(store);
      this.#statuses.set(stateNameOf(owner), { shared: true });
      return store;
    }
    const fail = (error: unknown, hasFailed: boolean) => {
      const reason = reasonOf(error);
      this.#statuses.set(stateNameOf(owner), { shared: false, reason, ...(hasFailed && { hasFailed }) });
      warn(`The state is not shared with other processes. ${reason}`);
    };
    const { sqlite, directory } = sharing;
    try {
      const [key] = await Promise.all([readKey(), prepareDirectory(directory)]);
      const path = databaseOf(directory, owner);
      const store = await SqliteStore.open({ sqlite, clock, path, key });
      await touch(path, clock).catch(ignoreSystemError);
      const locks = new FileLocks(sqlite, clock);
      const isInUse = (path: string) => new RunningProcesses(path, locks).hasAny();
      await removeUnused(directory, clock, isInUse).catch(ignoreSystemError);
      this.#statuses.set(stateNameOf(owner), { shared: true });
      const safe = new FallbackStore(store, clock, (error) => fail(error, true));
      this.#opened.push(safe);
      return safe;
    } catch (error) {
      fail(error, false);
      return new MemoryStore(clock);
    }
  }
}

/** Returns whether all of it was removed: on Windows, what a running program has open goes later. */
export async function removeState(sharing: Sharing, owner: StateOwner): Promise<boolean> {
  if ('open' in sharing) await sharing.remove(owner);
  if (!('directory' in sharing)) return true;
  const { sqlite, directory } = sharing;
  return removeFiles(directory, owner, { sqlite });
}

/** Throws any error that is a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreError) return `Its file is ${error.reason}.`;
  if (error instanceof BudgetError) return error.message;
  throw error;
}
