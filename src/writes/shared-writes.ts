/**
 * The writes under way of all processes of a sign-in, in one record of the store. A process writes down what it is about
 * to send before it sends it, so that others know of it and a successor can find out what has become of it.
 *
 * In what order a process works, and what a successor does after a kill between two of these steps:
 *
 *   1. It takes its turn in the budget. A successor has nothing to do: nothing was written down and nothing was sent.
 *   2. It writes the entry here, with the step that it is about to send. The successor searches for the step, does not
 *      find it, and says `not_written` once that is proven.
 *   3. It sends the step. The successor searches for it, as for a write whose response was lost.
 *   4. It gets the response. The same: the successor finds what was written, by its content.
 *   5. It adds the step to the journal. The successor finds it there and does not search. If the call has several steps,
 *      the successor does not know whether more would have followed, and says `partly_written`.
 *   6. It adds the ids of what was written to `RecentWrites`. This comes after the journal: the successor leaves out ids of
 *      other writes when it searches, and must never leave out those of the write that it searches for.
 *   7. It writes the outcome here. The successor has the outcome itself.
 *   8. It gives the outcome to the host. The successor keeps the outcome for an equal call, since it cannot know whether
 *      the host got it.
 *   9. When the answer was sent, it removes the entry. If the connection was lost before, an equal call gets the outcome.
 *
 * The successor never sends anything. So nothing is written twice, whatever the point of the kill. An equal call gets the
 * outcome of the entry, and only `not_written`, which is proven, lets it write.
 *
 * A process that is suspended counts as running on one machine, so no other process takes over its entries, and an equal
 * call is not sent. Its turn ends (`write-turns.ts`). When it goes on, it sends only if it still has its turn, and within
 * `SEND_WITHIN_MS` after it wrote the entry.
 *
 * A process on another machine seems to run for some seconds after a kill. Until it is known to have ended, an equal call
 * waits (`earlier-write.ts`): otherwise the host that repeats its call at once would write twice.
 *
 * If the store fails, nothing is sent. What has happened by then stands, its host gets the outcome, and steps 5 to 9 follow when
 * the store can be used again, before the lock of the budget is released and before anything else is sent. Until step 7, a
 * process that reads the budget cannot know whether the host has the outcome, so it asks the service.
 */
import { z } from 'zod';
import { type Clock, certainAgeAt, type Moment, momentOf } from '../platform/clock.ts';
import type { LaterChanges } from '../state/later-changes.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import type { Settlement } from './settlement.ts';
import { isUnderWay, type StoredStep, type StoredWrite, settledFields, storedWrite } from './stored-write.ts';

/** How long an outcome is kept after the last host stopped waiting. */
export const MAX_UNDELIVERED_MS = 10 * 60_000;

export type NewWrite = Pick<
  StoredWrite,
  'id' | 'call' | 'calledAt' | 'takesBack' | 'continues' | 'isTogether'
>;

/** The writes of all processes at one time. */
export interface WritesSnapshot {
  /** In the order of their first step. */
  readonly writes: readonly StoredWrite[];
  /** The ids of those whose outcome is there for an equal call: it was not delivered, and no host waits for it. */
  readonly undelivered: ReadonlySet<string>;
}

/** How often another process's write is looked at again. */
const POLL_MS = 100;

const writes = z.array(storedWrite).readonly();

export class SharedWrites {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #later: LaterChanges;
  readonly #record: SharedRecord<typeof writes>;

  constructor(store: SharedStore, clock: Clock, later: LaterChanges) {
    this.#store = store;
    this.#clock = clock;
    this.#later = later;
    this.#record = new SharedRecord(store, 'writes under way', writes, []);
  }

  /** In the order of their first step. */
  async list(): Promise<readonly StoredWrite[]> {
    const now = momentOf(this.#clock);
    const all = await this.#record.read();
    return all.filter((write) => !isExpired(write, now));
  }

  async find(id: string): Promise<StoredWrite | undefined> {
    return (await this.list()).find((write) => write.id === id);
  }

  /** Writes down the step that is about to be sent, after all that has happened before. If that fails, it must not be sent. */
  async sending(write: NewWrite, step: StoredStep): Promise<void> {
    await this.#later.finish();
    const { processId } = this.#store;
    const entry = { owner: processId, host: processId, isAdopted: false, isDelivered: false, state: 'sent' };
    await this.#update((all) => {
      const before = all.find(({ id }) => id === write.id);
      const sent = before ? { ...before, step } : storedWrite.parse({ ...entry, ...write, step });
      return [...all.filter(({ id }) => id !== write.id), sent];
    });
  }

  /** No host of this process waits for the outcome any more. */
  hostLeft(id: string): Promise<void> {
    return this.#later.make(() => this.#leave(id));
  }

  settled(id: string, settlement: Settlement): Promise<void> {
    return this.#changeLater(id, (write) => ({ ...write, ...settledFields(settlement) }));
  }

  /** Removes a write whose outcome was delivered, or that was not sent. */
  remove(id: string): Promise<void> {
    return this.#changeLater(id, () => undefined);
  }

  /** The writes of other processes that are not settled: each may have been carried out, and not noted yet. */
  async unsettledOfOthers(budgetId: string): Promise<readonly StoredWrite[]> {
    const { processId, isShared } = this.#store;
    // What a store that failed knew about others does not change any more.
    if (!isShared) return [];
    return (await this.list()).filter(
      (write) =>
        write.call.budgetId === budgetId &&
        isUnderWay(write) &&
        (write.isAdopted || write.owner !== processId),
    );
  }

  /** A write of another process was delivered here. That process learns it from the entry. */
  deliveredHere(id: string): Promise<void> {
    return this.#changeLater(id, (write, now) => ({
      ...write,
      host: undefined,
      undeliveredSince: now,
      outcome: undefined,
      isDelivered: true,
    }));
  }

  /**
   * A host of this process waits for the outcome from now on. False if another one was first. If the store fails, it may have
   * been done: no host waits then.
   */
  async claim({ id, host }: StoredWrite): Promise<boolean> {
    let isClaimed = false;
    const claiming = this.#change(id, (write) => {
      isClaimed = !write.isDelivered && (write.host === undefined || write.host === host);
      return isClaimed ? { ...write, host: this.#store.processId, undeliveredSince: undefined } : write;
    });
    await claiming.catch((error: unknown) => {
      this.#later.add(() => this.#leave(id));
      throw error;
    });
    return isClaimed;
  }

  /** What has happened here is in the store afterwards. Throws if the store fails. */
  upToDate(): Promise<void> {
    return this.#later.finish();
  }

  /** Whether a host of another process waits for the outcome. That process may have ended a moment ago. */
  isAwaitedElsewhere({ host, isDelivered }: StoredWrite): boolean {
    return host !== undefined && host !== this.#store.processId && !isDelivered;
  }

  /** All writes, without a change of the store. A host of another process may not get what it waits for. */
  async peek(): Promise<WritesSnapshot> {
    const writes = await this.list();
    const isAwaitedHere = ({ host }: StoredWrite) => host === this.#store.processId;
    const undelivered = writes.filter((write) => !write.isDelivered && !isAwaitedHere(write));
    return { writes, undelivered: new Set(undelivered.map(({ id }) => id)) };
  }

  /** Takes over the writes of processes that have ended. Returns all writes after that. */
  async adopt(): Promise<WritesSnapshot> {
    const before = await this.list();
    const ended = await this.#endedOf(before);
    const isLeft = ({ owner, host = '' }: StoredWrite) => ended.has(owner) || ended.has(host);
    const hasChanged = before.some(isLeft);
    if (hasChanged)
      await this.#update((all, now) =>
        all.map((each) => (isLeft(each) ? this.#adopted(each, now, ended) : each)),
      );
    const writes = hasChanged ? await this.list() : before;
    const isUndelivered = ({ isDelivered, host }: StoredWrite) =>
      !isDelivered && (host === undefined || ended.has(host));
    return { writes, undelivered: new Set(writes.filter(isUndelivered).map(({ id }) => id)) };
  }

  /** Whether this process carries the write out, or has taken it over. */
  isOwn({ owner }: StoredWrite): boolean {
    return owner === this.#store.processId;
  }

  /**
   * The write when it is settled. Undefined if it is not there any more. `look` is called while it is not settled, because
   * its process may end. Returns the write as it is when `signal` is aborted.
   */
  async waitUntilSettled(
    id: string,
    signal: AbortSignal,
    look: () => Promise<unknown>,
  ): Promise<StoredWrite | undefined> {
    for (;;) {
      await look();
      const found = await this.find(id);
      if (!found || !isUnderWay(found) || signal.aborted) return found;
      await this.#clock.sleep(POLL_MS);
    }
  }

  /** The state of an entry after the end of a process that had to do with it. */
  #adopted(write: StoredWrite, now: Moment, ended: ReadonlySet<string>): StoredWrite {
    const isHostLeft = write.host === undefined || ended.has(write.host);
    return {
      ...write,
      ...(ended.has(write.owner) && {
        owner: this.#store.processId,
        isAdopted: true,
        state: write.state === 'sent' ? 'being_looked_for' : write.state,
      }),
      ...(isHostLeft && { host: undefined, undeliveredSince: now }),
    };
  }

  #leave(id: string): Promise<void> {
    const { processId } = this.#store;
    return this.#change(id, (write, now) =>
      write.host === processId ? { ...write, host: undefined, undeliveredSince: now } : write,
    );
  }

  async #endedOf(all: readonly StoredWrite[]): Promise<ReadonlySet<string>> {
    const ids = new Set(all.flatMap(({ owner, host }) => [owner, ...(host === undefined ? [] : [host])]));
    const ended = new Set<string>();
    for (const id of ids) if (!(await this.#isRunning(id))) ended.add(id);
    return ended;
  }

  /** A process of which nothing can be found out may be running. */
  async #isRunning(processId: string): Promise<boolean> {
    if (processId === this.#store.processId) return true;
    return this.#store.isRunning(processId).catch(() => true);
  }

  /** What has happened does not depend on the store. */
  #changeLater(id: string, change: ChangeWrite): Promise<void> {
    return this.#later.make(() => this.#change(id, change));
  }

  #change(id: string, change: ChangeWrite): Promise<void> {
    return this.#update((all, now) =>
      all.flatMap((write) => (write.id === id ? (change(write, now) ?? []) : [write])),
    );
  }

  #update(change: (all: readonly StoredWrite[], now: Moment) => readonly StoredWrite[]): Promise<void> {
    return this.#record.update((all, now) => ({
      value: change(all, now).filter((write) => !isExpired(write, now)),
      result: undefined,
    }));
  }
}

/** Returns undefined for a write that is to be removed. */
type ChangeWrite = (write: StoredWrite, now: Moment) => StoredWrite | undefined;

/** Uses the monotonic clock, because setting the wall clock must not make an equal call write twice. */
const isExpired = (write: StoredWrite, now: Moment): boolean =>
  !isUnderWay(write) &&
  write.host === undefined &&
  write.undeliveredSince !== undefined &&
  certainAgeAt(now, write.undeliveredSince) > MAX_UNDELIVERED_MS;
