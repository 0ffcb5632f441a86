/**
 * A store that goes on in the memory of this process when the other one fails, so that no call fails because of it. The
 * records that this process has used stay as they were, such as the requests of this hour. Logs begin empty.
 */
import type { Clock } from '../platform/clock.ts';
import { MemoryStore } from './memory-store.ts';
import type { Change, LockOptions, LogEntry, Release, SharedStore, StoredValue } from './shared-store.ts';
import { StoreError } from './store-error.ts';

export class FallbackStore implements SharedStore {
  readonly processId: string;
  readonly #clock: Clock;
  readonly #onFailure: (error: StoreError) => void;
  /** The values of records that this process has used last. */
  readonly #known = new Map<string, StoredValue>();
  #store: SharedStore;
  #failed: SharedStore | undefined;

  /** `onFailure` is called once, when `store` has failed. */
  constructor(store: SharedStore, clock: Clock, onFailure: (error: StoreError) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.processId = store.processId;
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  get version(): number {
    try {
      return this.#store.version;
    } catch (error) {
      this.#fail(error);
      return this.#store.version;
    }
  }

  read(name: string): Promise<unknown> {
    return this.#try((store) => store.read(name));
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
    try {
      yield* this.#store.entries(log, after);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  trim(log: string, upTo?: number): Promise<void> {
    return this.#try((store) => store.trim(log, upTo));
  }

  lock(name: string, options: LockOptions): Promise<Release | undefined> {
    return this.#try((store) => store.lock(name, options));
  }

  /** After a failure, nothing is known about other processes. They may be running, so that nothing of theirs is taken over. */
  async isRunning(processId: string): Promise<boolean> {
    if (processId === this.processId || this.#failed) return true;
    return this.#try(async (store) => this.#failed !== undefined || store.isRunning(processId));
  }

  /** What still goes on, such as writing a large budget, ends in memory. */
  async close(): Promise<void> {
    const store = this.#store;
    this.#store = MemoryStore.withRecords(this.#clock, this.#known);
    await store.close();
    await this.#failed?.close().catch(() => {});
  }

  async #try<Result>(use: (store: SharedStore) => Promise<Result>): Promise<Result> {
    const store = this.#store;
    try {
      return await use(store);
    } catch (error) {
      this.#fail(error, store);
      return use(this.#store);
    }
  }

  /** Throws any error that is not one of the store. */
  #fail(error: unknown, store = this.#store): void {
    if (!(error instanceof StoreError)) throw error;
    // Another call may have failed before.
    if (store !== this.#store || this.#failed) return;
    this.#store = MemoryStore.withRecords(this.#clock, this.#known);
    // It stays open: its locks show the other processes that this one still runs.
    this.#failed = store;
    this.#onFailure(error);
  }
}
