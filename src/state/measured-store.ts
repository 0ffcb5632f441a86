/** A store whose operations are measured: how long they take, and how many fail or are in progress. */
import type { Clock } from '../platform/clock.ts';
import type { Metrics, StoreOperation, StoreOutcome } from '../platform/metrics.ts';
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
import { StoreError } from './store-error.ts';

/** Returns the store itself if nothing is measured. */
export const measured = (store: SharedStore, clock: Clock, metrics: Metrics | undefined): SharedStore =>
  metrics ? new MeasuredStore(store, clock, metrics) : store;

class MeasuredStore implements SharedStore {
  readonly processId: string;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #metrics: Metrics;

  constructor(store: SharedStore, clock: Clock, metrics: Metrics) {
    this.processId = store.processId;
    this.#store = store;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  get version(): number {
    return this.#store.version;
  }

  read(name: string): Promise<unknown> {
    return this.#measure('read', () => this.#store.read(name));
  }

  look(wanted: Look): Promise<Seen> {
    return this.#measure('look', () => this.#store.look(wanted));
  }

  update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    return this.#measure('update', () => this.#store.update(name, change));
  }

  append(log: string, value: StoredValue): Promise<number> {
    return this.#measure('append', () => this.#store.append(log, value));
  }

  /** Not measured, because its reader decides how long it takes. */
  entries(log: string, after?: number): AsyncIterable<LogEntry> {
    return this.#store.entries(log, after);
  }

  trim(log: string, upTo?: number): Promise<void> {
    return this.#measure('trim', () => this.#store.trim(log, upTo));
  }

  /** The time includes the wait for the lock. */
  lock(name: string, options: LockOptions): Promise<Release | undefined> {
    const work = () => this.#store.lock(name, options);
    return this.#measure('lock', work, (release) => (release ? 'done' : 'missed'));
  }

  isRunning(processId: string): Promise<boolean> {
    return this.#store.isRunning(processId);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #measure<Result>(
    operation: StoreOperation,
    work: () => Promise<Result>,
    outcomeOf: (result: Result) => StoreOutcome = () => 'done',
  ): Promise<Result> {
    const startedAt = this.#clock.monotonic();
    const ended = this.#metrics.storeOperation(operation);
    // A change that throws, and a cancelled wait, are no failures of the store.
    let outcome: StoreOutcome = 'done';
    try {
      const result = await work();
      outcome = outcomeOf(result);
      return result;
    } catch (error) {
      if (error instanceof StoreError) outcome = 'failed';
      throw error;
    } finally {
      ended(outcome, this.#clock.monotonic() - startedAt);
    }
  }
}
