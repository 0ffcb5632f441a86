/**
 * A store that goes on in memory after the other one has failed, so that no call fails because of it: the records that this
 * process has changed stay as they were, such as the requests of this hour, and logs begin empty. While another process
 * blocks the other one, nothing goes on in memory, and what needs a change fails.
 */
import type { Clock } from '../base/clock.ts';
import { MemoryStore, SharedMemory } from './memory-store.ts';
import type {
  Change,
  LockOptions,
  LogEntry,
  Look,
  Release,
  Seen,
  SharedStore,
  StoredValue,
} from './shared-store.ts';
import { ignoreStoreError, StoreError } from './store-error.ts';

export class FallbackStore implements SharedStore {
  readonly processId: string;
  readonly #clock: Clock;
  readonly #onFailure: (error: StoreError) => void;
  /** The values of records that this process has used last. */
  readonly #known = new Map<string, StoredValue>();
  readonly #shared: SharedStore;
  /** Where calls work now. */
  #store: SharedStore;
  #hasFailed = false;

  /** `onFailure` is called once, when the store has failed. */
  constructor(store: SharedStore, clock: Clock, onFailure: (error: StoreError) => void) {
    this.#store = store;
    this.#shared = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.processId = store.processId;
  }

  get version(): number {
    try {
      return this.#store.version;
    } catch (error) {
      this.#fail(error);
      return this.version;
    }
  }

  read(name: string): Promise<unknown> {
    return this.#try((store) => store.read(name));
  }

  look(wanted: Look): Promise<Seen> {
    return this.#try((store) => store.look(wanted));
  }

  async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    let latest: StoredValue | undefined;
    const result = await this.#try((store) =>
      store.update(name, (before, now) => {
        const changed = change(before, now);
        latest = changed.value;
        return changed;
      }),
    );
    if (latest === undefined) this.#known.delete(name);
    else this.#known.set(name, latest);
    return result;
  }

  append(log: string, value: StoredValue): Promise<number> {
    return this.#try((store) => store.append(log, value));
  }

  /** If the store fails in between, throws its error: what was read so far is not the whole. */
  async *entries(log: string, after?: number): AsyncIterable<LogEntry> {
    const store = this.#store;
    try {
      yield* store.entries(log, after);
    } catch (error) {
      this.#fail(error, store);
      throw error;
    }
  }

  trim(log: string, upTo?: number): Promise<void> {
    return this.#try((store) => store.trim(log, upTo));
  }

  /** The locks of a file that has failed can often be used still. They show the other processes that this one writes. */
  lock(name: string, options: LockOptions): Promise<Release | undefined> {
    return this.#shared.lock(name, options).catch((error: unknown) => {
      ignoreStoreError(error);
      return this.#try((store) => store.lock(name, options));
    });
  }

  /** After a failure, nothing is known about other processes. They may be running, so that nothing of theirs is taken over. */
  async isRunning(processId: string): Promise<boolean> {
    return this.#try(async (store) => this.#hasFailed || store.isRunning(processId));
  }

  /** What still goes on, such as writing a large budget, ends in memory. */
  async close(): Promise<void> {
    this.#store = new MemoryStore(this.#clock, new SharedMemory(this.#known));
    await this.#shared.close().catch((error: unknown) => {
      if (!this.#hasFailed) throw error;
    });
  }

  async #try<Result>(use: (store: SharedStore) => Promise<Result>): Promise<Result> {
    const store = this.#store;
    try {
      return await use(store);
    } catch (error) {
      this.#fail(error, store);
      return this.#try(use);
    }
  }

  /** Throws any error that is not a failure of the store. */
  #fail(error: unknown, store = this.#store): void {
    if (!(error instanceof StoreError) || error.isBlocked) throw error;
    // Another call may have failed before.
    if (store !== this.#store) return;
    if (this.#hasFailed) throw error;
    this.#store = new MemoryStore(this.#clock, new SharedMemory(this.#known));
    // The other store stays open: its locks show the other processes that this one still runs.
    this.#hasFailed = true;
    this.#onFailure(error);
  }
}
