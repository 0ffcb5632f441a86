/**
 * A store that goes on in memory while the other one is blocked, and after it has failed, so that no call fails because of
 * it. After it was blocked, everything is shared again (`BlockedStore`). After any other failure it stays in memory: the
 * records that this process has used stay as they were, such as the requests of this hour, and logs begin empty.
 */
import type { Clock } from '../platform/clock.ts';
import { BlockedStore } from './blocked-store.ts';
import { MemoryStore } from './memory-store.ts';
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

export interface FallbackListeners {
  /** Another process blocks the store. */
  onBlocked(): void;
  /** The store is not blocked any more, and has what was changed meanwhile. */
  onFree(): void;
  /** Called once, when the store has failed. */
  onFailure(error: StoreError): void;
}

/** How often it is looked whether the store is free. */
const LOOK_MS = 1_000;

export class FallbackStore implements SharedStore {
  readonly processId: string;
  readonly #clock: Clock;
  readonly #listeners: FallbackListeners;
  /** The values of records that this process has used last. */
  readonly #known = new Map<string, StoredValue>();
  readonly #shared: SharedStore;
  readonly #closing = new AbortController();
  /** Where calls work now. */
  #store: SharedStore;
  #hasFailed = false;
  /** How often the store has become free. */
  #returns = 0;

  constructor(store: SharedStore, clock: Clock, listeners: FallbackListeners) {
    this.#store = store;
    this.#shared = store;
    this.#clock = clock;
    this.#listeners = listeners;
    this.processId = store.processId;
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  get isBlocked(): boolean {
    return this.#store !== this.#shared && this.#store.isBlocked;
  }

  /** Rises when the store has become free too: what others wrote was hidden behind the own changes until then. */
  get version(): number {
    try {
      return this.#store.version + this.#returns;
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
    if (processId === this.processId || this.#hasFailed) return true;
    return this.#try(async (store) => this.#hasFailed || store.isRunning(processId));
  }

  /** What still goes on, such as writing a large budget, ends in memory. What waits for a blocked store is lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    const store = this.#store;
    if (store instanceof BlockedStore) await store.flush().catch(() => {});
    this.#store = MemoryStore.withRecords(this.#clock, this.#known);
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

  /** Throws any error that is not one of the store. */
  #fail(error: unknown, store = this.#store): void {
    if (!(error instanceof StoreError)) throw error;
    // Another call may have failed before.
    if (store !== this.#store) return;
    if (this.#hasFailed) throw error;
    if (error.isBlocked && store === this.#shared) this.#waitUntilFree();
    else {
      this.#store = MemoryStore.withRecords(this.#clock, this.#known);
      // The other store stays open: its locks show the other processes that this one still runs.
      this.#hasFailed = true;
      this.#listeners.onFailure(error);
    }
  }

  #waitUntilFree(): void {
    const blocked = new BlockedStore(this.#shared, this.#clock);
    this.#store = blocked;
    this.#listeners.onBlocked();
    const { signal } = this.#closing;
    const look = async (): Promise<void> => {
      while (blocked.isBlocked) {
        await this.#clock.sleep(LOOK_MS, signal, true);
        if (this.#store !== blocked) return;
        await blocked.flush();
      }
      if (this.#store !== blocked) return;
      this.#store = this.#shared;
      this.#returns += 1;
      this.#listeners.onFree();
    };
    look().catch((error: unknown) => {
      if (!signal.aborted) this.#fail(error, blocked);
    });
  }
}
