/** A store in the memory of one process, where there is no state that processes share. */
import { cancelledError, withCancellation } from '../platform/abort.ts';
import { type Clock, momentOf } from '../platform/clock.ts';
import type { Change, LockOptions, LogEntry, Release, SharedStore, StoredValue } from './shared-store.ts';

export class MemoryStore implements SharedStore {
  readonly isShared = false;
  /** There is no other process. */
  readonly version = 0;
  readonly #clock: Clock;
  readonly #records = new Map<string, StoredValue>();
  readonly #logs = new Map<string, LogEntry[]>();
  /** For each lock that is taken, resolves when it is released. */
  readonly #locks = new Map<string, Promise<void>>();
  #lastNumber = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async read(name: string): Promise<unknown> {
    return this.#records.get(name);
  }

  async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    const { value, result } = change(this.#records.get(name), momentOf(this.#clock));
    if (value === undefined) this.#records.delete(name);
    else this.#records.set(name, value);
    return result;
  }

  async append(log: string, value: StoredValue): Promise<number> {
    this.#lastNumber += 1;
    const entries = this.#logs.get(log) ?? [];
    entries.push({ number: this.#lastNumber, value });
    this.#logs.set(log, entries);
    return this.#lastNumber;
  }

  async *entries(log: string, after = 0): AsyncIterable<LogEntry> {
    yield* (this.#logs.get(log) ?? []).filter(({ number }) => number > after);
  }

  async trim(log: string, upTo = Number.POSITIVE_INFINITY): Promise<void> {
    const kept = (this.#logs.get(log) ?? []).filter(({ number }) => number > upTo);
    if (kept.length === 0) this.#logs.delete(log);
    else this.#logs.set(log, kept);
  }

  async lock(name: string, { waitMs, signal }: LockOptions): Promise<Release | undefined> {
    const deadline = this.#clock.monotonic() + waitMs;
    let isReleased = this.#locks.get(name);
    while (isReleased !== undefined) {
      const remainingMs = deadline - this.#clock.monotonic();
      if (remainingMs <= 0) return undefined;
      await withCancellation(this.#first(isReleased, remainingMs), signal);
      isReleased = this.#locks.get(name);
    }
    if (signal?.aborted) throw cancelledError();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = () => {
        if (this.#locks.get(name) === released) this.#locks.delete(name);
        resolve();
      };
    });
    this.#locks.set(name, released);
    return async () => release();
  }

  async close(): Promise<void> {}

  async #first(event: Promise<void>, milliseconds: number): Promise<void> {
    const settled = new AbortController();
    const limit = this.#clock.sleep(milliseconds, settled.signal).catch(() => {});
    await Promise.race([event, limit]);
    settled.abort();
  }
}
