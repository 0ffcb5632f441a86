/**
 * One budget as the processes of a sign-in share it, in the store: a log of what they have written, and of the changes that they
 * have read, and a record of how far the last read got. Before a process relies on what it knows about the budget, it takes over
 * what the others have written and may have written.
 *
 *   - Entities that another process has created are no result of an own lost write, and no possible duplicates.
 *   - A baseline from before a write of another process does not count any more.
 *   - A cached budget that lacks such a write is not fresh.
 */
import { z } from 'zod';
import { type Clock, certainAgeAt, type Moment, momentOf, recordedMoment } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { storedMoment } from '../../base/schema/stored-moment.ts';
import type { OperationKind } from '../../operations/operation.ts';
import {
  ENTRIES_OF_LOOK,
  type Look,
  type NewEntry,
  type Seen,
  SharedRecord,
  type SharedStore,
} from '../../store/shared-store.ts';
import type { StateStatus } from '../../store/shared-stores.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import type { ReplicaCache } from '../freshness/replica-cache.ts';
import type { Watermarks } from '../freshness/watermarks.ts';
import { ARRIVAL_MS, MAX_SEARCH_MS, SEND_WITHIN_MS } from '../writes/lost-write.ts';
import type { SentWrite } from '../writes/pending-write.ts';
import type { PendingWrites } from '../writes/pending-writes.ts';
import { evidenceIn, evidenceOf, idsIn } from '../writes/write-response.ts';

export interface SharedBudgetDeps {
  readonly store: SharedStore;
  readonly status: () => StateStatus;
  readonly clock: Clock;
  readonly marks: Watermarks;
  /** Undefined if this process caches no budgets. */
  readonly cache?: ReplicaCache | undefined;
  readonly pending: Pick<PendingWrites, 'writesIn' | 'unsettledOfOthers' | 'recordName'>;
  /** Called with entities that another process has created, or has reported as possible duplicates. */
  recordCreated(ids: readonly string[]): void;
  /** Finds out what has become of writes that a process left when it ended. */
  adopt(): Promise<unknown>;
}

const json = z.record(z.string(), z.unknown());

/** An entry says who added it and when the write ended, or the read was requested. */
const change = z.object({
  processId: z.string(),
  at: storedMoment,
  /** A write, or entities that are no result of a later one. */
  write: z
    .object({
      kind: z.enum(['read', 'create', 'update', 'delete']),
      ids: z.array(z.string()),
      /** What shows that a later response contains the write. Undefined if it is uncertain whether the write happened. */
      evidence: json.optional(),
    })
    .optional(),
  /** What has changed since the knowledge `since`. */
  delta: z.object({ since: z.number(), data: z.unknown() }).optional(),
});

/** `data` is parsed by its reader, because another version of the program may have written it. */
export type LoggedDelta = NonNullable<z.output<typeof change>['delta']>;
export type LoggedChange = z.output<typeof change> & { readonly number: number };

/** The last read of the whole budget, in a snapshot, and of the changes after it. */
const lastRead = z.object({
  snapshot: z.string(),
  /** The deltas after the snapshot have numbers above this one in the log. */
  after: z.int(),
  deltas: z.int(),
  /** When the last read was requested, and what it showed. */
  asOf: storedMoment,
  knowledge: z.number(),
});

export type LastRead = z.output<typeof lastRead>;

/** A write that was sent has arrived at the service within this time, or never does. */
const ARRIVES_WITHIN_MS = SEND_WITHIN_MS + ARRIVAL_MS;

const stepKey = ({ id, step }: SentWrite) => `${id} ${step.number}`;

/** What other processes have done to a budget since this one has looked before. */
export interface News {
  readonly changes: readonly LoggedChange[];
  /** Whether the cache has to take it over. */
  readonly isForCache: boolean;
  /** Whether a budget that is not cached has changed. It is not known at the first look. */
  readonly isChanged: boolean;
}

export class SharedBudget {
  readonly #id: string;
  readonly #deps: SharedBudgetDeps;
  readonly #log: string;
  readonly #record: SharedRecord<z.ZodNullable<typeof lastRead>>;
  /** The entries that are known to be in the log, ascending, for their removal. */
  #known: readonly { readonly number: number; readonly at: Moment }[] = [];
  /** When this process has last seen each unsettled step of others, by the monotonic clock. */
  #unsettled: ReadonlyMap<string, number> = new Map();
  #isKnown = false;
  /** The number of the last entry that was read. */
  position = 0;
  lastRead: LastRead | null = null;
  /** No other process had the store open when this one last looked. */
  isAlone = false;

  constructor(id: string, deps: SharedBudgetDeps) {
    this.#id = id;
    this.#deps = deps;
    this.#log = `changes of ${id}`;
    this.#record = new SharedRecord(deps.store, `budget ${id}`, lastRead.nullable(), null);
  }

  /** What `takeOver` needs beside the pending writes. */
  get wanted(): Required<Look> {
    return { records: [this.#record.name], logs: [{ log: this.#log, after: this.position }] };
  }

  /** Takes over what the others have written. With `isKeeping`, a budget that is not cached is not loaded. */
  async takeOver(seen: Seen, isKeeping: boolean): Promise<News> {
    this.#seeUnsettled(seen);
    this.isAlone = seen.isAlone;
    const { cache } = this.#deps;
    const { lastRead: before } = this;
    const wasKnown = this.#isKnown;
    const changes = await this.#changesIn(seen);
    for (const each of changes) this.#seeWrite(each);
    const isRead = this.lastRead?.knowledge !== before?.knowledge;
    const isCached = cache?.entries.peek(this.#id) !== undefined;
    const isReadSince = this.lastRead !== before;
    return {
      changes,
      isForCache: cache !== undefined && (isCached ? isReadSince || changes.length > 0 : !isKeeping),
      isChanged: !isCached && wasKnown && (changes.length > 0 || isRead),
    };
  }

  async *deltas(after: number): AsyncIterable<LoggedDelta & { readonly at: Moment }> {
    for await (const { value } of this.#deps.store.entries(this.#log, after)) {
      const { data } = change.safeParse(value);
      if (data?.delta) yield { ...data.delta, at: data.at };
    }
  }

  /** What shows a write of this process to others, for the store. Without `data` of its response, it is uncertain whether it happened. */
  entryOf(kind: OperationKind, data?: JsonObject): NewEntry {
    const write = { kind, ids: data ? idsIn(data) : [], ...(data && { evidence: evidenceIn(data) }) };
    void this.#trim().catch(ignoreStoreError);
    return this.#entryOf({ at: momentOf(this.#deps.clock), write });
  }

  /** Adds entities that are reported as possible duplicates, so that no process takes them for the result of a write. */
  async addDuplicates(ids: readonly string[], server_knowledge: number): Promise<void> {
    const write = { kind: 'create' as const, ids: [...ids], evidence: { server_knowledge } };
    const { log, value } = this.#entryOf({ at: momentOf(this.#deps.clock), write });
    await this.#deps.store.append(log, value);
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

  /** What was read before this moment may lack the writes that are not settled, until they have surely arrived. */
  #seeUnsettled(seen: Seen): void {
    const { clock, marks, pending, adopt } = this.#deps;
    const unsettled = pending.unsettledOfOthers(pending.writesIn(seen), this.#id);
    const now = momentOf(clock);
    const isCovered = (write: SentWrite) =>
      (this.#unsettled.get(stepKey(write)) ?? Number.NEGATIVE_INFINITY) >=
      recordedMoment(write.step.sentAt, now).monotonic + ARRIVES_WITHIN_MS;
    if (unsettled.length === 0) this.#unsettled = new Map();
    else if (!unsettled.every(isCovered)) {
      marks.recordForeignWrite(this.#id, now);
      this.#unsettled = new Map(unsettled.map((write) => [stepKey(write), now.monotonic]));
    }
    // If the process of one has ended, this one finds out what has become of it.
    if (unsettled.length > 0) adopt().catch(() => {});
  }

  #seeWrite({ at, write }: LoggedChange): void {
    if (!write) return;
    const { marks, recordCreated } = this.#deps;
    const { kind, ids, evidence } = write;
    if (kind === 'create') recordCreated(ids);
    marks.recordForeignWrite(this.#id, at, evidence && evidenceOf(kind, evidence));
  }

  /** The entries of other processes that were not read yet. Remembers the last read. */
  async #changesIn({ records, logs }: Seen): Promise<readonly LoggedChange[]> {
    const seen = [...(logs.get(this.#log) ?? [])];
    if (seen.length >= ENTRIES_OF_LOOK)
      for await (const entry of this.#deps.store.entries(this.#log, seen.at(-1)?.number)) seen.push(entry);
    // Another call may have read them meanwhile.
    const added = seen.flatMap(({ number, value }) => {
      const { data } = change.safeParse(value);
      return data && number > this.position ? { ...data, number } : [];
    });
    this.position = Math.max(this.position, seen.at(-1)?.number ?? 0);
    this.#known = [...this.#known, ...added];
    this.lastRead = this.#record.parse(records.get(this.#record.name));
    this.#isKnown = true;
    return added.filter(({ processId }) => processId !== this.#deps.store.processId);
  }

  #entryOf(added: Omit<z.output<typeof change>, 'processId'>): NewEntry {
    return { log: this.#log, value: { ...added, processId: this.#deps.store.processId } };
  }

  async #trim(): Promise<void> {
    const now = momentOf(this.#deps.clock);
    const isOver = (each: { readonly number: number; readonly at: Moment }) =>
      certainAgeAt(now, each.at) > MAX_SEARCH_MS && each.number <= (this.lastRead?.after ?? each.number);
    const upTo = this.#known.findLast(isOver)?.number ?? 0;
    if (upTo === 0) return;
    await this.#deps.store.trim(this.#log, upTo);
    this.#known = this.#known.filter(({ number }) => number > upTo);
  }
}
