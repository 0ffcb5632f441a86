/**
 * What the processes of one sign-in share: records, logs and locks. One interface for every kind of store, so that those
 * who use it need not know whether there are other processes. It knows nothing about budgets. Values are JSON.
 */
import type { z } from 'zod';
import type { Moment } from '../base/clock.ts';

export type StoredValue = string | number | boolean | null | object;

/** An entry that is added to a log, which is created with its first one. */
export interface NewEntry {
  readonly log: string;
  readonly value: StoredValue;
  /** The log is removed with all its entries, so many milliseconds after the last one that says so. By default it stays. */
  readonly keptMs?: number;
}

/** The new value of a record, which `undefined` removes, and what the caller wants to know. */
export interface Changed<Value, Result> {
  readonly value: Value;
  readonly result: Result;
  /** Added to their logs in the same step. */
  readonly entries?: readonly NewEntry[] | undefined;
  /** The change, and all earlier ones of the store, must be on the replicas that the settings ask for. Otherwise it throws. */
  readonly waitsForReplicas?: boolean;
}

export type Change<Value, Result> = (
  value: Value,
  /** The time of the store. */
  now: Moment,
) => Changed<StoredValue | undefined, Result>;

export interface LogEntry {
  /** Ascending within a log, and never used again. */
  readonly number: number;
  readonly value: unknown;
}

/** Which records a look reads, and of which logs the entries with a number above `after`. */
export interface Look {
  readonly records: readonly string[];
  readonly logs?: readonly { readonly log: string; readonly after: number }[];
}

/** A record that is missing has no value. */
export interface Seen {
  readonly records: ReadonlyMap<string, unknown>;
  /** Ascending, and at most `ENTRIES_OF_LOOK` of each log. */
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>;
  /** The time of the store, not before any moment in what was read. */
  readonly now: Moment;
  /** No other process has the store open. A store may say false all the same, if a lock costs it little. */
  readonly isAlone: boolean;
}

/** A look is for logs with small entries. If it shows so many of one, there may be more: `entries` goes on after the last. */
export const ENTRIES_OF_LOOK = 50;

export interface LockOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Ends the possession of a lock. A second call does nothing, also if another one has the lock by then. */
export type Release = () => Promise<void>;

export interface SharedStore {
  /** The id of this process. No two processes have the same. */
  readonly processId: string;
  /** Undefined if there is no such record. The value must not be changed. */
  read(name: string): Promise<unknown>;
  /**
   * Reads several records, and the newer entries of several logs, as they are at one moment, by one request. So it shows
   * everything that was written before anything that it shows. The values must not be changed.
   */
  look(wanted: Look): Promise<Seen>;
  /**
   * Replaces a record and adds entries to logs, in one step: no other process can change it meanwhile. `change` must be pure: a
   * store may call it with an earlier value first, and then again. So it must not refuse by an error.
   */
  update<Result>(name: string, change: Change<unknown, Result>): Promise<Result>;
  /** Adds an entry to a log, and creates the log with its first entry. Returns the number of the entry. */
  append(log: string, value: StoredValue): Promise<number>;
  /** The entries with a number above `after`, ascending. */
  entries(log: string, after?: number): AsyncIterable<LogEntry>;
  /** Removes the entries with a number up to `upTo`, or the whole log. */
  trim(log: string, upTo?: number): Promise<void>;
  /** Another number after any change by others, perhaps a little later than `read` shows it. Reading it costs almost nothing. */
  readonly version: number;
  /**
   * Takes a lock that no other process can take until it is released, or until this process has ended. A process of one machine
   * that is suspended keeps its locks. One of several machines loses them: others cannot know that it has not ended, so its
   * store refuses all that it writes from then on. Undefined if the lock cannot be taken in time. Throws `cancelled` if
   * `signal` is aborted.
   */
  lock(name: string, options: LockOptions): Promise<Release | undefined>;
  /** Whether the process with this id has not ended. One of which this says that it has can write nothing any more from then on. */
  isRunning(processId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A record with a schema. What does not fit the schema counts as missing. */
export class SharedRecord<Schema extends z.ZodType<StoredValue>> {
  readonly #store: SharedStore;
  readonly name: string;
  readonly #schema: Schema;
  readonly #initial: z.output<Schema>;
  /** The last parsed value. Stored values are never changed, so the same object need not be parsed again. */
  #parsed: { readonly stored: unknown; readonly value: z.output<Schema> } | undefined;

  constructor(store: SharedStore, name: string, schema: Schema, initial: z.output<Schema>) {
    this.#store = store;
    this.name = name;
    this.#schema = schema;
    this.#initial = initial;
  }

  async read(): Promise<z.output<Schema>> {
    return this.parse(await this.#store.read(this.name));
  }

  /** `change` must be a pure function, because a store may call it again. */
  update<Result>(
    change: (value: z.output<Schema>, now: Moment) => Changed<z.output<Schema>, Result>,
  ): Promise<Result> {
    return this.#store.update(this.name, (stored, now) => {
      const changed = change(this.parse(stored), now);
      this.#parsed = { stored: changed.value, value: changed.value };
      return changed;
    });
  }

  parse(stored: unknown): z.output<Schema> {
    if (this.#parsed && this.#parsed.stored === stored) return this.#parsed.value;
    const { success, data } = this.#schema.safeParse(stored);
    const value = success ? data : this.#initial;
    this.#parsed = { stored, value };
    return value;
  }
}
