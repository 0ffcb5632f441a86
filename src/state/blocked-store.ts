/**
 * A store that another process blocks for a while, such as one that is suspended in the middle of a write. What is there can
 * still be read, and locks work. Changes wait in memory, in their order, and this process sees them at once. When the store
 * is free, they are made there: a change of a record is called again with the value that the record has then.
 */
import { type Clock, momentOf, yieldTurn } from '../platform/clock.ts';
import {
  type Change,
  ENTRIES_OF_LOOK,
  type LockOptions,
  type LogEntry,
  type Look,
  type Release,
  type Seen,
  type SharedStore,
  type StoredValue,
} from './shared-store.ts';
import { StoreError } from './store-error.ts';

/** More changes are not kept. That is several days of a busy program. */
const MAX_CHANGES = 10_000;

type WaitingChange = () => Promise<unknown>;

export class BlockedStore implements SharedStore {
  readonly isShared = true;
  readonly processId: string;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  /** The records that were changed meanwhile. */
  readonly #values = new Map<string, StoredValue | undefined>();
  readonly #lines: { readonly log: string; readonly value: StoredValue }[] = [];
  readonly #changes: WaitingChange[] = [];
  #isBlocked = true;
  #flushing: Promise<void> | undefined;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.processId = store.processId;
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get version(): number {
    return this.#store.version;
  }

  async read(name: string): Promise<unknown> {
    return this.#isBlocked && this.#values.has(name) ? this.#values.get(name) : this.#store.read(name);
  }

  async look({ records, logs = [] }: Look): Promise<Seen> {
    const seen = await this.#store.look({ records, logs });
    const changed = records.filter((name) => this.#isBlocked && this.#values.has(name));
    const waiting = (log: string) => (this.#isBlocked ? this.#lines.filter((line) => line.log === log) : []);
    const entriesOf = (log: string, entries: readonly LogEntry[], after: number): readonly LogEntry[] =>
      entries.length === ENTRIES_OF_LOOK
        ? entries
        : [
            ...entries,
            ...waiting(log).map(({ value }) => ({ number: entries.at(-1)?.number ?? after, value })),
          ];
    return {
      records: new Map([...seen.records, ...changed.map((name) => [name, this.#values.get(name)] as const)]),
      logs: new Map(logs.map(({ log, after }) => [log, entriesOf(log, seen.logs.get(log) ?? [], after)])),
      now: momentOf(this.#clock),
    };
  }

  async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    const stored = await this.#store.read(name);
    if (!this.#isBlocked) return this.#store.update(name, change);
    const before = this.#values.has(name) ? this.#values.get(name) : stored;
    const { value, result } = change(before, momentOf(this.#clock));
    this.#add(() => this.#store.update(name, change));
    this.#values.set(name, value);
    return result;
  }

  /** The number of the entry is not known yet. The one that is returned is lower. */
  async append(log: string, value: StoredValue): Promise<number> {
    if (!this.#isBlocked) return this.#store.append(log, value);
    this.#add(() => this.#store.append(log, value));
    this.#lines.push({ log, value });
    return 0;
  }

  /**
   * Entries that wait have the number of the last one before them: entries of others may come between, and a reader that
   * goes on after that number must not miss them. So an entry can come twice, also while the changes are made.
   */
  async *entries(log: string, after = 0): AsyncIterable<LogEntry> {
    const waiting = this.#isBlocked ? this.#lines.filter((line) => line.log === log) : [];
    let last = after;
    for await (const entry of this.#store.entries(log, after)) {
      last = entry.number;
      yield entry;
    }
    for (const { value } of waiting) yield { number: last, value };
  }

  /** Removes whole logs only. Numbers of entries that wait may be others later, and parts of logs are removed again then. */
  async trim(log: string, upTo?: number): Promise<void> {
    if (!this.#isBlocked) return this.#store.trim(log, upTo);
    if (upTo === undefined) this.#add(() => this.#store.trim(log));
  }

  lock(name: string, options: LockOptions): Promise<Release | undefined> {
    return this.#store.lock(name, options);
  }

  isRunning(processId: string): Promise<boolean> {
    return this.#store.isRunning(processId);
  }

  /** Does not close the other store. */
  async close(): Promise<void> {}

  /** Makes the changes in the other store, if it is free. Then everything goes on there. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    if (this.#store.isBlocked) return;
    for (let next = this.#changes[0]; next; next = this.#changes[0]) {
      try {
        await next();
      } catch (error) {
        if (error instanceof StoreError && error.isBlocked) return;
        // A change that refuses the value which the record has now is left out.
        if (error instanceof StoreError) throw error;
      }
      this.#changes.shift();
      await yieldTurn();
    }
    this.#isBlocked = false;
  }

  #add(change: WaitingChange): void {
    if (this.#changes.length >= MAX_CHANGES) throw new StoreError('blocked by another process for too long');
    this.#changes.push(change);
  }
}
