/** A store in memory: for one process, or, in tests, for several that share a `SharedMemory`. */
import { randomUUID } from 'node:crypto';
import { cancelledError, withCancellation, withTimeLimit } from '../base/abort.ts';
import { type Clock, momentOf } from '../base/clock.ts';
import {
  type Change,
  ENTRIES_OF_LOOK,
  type LockOptions,
  type LogEntry,
  type Look,
  type NewEntry,
  type Release,
  type Seen,
  type SharedStore,
  type StoredValue,
} from './shared-store.ts';

export class SharedMemory {
  readonly records: Map<string, StoredValue>;
  readonly logs = new Map<string, LogEntry[]>();
  /** When logs end that are kept for some time only, by the monotonic clock. */
  readonly ends = new Map<string, number>();
  /** For each lock that is taken, resolves when it is released. */
  readonly locks = new Map<string, Promise<void>>();
  readonly running = new Set<string>();
  lastNumber = 0;
  changes = 0;

  constructor(records: Iterable<readonly [string, StoredValue]> = []) {
    this.records = new Map(records);
  }
}

export class MemoryStore implements SharedStore {
  readonly processId = randomUUID();
  readonly #clock: Clock;
  readonly #memory: SharedMemory;
  readonly #ownLocks = new Set<Release>();

  constructor(clock: Clock, memory = new SharedMemory()) {
    this.#clock = clock;
    this.#memory = memory;
    this.#memory.running.add(this.processId);
  }

  /** Own changes count too, which only makes a reader look once more. */
  get version(): number {
    return this.#memory.changes;
  }

  async read(name: string): Promise<unknown> {
    return this.#memory.records.get(name);
  }

  async look({ records, logs = [] }: Look): Promise<Seen> {
    const entriesOf = (log: string, after: number) => this.#entriesOf(log, after).slice(0, ENTRIES_OF_LOOK);
    return {
      records: new Map(records.map((name) => [name, this.#memory.records.get(name)])),
      logs: new Map(logs.map(({ log, after }) => [log, entriesOf(log, after)])),
      now: momentOf(this.#clock),
      isAlone: this.#memory.running.size === 1,
    };
  }

  async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    this.#removeEnded();
    const { records } = this.#memory;
    const { value, result, entries = [] } = change(records.get(name), momentOf(this.#clock));
    if (value === undefined) records.delete(name);
    else records.set(name, value);
    for (const entry of entries) this.#append(entry);
    this.#memory.changes += 1;
    return result;
  }

  async append(log: string, value: StoredValue): Promise<number> {
    this.#memory.changes += 1;
    return this.#append({ log, value });
  }

  async *entries(log: string, after = 0): AsyncIterable<LogEntry> {
    yield* this.#entriesOf(log, after);
  }

  async trim(log: string, upTo = Number.POSITIVE_INFINITY): Promise<void> {
    const { logs, ends } = this.#memory;
    const kept = (logs.get(log) ?? []).filter(({ number }) => number > upTo);
    if (kept.length > 0) logs.set(log, kept);
    else {
      logs.delete(log);
      ends.delete(log);
    }
    this.#memory.changes += 1;
  }

  async lock(name: string, { waitMs, signal }: LockOptions): Promise<Release | undefined> {
    const { locks } = this.#memory;
    const deadline = this.#clock.monotonic() + waitMs;
    for (let released = locks.get(name); released; released = locks.get(name)) {
      const remainingMs = deadline - this.#clock.monotonic();
      if (remainingMs <= 0) return undefined;
      const waiting = withTimeLimit(this.#clock, remainingMs, released, () => {});
      await withCancellation(waiting, signal);
    }
    if (signal?.aborted) throw cancelledError();
    return this.#take(name);
  }

  async isRunning(processId: string): Promise<boolean> {
    return this.#memory.running.has(processId);
  }

  /** Like the end of the process: its locks become free. */
  async close(): Promise<void> {
    this.#memory.running.delete(this.processId);
    for (const release of this.#ownLocks) await release();
  }

  #removeEnded(): void {
    const { ends, logs } = this.#memory;
    for (const [log, end] of ends)
      if (end <= this.#clock.monotonic()) {
        logs.delete(log);
        ends.delete(log);
      }
  }

  #entriesOf(log: string, after: number): readonly LogEntry[] {
    this.#removeEnded();
    return (this.#memory.logs.get(log) ?? []).filter(({ number }) => number > after);
  }

  #append({ log, value, keptMs }: NewEntry): number {
    const memory = this.#memory;
    if (keptMs !== undefined) memory.ends.set(log, this.#clock.monotonic() + keptMs);
    memory.lastNumber += 1;
    const entry = { number: memory.lastNumber, value };
    const entries = memory.logs.get(log);
    if (entries) entries.push(entry);
    else memory.logs.set(log, [entry]);
    return entry.number;
  }

  #take(name: string): Release {
    const { locks } = this.#memory;
    let end = () => {};
    const released = new Promise<void>((resolve) => {
      end = resolve;
    });
    locks.set(name, released);
    const release = async () => {
      if (locks.get(name) === released) locks.delete(name);
      this.#ownLocks.delete(release);
      end();
    };
    this.#ownLocks.add(release);
    return release;
  }
}
