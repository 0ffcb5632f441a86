/**
 * One write at a time for each budget, among all processes of a sign-in. Two equal entries from simultaneous writes could
 * not be distinguished if their responses are lost, and each would be reported as a possible duplicate of the other.
 *
 * Within a process, writes wait in a queue. Among processes, the one whose turn it is has a lock, which is free when its
 * process has ended, and a record says since when. The turn of a process that is suspended, or that has not sent anything for
 * too long, is taken from it: the next one takes a lock with the next number. So a process asks the record immediately before
 * it sends. Before the write, it looks for what processes that have ended left, and learns what the others have written
 * (`prepare`).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { type Clock, certainAgeAt, type Moment, momentOf } from '../platform/clock.ts';
import type { LaterChanges } from '../state/later-changes.ts';
import { type Release, SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import { storedMoment } from '../state/stored-moment.ts';
import { formatWait, LOOK_MS, MAX_SILENT_MS, MAX_STEP_MS, type Turn } from './turn-wait.ts';
import { ANSWER_LIMIT_MS } from './waiting-host.ts';

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds the host still waits. */
  remainingMs?(): number;
  /** Called with a function that says in sentences what the work waits for. It returns undefined during the turn. */
  onWaiting?(describe: () => string | undefined): void;
}

export interface SharedTurns {
  readonly store: SharedStore;
  /** What others have to know before they write, if the store failed. */
  readonly later: LaterChanges;
  /** What the others may know of this process, such as `process 1234`. Undefined if it would not help them. */
  readonly program?: string | undefined;
  /** Called in each turn, before its work. */
  prepare(budgetId: string): Promise<void>;
}

/** Must be called immediately before each request of a write. Throws `not_written` if the turn is over. */
export type CheckTurn = () => Promise<void>;

type Work<Result> = (check: CheckTurn) => Promise<Result>;

/** How long work for which no host waits, such as the look for a write of an earlier process, waits for its turn. */
const MAX_WAIT_MS = 10 * 60_000;
/** How often a process shows that it is not suspended. */
const MOVE_MS = 5_000;
/** A turn that moved within this time may have ended while a call waited for it. */
const RECENT_MS = ANSWER_LIMIT_MS + MOVE_MS + 5_000;

const turn = z.object({
  /** Of the lock. Rises when a turn is taken from a process. */
  number: z.int(),
  id: z.string(),
  program: z.string().optional(),
  since: storedMoment,
  sentAt: storedMoment,
  movedAt: storedMoment,
});

type StoredTurn = z.output<typeof turn>;

const never = { wall: 0, monotonic: Number.MIN_SAFE_INTEGER };
const first: StoredTurn = { number: 0, id: '', since: never, sentAt: never, movedAt: never };

const lockOf = (budgetId: string, number: number) => `write ${budgetId} ${number}`;

export class WriteTurns {
  readonly #shared: SharedTurns | undefined;
  readonly #clock: Clock;
  /** The ids of this process's turns begin with it. */
  readonly #id = randomUUID();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #records = new Map<string, SharedRecord<typeof turn>>();
  /** The turns that this process has or waits for, by budget. */
  readonly #current = new Map<string, Turn>();

  /** `shared` is missing if there are no other processes. */
  constructor(clock: Clock, shared?: SharedTurns) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /**
   * Runs `work` after the earlier work for this budget. Throws `cancelled` if the signal was aborted before, and
   * `not_written` if it is not its turn while the host waits.
   */
  run<Result>(budgetId: string, options: TurnOptions, work: Work<Result>): Promise<Result> {
    options.onWaiting?.(() => formatWait(this.#current.get(budgetId), momentOf(this.#clock)));
    const result = (this.#queues.get(budgetId) ?? Promise.resolve()).then(async () => {
      throwIfCancelled(options);
      try {
        return await (this.#shared
          ? this.#runShared(this.#shared, budgetId, options, work)
          : this.#runAlone(budgetId, options, work));
      } finally {
        this.#current.delete(budgetId);
      }
    });
    this.#queues.set(
      budgetId,
      result.then(
        () => {},
        () => {},
      ),
    );
    return result;
  }

  /** Whether no process has the turn at this budget, and no other process had it a moment ago. */
  async isFree(budgetId: string): Promise<boolean> {
    if (!this.#shared) return !this.#current.has(budgetId);
    const { store } = this.#shared;
    const { number, id, movedAt } = await this.#record(store, budgetId).read();
    const isRecent = certainAgeAt(momentOf(this.#clock), movedAt) < RECENT_MS;
    if (isRecent && !id.startsWith(this.#id)) return false;
    const release = await store.lock(lockOf(budgetId, number), { waitMs: 0 });
    await release?.();
    return release !== undefined;
  }

  #runAlone<Result>(budgetId: string, options: TurnOptions, work: Work<Result>): Promise<Result> {
    const now = momentOf(this.#clock);
    this.#begin(budgetId, options, { since: now, sentAt: now, movedAt: now });
    return work(async () => {
      this.#current.set(budgetId, { since: now, sentAt: momentOf(this.#clock), movedAt: now, isOwn: true });
    });
  }

  async #runShared<Result>(
    shared: SharedTurns,
    budgetId: string,
    options: TurnOptions,
    work: Work<Result>,
  ): Promise<Result> {
    const { later, prepare } = shared;
    const { release, own } = await this.#take(shared, budgetId, options);
    const ending = new AbortController();
    try {
      this.#begin(budgetId, options, own);
      void this.#keepMoving(shared, budgetId, own, ending.signal);
      await prepare(budgetId);
      throwIfCancelled(options);
      return await work(async () => {
        const sentAt = momentOf(this.#clock);
        if (!(await this.#move(shared, budgetId, own, true)))
          throw new BudgetError('not_written', `Nothing was sent: ${TURN_ENDED}`);
        this.#current.set(budgetId, { ...own, sentAt, isOwn: true });
      });
    } finally {
      ending.abort();
      await later.make(release);
    }
  }

  #begin(budgetId: string, options: TurnOptions, own: Omit<Turn, 'isOwn'>): void {
    this.#current.set(budgetId, { ...own, isOwn: true });
    options.onWaiting?.(() => undefined);
  }

  async #take(
    { store, later, program }: SharedTurns,
    budgetId: string,
    { signal, remainingMs }: TurnOptions,
  ): Promise<{ readonly release: Release; readonly own: StoredTurn }> {
    const clock = this.#clock;
    const record = this.#record(store, budgetId);
    const deadline = clock.monotonic() + (remainingMs ? Math.max(remainingMs(), 0) : MAX_WAIT_MS);
    for (let seen = await record.read(); ; ) {
      const { number } = seen;
      const waitMs = Math.min(LOOK_MS, Math.max(deadline - clock.monotonic(), 0));
      const release = await store.lock(lockOf(budgetId, number), { waitMs, signal });
      if (release) {
        const beginning = record.update((before, now) => {
          if (before.number !== number) return { value: before, result: undefined };
          const since = { since: now, sentAt: now, movedAt: now };
          const value = {
            number,
            id: `${this.#id} ${randomUUID()}`,
            ...since,
            ...(program !== undefined && { program }),
          };
          return { value, result: value };
        });
        const own = await beginning.catch(async (error: unknown) => {
          await later.make(release);
          throw error;
        });
        if (own) return { release, own };
        await release();
      }
      const current = await record.read();
      const isOver = isTurnOver(current, momentOf(clock));
      if (!isOver) this.#current.set(budgetId, { ...current, isOwn: false });
      // One that has just got the lock has had the time to say so. A store that has failed cannot tell the others.
      else if (!release && seen.id === current.id && store.isShared) await record.update(takenFrom(current));
      if (!release && clock.monotonic() >= deadline) {
        const wait = formatWait(this.#current.get(budgetId), momentOf(clock)) ?? '';
        throw new BudgetError('not_written', `Nothing was sent. ${wait}`);
      }
      seen = await record.read();
    }
  }

  /** Whether it is still the turn of this process. Then the record shows that it is not suspended. */
  #move({ store }: SharedTurns, budgetId: string, own: StoredTurn, isSending: boolean): Promise<boolean> {
    return this.#record(store, budgetId).update((current, now) => {
      if (!isSame(current, own)) return { value: current, result: false };
      return { value: { ...current, movedAt: now, ...(isSending && { sentAt: now }) }, result: true };
    });
  }

  async #keepMoving(
    shared: SharedTurns,
    budgetId: string,
    own: StoredTurn,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      await this.#clock.sleep(MOVE_MS, signal, true).catch(() => {});
      if (signal.aborted) return;
      await this.#move(shared, budgetId, own, false).catch(ignoreStoreError);
    }
  }

  /** Always the same object, because it remembers what it has parsed. */
  #record(store: SharedStore, budgetId: string): SharedRecord<typeof turn> {
    const record = this.#records.get(budgetId) ?? new SharedRecord(store, `turn at ${budgetId}`, turn, first);
    this.#records.set(budgetId, record);
    return record;
  }
}

const TURN_ENDED =
  'this process was suspended or waited for too long, so that its turn to write to this budget has ended.';

const isSame = (one: StoredTurn, other: StoredTurn): boolean =>
  one.id === other.id && one.number === other.number;

/** The next process takes another lock. */
const takenFrom = (over: StoredTurn) => (current: StoredTurn, now: Moment) => {
  const isOver = isSame(current, over) && isTurnOver(current, now);
  return { value: isOver ? { ...current, number: current.number + 1 } : current, result: undefined };
};

const isTurnOver = ({ movedAt, sentAt }: StoredTurn, now: Moment): boolean =>
  certainAgeAt(now, movedAt) >= MAX_SILENT_MS || certainAgeAt(now, sentAt) >= MAX_STEP_MS;

export function throwIfCancelled({ signal }: TurnOptions): void {
  if (signal?.aborted) throw new BudgetError('cancelled', 'The call was cancelled before anything was sent.');
}
