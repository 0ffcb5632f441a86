/**
 * The pending writes of all processes of a sign-in, and whose turn it is to write to each budget: one record of the store. A
 * process writes down what it is about to send before it sends it, so that others know of it and a successor can find out
 * what has become of it. docs/pending-writes.md says in what order that happens, and what a kill at each point leaves.
 *
 * If the store fails, nothing is sent. What has happened by then stands, its host gets the outcome, and the record follows when
 * the store can be used again, before the lock of the budget is released and before anything else is sent.
 */
import { z } from 'zod';
import { type Clock, type Moment, momentOf } from '../../base/clock.ts';
import { storedMoment } from '../../base/schema/stored-moment.ts';
import type { LaterChanges } from '../../store/later-changes.ts';
import {
  type Changed,
  type NewEntry,
  type Seen,
  SharedRecord,
  type SharedStore,
} from '../../store/shared-store.ts';
import { OwnRows } from './lost-write.ts';
import {
  type Action,
  dispatch,
  isExpired,
  isLeftByEnded,
  isSettled,
  type SentWrite,
  sentWrite,
} from './pending-write.ts';

/** The last turn at a budget. */
const storedTurn = z.object({
  /** Of the lock. Rises when a turn is taken from a process. */
  number: z.int(),
  id: z.string(),
  /** The program that has it, such as `process 1234`. */
  program: z.string().optional(),
  since: storedMoment,
  /** When its last request was about to be sent, or when it began. */
  sentAt: storedMoment,
  /** When its process last showed that it is not suspended. */
  movedAt: storedMoment,
});

export type StoredTurn = Readonly<z.output<typeof storedTurn>>;

const pending = z.object({
  /** By budget. */
  turns: z.record(z.string(), storedTurn),
  /** In the order of their first step. */
  writes: z.array(sentWrite).readonly(),
});

export type Pending = Readonly<z.output<typeof pending>>;

export class PendingWrites {
  /** The changes that a store which failed still lacks. */
  readonly later: LaterChanges;
  readonly store: SharedStore;
  readonly process: string;
  /** The record that `writesIn` needs. */
  readonly recordName: string;
  readonly #clock: Clock;
  readonly #record: SharedRecord<typeof pending>;
  /** The adopted writes that this process has not reported to their caller yet, by id. */
  readonly #news = new Map<string, SentWrite>();
  readonly #reported: OwnRows;

  constructor(store: SharedStore, clock: Clock, later: LaterChanges) {
    this.store = store;
    this.process = store.processId;
    this.later = later;
    this.#clock = clock;
    this.#reported = new OwnRows(clock);
    this.#record = new SharedRecord(store, 'pending writes', pending, { turns: {}, writes: [] });
    this.recordName = this.#record.name;
  }

  async read(): Promise<Pending> {
    return withoutExpired(await this.#record.read(), momentOf(this.#clock));
  }

  /** `change` must be a pure function, because a store may call it again. */
  update<Result>(change: (pending: Pending, now: Moment) => Changed<Pending, Result>): Promise<Result> {
    return this.#record.update((before, now) => {
      const changed = change(withoutExpired(before, now), now);
      return { ...changed, value: withoutExpired(changed.value, now) };
    });
  }

  async list(): Promise<readonly SentWrite[]> {
    return (await this.read()).writes;
  }

  /** Changes a write, and adds entries to logs, or later if the store fails: what has happened does not fail with it. */
  change(id: string, actions: readonly Action[], entries: readonly NewEntry[] = []): Promise<void> {
    return this.later.make(() => this.#change(id, actions, entries));
  }

  /**
   * A host of this process waits for the outcome from now on. False if another one was first, and undefined if the write is not
   * there. If the store fails, it may have been done: no host waits then.
   */
  async claim(id: string): Promise<boolean | undefined> {
    const { process } = this;
    const claiming = this.update(({ turns, writes }, now) => {
      const found = writes.find((write) => write.id === id);
      const claimed = found && dispatch(found, { type: 'claim', process }, now);
      const value = writes.map((write) => (write === found && claimed ? claimed : write));
      return { value: { turns, writes: value }, result: found && claimed !== found };
    });
    return claiming.catch((error: unknown) => {
      this.later.add(() => this.#change(id, [{ type: 'leave', process }]));
      throw error;
    });
  }

  /** Whether a host of another process waits for the outcome. That process may have ended a moment ago. */
  isAwaitedElsewhere({ awaitedBy }: SentWrite): boolean {
    return awaitedBy !== undefined && awaitedBy !== this.process;
  }

  /** All writes, without a change of the store. A host of another process may not get what it waits for. */
  async listAsUnawaited(): Promise<readonly SentWrite[]> {
    const writes = await this.list();
    return writes.map((write) =>
      this.isAwaitedElsewhere(write) ? { ...write, awaitedBy: undefined } : write,
    );
  }

  /** Takes over the writes of processes that have ended. Returns all writes after that. `known` are those as they are now. */
  async takeOver(known?: readonly SentWrite[]): Promise<readonly SentWrite[]> {
    const { process } = this;
    const before = known ?? (await this.list());
    const ended = await this.#endedOf(before);
    const isAnyLeft = before.some((write) => isLeftByEnded(write, ended));
    const all = !isAnyLeft
      ? before
      : await this.update(({ turns, writes }, now) => {
          const adopted = writes.map((write) => dispatch(write, { type: 'adopt', process, ended }, now));
          return { value: { turns, writes: adopted }, result: adopted };
        });
    for (const write of all)
      if (write.isAdopted && write.state !== 'delivered' && !this.#reported.has(write.id))
        this.#news.set(write.id, write);
    return all;
  }

  /** What an earlier process left to this caller in this budget. Returns each write once. */
  takeNews(caller: string, budgetId: string): readonly SentWrite[] {
    const isWanted = ({ call }: SentWrite) => call.caller === caller && call.budgetId === budgetId;
    const news = [...this.#news.values()].filter(isWanted);
    for (const { id } of news) this.markReported(id);
    return news;
  }

  /** The caller knows of the write. */
  markReported(id: string): void {
    this.#news.delete(id);
    this.#reported.add([id]);
  }

  /** All writes, by a look. */
  writesIn({ records, now }: Seen): readonly SentWrite[] {
    return withoutExpired(this.#record.parse(records.get(this.recordName)), now).writes;
  }

  /** Those of other processes that are not settled: each may have been carried out, and not noted yet. */
  unsettledOfOthers(writes: readonly SentWrite[], budgetId: string): readonly SentWrite[] {
    return writes.filter(
      (write) =>
        write.call.budgetId === budgetId &&
        !isSettled(write) &&
        (write.isAdopted || write.owner !== this.process),
    );
  }

  #change(id: string, actions: readonly Action[], entries: readonly NewEntry[] = []): Promise<void> {
    return this.update(({ turns, writes }, now) => ({
      value: {
        turns,
        writes: writes.map((write) =>
          write.id === id
            ? actions.reduce((changed, action) => dispatch(changed, action, now), write)
            : write,
        ),
      },
      result: undefined,
      entries,
    }));
  }

  async #endedOf(writes: readonly SentWrite[]): Promise<ReadonlySet<string>> {
    const ids = new Set(writes.flatMap(({ owner, awaitedBy }) => [owner, awaitedBy ?? owner]));
    ids.delete(this.process);
    const ended = new Set<string>();
    for (const id of ids) {
      // A process of which nothing can be found out may be running.
      if (!(await this.store.isRunning(id).catch(() => true))) ended.add(id);
    }
    return ended;
  }
}

const withoutExpired = ({ turns, writes }: Pending, now: Moment): Pending => ({
  turns,
  writes: writes.filter((write) => !isExpired(write, now)),
});
