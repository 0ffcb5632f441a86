/**
 * One write at a time for each budget, among all processes of a sign-in. Two equal entries from simultaneous writes could
 * not be distinguished if their responses are lost, and each would be reported as a possible duplicate of the other.
 *
 * Within a process, writes wait in a queue. Among processes, the one whose turn it is has a lock, which is free when its
 * process has ended. The turn of a process that is suspended, or that has not sent anything for too long, is taken from it: the
 * next one takes a lock with the next number. So a process writes down each request immediately before it sends it, if it still
 * has its turn.
 */
import { randomUUID } from 'node:crypto';
import { OVER } from '../../base/abort.ts';
import { type Clock, certainAgeAt, type Moment, momentOf } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { NewEntry } from '../../store/shared-store.ts';
import type { StateStatus } from '../../store/shared-stores.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import { LAG_MS } from '../freshness/watermarks.ts';
import { ARRIVAL_MS, SEND_WITHIN_MS } from './lost-write.ts';
import {
  dispatch,
  isEqual,
  isUndelivered,
  type PendingWrite,
  type SentStep,
  type SentWrite,
} from './pending-write.ts';
import type { Pending, PendingWrites, StoredTurn } from './pending-writes.ts';
import { cancelledBeforeSending } from './write-call.ts';

/** The work that wants a turn, such as a write. */
export interface TurnOptions {
  readonly id?: string;
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds the host still waits. */
  remainingMs?(): number;
}

export interface TakenTurn {
  /** The pending writes at the beginning of the turn. */
  readonly writes: readonly SentWrite[];
  /**
   * Writes down the step that is sent immediately after that, and adds entries to logs. Throws `not_written` if the turn is over, and `EarlierCallEnded`
   * if this call has to wait for an equal one. Then it must not be sent, and no more if the store fails.
   */
  noteRequest(write: PendingWrite, step: SentStep, entries: readonly NewEntry[]): Promise<void>;
}

/**
 * An equal write was found that this call has to wait for: its process has ended, which shows some seconds later, while this one
 * waited for its turn. Nothing was sent, and `UnsettledWrites` begins again.
 */
export class EarlierCallEnded extends Error {}

type Work<Result> = (turn: TakenTurn) => Promise<Result>;

interface Turn extends StoredTurn {
  readonly isOwn: boolean;
  /** The write that has it, if it is one of this process. */
  readonly write?: string | undefined;
}

/** The turn of a process that does not move ends after this time: it is suspended. */
const MAX_SILENT_MS = 44_000;
/** How often a process that waits looks whose turn it is. */
const LOOK_MS = 1_000;
/** A turn ends at the latest this long after its last request: after the longest search for it, and time for reads. */
const MAX_STEP_MS = SEND_WITHIN_MS + ARRIVAL_MS + LAG_MS + 15_000;
/** A process that has not moved for this long may be suspended. It moves every five seconds. */
const SILENT_MS = 15_000;
/** How long work for which no host waits, such as the look for a write of an earlier process, waits for its turn. */
const MAX_WAIT_MS = 10 * 60_000;
const MOVE_MS = 5_000;

const never = { wall: 0, monotonic: Number.MIN_SAFE_INTEGER };
const first: StoredTurn = { number: 0, id: '', since: never, sentAt: never, movedAt: never };

const lockOf = (budgetId: string, number: number) => `write ${budgetId} ${number}`;

export class WriteTurns {
  readonly #pending: PendingWrites;
  readonly #clock: Clock;
  readonly #status: () => StateStatus;
  readonly #program: string | undefined;
  readonly #queues = new Map<string, Promise<unknown>>();
  /** The turns that this process has or waits for, by budget. */
  readonly #current = new Map<string, Turn>();
  /** The turn of each budget as it was read last. */
  readonly #seen = new Map<string, StoredTurn>();

  /** `program`: what the others may know of this process, such as `process 1234`. Undefined if it would not help them. */
  constructor(pending: PendingWrites, clock: Clock, status: () => StateStatus, program?: string) {
    this.#pending = pending;
    this.#clock = clock;
    this.#status = status;
    this.#program = program;
  }

  /** After the earlier work for this budget. Throws `cancelled`, or `not_written` if its turn does not come in time. */
  run<Result>(budgetId: string, options: TurnOptions, work: Work<Result>): Promise<Result> {
    const result = (this.#queues.get(budgetId) ?? Promise.resolve()).then(async () => {
      throwIfCancelled(options);
      try {
        return await this.#run(budgetId, options, work);
      } finally {
        this.#current.delete(budgetId);
      }
    });
    // Without its result, which can be large.
    const ended = result.then(() => {}).catch(() => {});
    this.#queues.set(budgetId, ended);
    return result;
  }

  /** The write for which another one waits, in sentences. Undefined if none has the turn, or if that is the write with this id. */
  describeWait(budgetId: string, id: string): string | undefined {
    const current = this.#current.get(budgetId);
    return current?.write === id ? undefined : formatWait(current, momentOf(this.#clock));
  }

  async #run<Result>(budgetId: string, options: TurnOptions, work: Work<Result>): Promise<Result> {
    const { release, own, writes } = await this.#take(budgetId, options);
    const ending = new AbortController();
    try {
      this.#current.set(budgetId, { ...own, isOwn: true, write: options.id });
      void this.#keepMoving(budgetId, own, ending.signal);
      return await work({
        writes,
        noteRequest: (write, step, entries) => this.#storeRequest(own, write, step, entries),
      });
    } finally {
      ending.abort(OVER);
      await this.#pending.later.make(release);
    }
  }

  async #take(budgetId: string, options: TurnOptions) {
    const { signal } = options;
    const longestMs = options.remainingMs ? Math.max(options.remainingMs(), 0) : MAX_WAIT_MS;
    const clock = this.#clock;
    const { store, later } = this.#pending;
    const deadline = clock.monotonic() + longestMs;
    // A call that cannot wait compares with what an earlier one has seen.
    for (let seen = longestMs > 0 ? undefined : this.#seen.get(budgetId); ; ) {
      const number = this.#seen.get(budgetId)?.number ?? first.number;
      const waitMs = Math.min(LOOK_MS, Math.max(deadline - clock.monotonic(), 0));
      const release = await store.lock(lockOf(budgetId, number), { waitMs, signal });
      if (release) {
        const begun = await this.#begin(budgetId, number).catch(async (error: unknown) => {
          await later.make(release);
          throw error;
        });
        if (begun) return { release, ...begun };
        await release();
      }
      let current = await this.#read(budgetId);
      if (!isTurnOver(current, momentOf(clock))) this.#current.set(budgetId, { ...current, isOwn: false });
      // One that has just got the lock has had the time to say so. A state that is not shared any more cannot tell the others.
      else if (!release && seen?.id === current.id && this.#status().shared) {
        await this.#end(budgetId, current);
        current = await this.#read(budgetId);
      }
      seen = current;
      if (!release && clock.monotonic() >= deadline) {
        const wait = formatWait(this.#current.get(budgetId), momentOf(clock)) ?? '';
        throw new BudgetError('not_written', `Nothing was sent. ${wait}`);
      }
    }
  }

  /** Undefined if the turn has another number by now. Else all later writes of others wait until the lock is released. */
  #begin(budgetId: string, number: number) {
    const program = this.#program;
    const id = randomUUID();
    return this.#pending.update((pending, now) => {
      if (turnIn(pending, budgetId).number !== number) return { value: pending, result: undefined };
      const times = { since: now, sentAt: now, movedAt: now };
      const own: StoredTurn = { number, id, ...times, ...(program !== undefined && { program }) };
      return { value: withTurn(pending, budgetId, own), result: { own, writes: pending.writes } };
    });
  }

  async #storeRequest(
    own: StoredTurn,
    write: PendingWrite,
    step: SentStep,
    entries: readonly NewEntry[],
  ): Promise<void> {
    const { process, later } = this.#pending;
    const { budgetId } = write.call;
    await later.finish();
    const refusal = await this.#pending.update((pending, now) => {
      const turn = turnIn(pending, budgetId);
      const before = pending.writes.find(({ id }) => id === write.id);
      const known = before ?? write;
      const sent = dispatch({ ...known, step: known.step ?? step }, { type: 'send', step }, now);
      const isPossible = sent.step === step;
      const refuse = (result: 'over' | 'repeated') => ({ value: pending, result });
      // Another process has taken over what this one has sent before.
      if (!isSame(turn, own) || sent.owner !== process || !isPossible) return refuse('over');
      // The last comparison with equal calls. It is made together with the note, so two processes cannot both send.
      const isRepeated = (other: SentWrite) => isUndelivered(other) && isEqual(other, write.call);
      if (!before && pending.writes.some(isRepeated)) return refuse('repeated');
      const writes = [...pending.writes.filter(({ id }) => id !== write.id), sent];
      const value = withTurn({ ...pending, writes }, budgetId, { ...turn, sentAt: now, movedAt: now });
      return { value, result: undefined, entries, waitsForReplicas: true };
    });
    if (refusal === 'repeated') throw new EarlierCallEnded();
    if (refusal) throw new BudgetError('not_written', `Nothing was sent: ${TURN_ENDED}`);
    const current = this.#current.get(budgetId);
    if (current) this.#current.set(budgetId, { ...current, sentAt: momentOf(this.#clock) });
  }

  /** If it is still the turn of this process, the record shows that it is not suspended. */
  async #keepMoving(budgetId: string, own: StoredTurn, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(MOVE_MS, signal, true).catch(() => {});
      if (signal.aborted) return;
      const moving = this.#pending.update((pending, movedAt) => {
        const turn = turnIn(pending, budgetId);
        const value = isSame(turn, own) ? withTurn(pending, budgetId, { ...turn, movedAt }) : pending;
        return { value, result: undefined };
      });
      await moving.catch(ignoreStoreError);
    }
  }

  #end(budgetId: string, over: StoredTurn): Promise<void> {
    return this.#pending.update((pending, now) => {
      const turn = turnIn(pending, budgetId);
      const isOver = isSame(turn, over) && isTurnOver(turn, now);
      const next = { ...turn, number: turn.number + 1 };
      return { value: isOver ? withTurn(pending, budgetId, next) : pending, result: undefined };
    });
  }

  async #read(budgetId: string): Promise<StoredTurn> {
    const turn = turnIn(await this.#pending.read(), budgetId);
    this.#seen.set(budgetId, turn);
    return turn;
  }
}

const TURN_ENDED =
  'this process was suspended or waited for too long, so that its turn to write to this budget has ended.';

const turnIn = ({ turns }: Pending, budgetId: string): StoredTurn => turns[budgetId] ?? first;

const withTurn = ({ turns, writes }: Pending, budgetId: string, turn: StoredTurn): Pending => ({
  turns: { ...turns, [budgetId]: turn },
  writes,
});

const isSame = (one: StoredTurn, other: StoredTurn): boolean =>
  one.id === other.id && one.number === other.number;

const isTurnOver = ({ movedAt, sentAt }: StoredTurn, now: Moment): boolean =>
  certainAgeAt(now, movedAt) >= MAX_SILENT_MS || certainAgeAt(now, sentAt) >= MAX_STEP_MS;

export function throwIfCancelled({ signal }: TurnOptions): void {
  if (signal?.aborted) throw cancelledBeforeSending();
}

const isoOf = (wall: number): string => new Date(wall).toISOString();

function formatWait(turn: Turn | undefined, now: Moment): string | undefined {
  if (!turn) return undefined;
  const { since, sentAt, movedAt, isOwn, program } = turn;
  const endOf = ({ wall }: Moment, limitMs: number) => wall + limitMs + LOOK_MS;
  const lastEnd = endOf(sentAt, MAX_STEP_MS);
  const other = program
    ? `Another process of this user (${program}), such as that of another window,`
    : 'Another process of this server';
  const begun = `${isOwn ? 'Another call' : other} has been writing to this budget since ${isoOf(since.wall)}.`;
  if (isOwn)
    return `${begun} It ends when its write is done or found, usually at once, and by about ${isoOf(lastEnd)} unless it sends another request before.`;
  const sooner = program ? `, or when ${program} ends` : '';
  if (now.monotonic - movedAt.monotonic > SILENT_MS)
    return `${begun} It has not moved since ${isoOf(movedAt.wall)} and may be suspended: its turn ends by itself at ${isoOf(Math.min(endOf(movedAt, MAX_SILENT_MS), lastEnd))} at the latest, and sooner if it goes on and finishes${sooner}.`;
  return `${begun} Its turn ends by itself at ${isoOf(lastEnd)} at the latest unless it sends another request before, and sooner when its write is done or found${sooner}.`;
}
