/**
 * What the processes of a sign-in have done to one budget, in the store: a log of what they have written, and of the changes
 * that they have read; and a record of how far the last read got. It remembers how far this process has read the log.
 */
import { z } from 'zod';
import { type Clock, certainAgeAt, type Moment, momentOf } from '../../base/clock.ts';
import {
  ENTRIES_OF_LOOK,
  type Look,
  type NewEntry,
  type Seen,
  SharedRecord,
  type SharedStore,
  storedMoment,
} from '../../store/shared-store.ts';
import { ignoreStoreError } from '../../store/store-error.ts';

const json = z.record(z.string(), z.unknown());

/** An entry says who added it and when the write ended, or the read was requested. */
const change = z.object({
  processId: z.string(),
  at: storedMoment,
  /** A write, or entities that are no result of a later one. */
  write: z
    .object({
      kind: z.enum(['read', 'create', 'update', 'delete']),
      /** The ids of the entities in the response. */
      ids: z.array(z.string()),
      /** What shows that a later response contains the write. Undefined if it is uncertain whether the write happened. */
      evidence: json.optional(),
    })
    .optional(),
  /** What has changed since the knowledge `since`. */
  delta: z.object({ since: z.number(), data: z.unknown() }).optional(),
});

export type LoggedWrite = NonNullable<z.output<typeof change>['write']>;
/** `data` is parsed by its reader, because another version of the program may have written it. */
export type LoggedDelta = NonNullable<z.output<typeof change>['delta']>;
export type LoggedChange = z.output<typeof change> & { readonly number: number };

/** The last read of the whole budget, in a snapshot, and of the changes after it. */
const lastRead = z.object({
  snapshot: z.string(),
  /** The deltas after the snapshot have numbers above this one in the log. */
  after: z.int(),
  /** How many there are. */
  deltas: z.int(),
  /** When the last read was requested, and what it showed. */
  asOf: storedMoment,
  knowledge: z.number(),
});

export type LastRead = z.output<typeof lastRead>;

/** Longer than the search for a lost write can take. */
const MAX_AGE_MS = 20 * 60_000;

export class BudgetLog {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #record: SharedRecord<z.ZodNullable<typeof lastRead>>;
  /** The entries that are known to be in the log, ascending, for their removal. */
  #known: readonly { readonly number: number; readonly at: Moment }[] = [];
  /** The number of the last entry that was read. */
  position = 0;
  /** As it was seen last. */
  lastRead: LastRead | null = null;
  /** Whether the log was read before. */
  isKnown = false;

  constructor(store: SharedStore, clock: Clock, budgetId: string) {
    this.#store = store;
    this.#clock = clock;
    this.#name = `changes of ${budgetId}`;
    this.#record = new SharedRecord(store, `budget ${budgetId}`, lastRead.nullable(), null);
  }

  /** What `changesIn` needs. */
  get wanted(): Required<Look> {
    return { records: [this.#record.name], logs: [{ log: this.#name, after: this.position }] };
  }

  /** The entries of other processes that were not read yet. */
  async changesIn({ records, logs }: Seen): Promise<readonly LoggedChange[]> {
    const seen = [...(logs.get(this.#name) ?? [])];
    if (seen.length >= ENTRIES_OF_LOOK)
      for await (const entry of this.#store.entries(this.#name, seen.at(-1)?.number)) seen.push(entry);
    // Another call may have read them meanwhile.
    const added = seen.flatMap(({ number, value }) => {
      const { data } = change.safeParse(value);
      return data && number > this.position ? { ...data, number } : [];
    });
    this.position = Math.max(this.position, seen.at(-1)?.number ?? 0);
    this.#known = [...this.#known, ...added];
    this.lastRead = this.#record.parse(records.get(this.#record.name));
    this.isKnown = true;
    return added.filter(({ processId }) => processId !== this.#store.processId);
  }

  /** All deltas after a number. */
  async *deltas(after: number): AsyncIterable<LoggedDelta & { readonly at: Moment }> {
    for await (const { value } of this.#store.entries(this.#name, after)) {
      const { data } = change.safeParse(value);
      if (data?.delta) yield { ...data.delta, at: data.at };
    }
  }

  /** What shows a write to others, for the store. */
  entryOf(write: LoggedWrite): NewEntry {
    void this.#trim().catch(ignoreStoreError);
    return this.#entryOf({ at: momentOf(this.#clock), write });
  }

  /** With a delta that was requested `at` a time, that is added too. */
  async setLastRead(
    change: (known: LastRead | null, now: Moment) => LastRead | null,
    added?: { readonly at: Moment; readonly delta: LoggedDelta },
  ): Promise<void> {
    const entries = added && [this.#entryOf(added)];
    this.lastRead = await this.#record.update((known, now) => {
      const value = change(known, now);
      return { value, result: value, entries };
    });
    await this.#trim();
  }

  #entryOf(added: Omit<z.output<typeof change>, 'processId'>): NewEntry {
    return { log: this.#name, value: { ...added, processId: this.#store.processId } };
  }

  /** Removes the entries that are not needed any more. */
  async #trim(): Promise<void> {
    const now = momentOf(this.#clock);
    const isOver = (each: { readonly number: number; readonly at: Moment }) =>
      certainAgeAt(now, each.at) > MAX_AGE_MS && each.number <= (this.lastRead?.after ?? each.number);
    const upTo = this.#known.findLast(isOver)?.number ?? 0;
    if (upTo === 0) return;
    await this.#store.trim(this.#name, upTo);
    this.#known = this.#known.filter(({ number }) => number > upTo);
  }
}
