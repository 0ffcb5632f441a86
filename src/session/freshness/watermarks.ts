/**
 * For each budget, the highest `server_knowledge` of any response that this process has seen, and the recent writes of all
 * processes of the sign-in that it knows of. A response below that knowledge comes from a lagging copy of the service and is
 * not treated as current. It also knows the baseline: a recent knowledge from which the search for a lost write can start.
 * It sends no requests.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../../base/clock.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';

/** The longest time that a copy of the service can lag. */
export const LAG_MS = 20_000;
/** An equal entry that a person makes between the baseline and the write could be taken for the write, so it is short. */
const MAX_BASELINE_AGE_MS = 1_000;
/** The delays before a request is repeated after a response from a lagging copy. */
export const DELAYS_WHEN_LAGGING_MS = [300, 1_000] as const;

/** How to recognise a response that contains a write: by its knowledge or, if the write had none, by the content. */
export type Evidence =
  | { readonly knowledge: number }
  | { readonly id: string; readonly shows: (replica: BudgetReplica) => boolean };

export interface Mark {
  readonly at: Moment;
  readonly knowledge: number;
  /** The number of writes of any process that this one knows of. */
  readonly writes: number;
}

interface RecentWrite {
  /** The number of the write among all writes to the budget, from 1. */
  readonly number: number;
  readonly at: Moment;
  readonly evidence: Evidence | undefined;
}

/** During a write, a response may be from before it or after it. */
const WRITE_IN_PROGRESS = Symbol('writing');

interface State {
  knowledge: number;
  /** The last request that returned `knowledge`, by the monotonic clock. */
  knownAt: number;
  baseline?: { readonly knowledge: number; readonly at: Moment } | undefined;
  /** `WRITE_IN_PROGRESS`, or after each write a new symbol, so that a change during a request is noticed. */
  epoch?: symbol;
  /** The time since when all responses have been lower than `knowledge`. */
  lowerSince?: number;
  writes: number;
  /** The writes that a lagging copy may not contain yet, and the last write. */
  recent: readonly RecentWrite[];
  /** The number of writes when the reserve was last used. */
  reserveTakenAt: number;
}

export class Watermarks {
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Must be called before a request is sent. */
  mark(budgetId: string): Mark {
    const { knowledge, writes } = this.#state(budgetId);
    return { at: momentOf(this.#clock), knowledge, writes };
  }

  /** The mark of a request of another process, with the highest knowledge now: a response below it is not used. */
  markAt(budgetId: string, at: Moment): Mark {
    const { knowledge, writes, recent } = this.#state(budgetId);
    const later = recent.filter((write) => write.at.monotonic > at.monotonic);
    return { at, knowledge, writes: writes - later.length };
  }

  /** Records the knowledge of a response to a request that was sent `at` a time. */
  recordKnowledge(budgetId: string, knowledge: number, at: Moment = momentOf(this.#clock)): void {
    const state = this.#state(budgetId);
    if (knowledge < state.knowledge) return;
    // A time in the future is from before a restart of the machine.
    state.knownAt = Math.max(state.knownAt, Math.min(at.monotonic, this.#clock.monotonic()));
    state.knowledge = knowledge;
    delete state.lowerSince;
  }

  /**
   * Must be called before a request is sent. The returned function records the knowledge of the response, and returns whether
   * the response is up to date. A request during which a write ran gives no baseline, because its response may be from before
   * that write. A read `isForWrite` proves a reset of the service if its knowledge is lower than that of an earlier response
   * which every copy has reached since: a write must not wait for a second proof.
   */
  beginRequest(budgetId: string, isForWrite = false): (knowledge: number) => boolean {
    const at = momentOf(this.#clock);
    const { epoch } = this.#state(budgetId);
    return (knowledge) => {
      const state = this.#state(budgetId);
      if (knowledge < state.knowledge) {
        if (!isForWrite || at.monotonic - state.knownAt <= LAG_MS) return false;
        this.#reset(state, knowledge);
      }
      this.recordKnowledge(budgetId, knowledge, at);
      if (epoch !== WRITE_IN_PROGRESS && epoch === state.epoch) state.baseline = { knowledge, at };
      return true;
    };
  }

  /** The knowledge from which a write that is sent now can be searched for. Undefined if there is no recent one. */
  baseline(budgetId: string): number | undefined {
    const { baseline, knowledge } = this.#state(budgetId);
    if (!baseline || baseline.knowledge < knowledge) return undefined;
    return ageOf(this.#clock, baseline.at) <= MAX_BASELINE_AGE_MS ? baseline.knowledge : undefined;
  }

  highest(budgetId: string): number | undefined {
    const { knowledge } = this.#state(budgetId);
    return Number.isFinite(knowledge) ? knowledge : undefined;
  }

  /**
   * Runs a write: only the knowledge that it passes on becomes the baseline. The response to a write never lags, so a lower one
   * than before means that the service was reset.
   */
  async runWrite<T>(
    budgetId: string,
    write: (recordKnowledge: (knowledge: number) => void) => Promise<T>,
  ): Promise<T> {
    const before = this.mark(budgetId);
    const state = this.#state(budgetId);
    state.baseline = undefined;
    state.epoch = WRITE_IN_PROGRESS;
    try {
      return await write((knowledge) => {
        this.#recordWritten(budgetId, knowledge, before);
        state.baseline = { knowledge, at: before.at };
      });
    } finally {
      state.epoch = Symbol('after a write');
    }
  }

  /**
   * Records a write that this process has sent, or has found for a process that has ended. The next read may use the reserve.
   * Without `evidence` it is uncertain whether the write happened. `before` is the mark of its request.
   */
  recordWrite(budgetId: string, evidence?: Evidence, before?: Mark): void {
    const state = this.#state(budgetId);
    this.#add(state, evidence, momentOf(this.#clock));
    if (evidence === undefined || isById(evidence)) return;
    if (before) this.#recordWritten(budgetId, evidence.knowledge, before);
    else this.recordKnowledge(budgetId, evidence.knowledge);
  }

  /**
   * Records a write of another process, which has ended, or may have ended, by `at`. It gives this process no reserve. A
   * baseline from before it could contain less than this process knows, and a request that is in progress gives none.
   */
  recordForeignWrite(budgetId: string, at: Moment, evidence?: Evidence): void {
    const state = this.#state(budgetId);
    const now = momentOf(this.#clock);
    const hasReserve = state.reserveTakenAt < state.writes;
    // Later writes are pending longer (`settledWrites`), so the times never descend. A time in the future is from before
    // a restart of the machine.
    const last = state.recent.at(-1)?.at.monotonic ?? Number.NEGATIVE_INFINITY;
    const monotonic = Math.max(Math.min(at.monotonic, now.monotonic), last);
    this.#add(state, evidence, { wall: Math.min(at.wall, now.wall), monotonic });
    if (!hasReserve) state.reserveTakenAt = state.writes;
    if (evidence && !isById(evidence)) this.recordKnowledge(budgetId, evidence.knowledge, at);
    state.baseline = undefined;
    if (state.epoch !== WRITE_IN_PROGRESS) state.epoch = Symbol('after a write of another process');
  }

  /**
   * Whether the knowledge of a response to a request at `mark` is lower than what was known then. If that lasts
   * longer than any copy can lag, the service itself was reset, for example from a backup, and the response is
   * current.
   */
  isLower(budgetId: string, knowledge: number, mark: Mark): boolean {
    const state = this.#state(budgetId);
    if (knowledge >= Math.min(mark.knowledge, state.knowledge)) {
      if (knowledge >= state.knowledge) delete state.lowerSince;
      return false;
    }
    state.lowerSince ??= mark.at.monotonic;
    if (mark.at.monotonic - state.lowerSince < LAG_MS) return true;
    this.#reset(state, knowledge);
    return false;
  }

  /** Whether a response to a request at `mark` contains the writes up to then. It surely has the first `contained` ones. */
  showsWrites(budgetId: string, replica: BudgetReplica, mark: Mark, contained = 0): boolean {
    return this.#state(budgetId).recent.every(
      ({ number, at, evidence }) =>
        number <= contained ||
        number > mark.writes ||
        !isById(evidence) ||
        isSettled({ at }, mark.at) ||
        evidence.shows(replica),
    );
  }

  /** The number of writes that every copy of the service contained at `mark`, because they are old enough. */
  settledWrites(budgetId: string, mark: Mark): number {
    return mark.writes - this.#pending(budgetId, mark).length;
  }

  /**
   * Whether a response to a request at `mark` may lack a write that this process knows of. Without `knowledge` any recent write
   * may be missing. Otherwise only a write whose own response had no knowledge. `knowledge` must not be lower than
   * what was known.
   */
  mayLackWrite(budgetId: string, mark: Mark, knowledge?: number): boolean {
    return this.#pending(budgetId, mark).some(
      ({ evidence }) => knowledge === undefined || evidence === undefined || isById(evidence),
    );
  }

  /** The end of the last write that this process knows of, in milliseconds since the epoch. */
  lastWriteAt(budgetId: string): number | undefined {
    return this.#state(budgetId).recent.at(-1)?.at.wall;
  }

  /** Whether a read may use the requests that are reserved for writes: once after each write. */
  takeReserve(budgetId: string): boolean {
    const state = this.#state(budgetId);
    const isAvailable = state.reserveTakenAt < state.writes;
    state.reserveTakenAt = state.writes;
    return isAvailable;
  }

  /** Lets the next read use the requests that are reserved for writes, because a write depends on it. */
  giveReserve(budgetId: string): void {
    this.#state(budgetId).reserveTakenAt = Number.NEGATIVE_INFINITY;
  }

  #add(state: State, evidence: Evidence | undefined, at: Moment): void {
    state.writes += 1;
    const isOlder = ({ evidence: earlier, ...write }: RecentWrite) =>
      isSettled(write, at) || (isById(earlier) && isById(evidence) && earlier.id === evidence.id);
    const kept = state.recent.filter((write) => !isOlder(write));
    state.recent = [...kept, { number: state.writes, at, evidence }];
  }

  #pending(budgetId: string, mark: Mark): readonly RecentWrite[] {
    const { recent } = this.#state(budgetId);
    return recent.filter((write) => write.number <= mark.writes && !isSettled(write, mark.at));
  }

  #recordWritten(budgetId: string, knowledge: number, before: Mark): void {
    const state = this.#state(budgetId);
    if (knowledge < Math.min(before.knowledge, state.knowledge)) this.#reset(state, knowledge);
    this.recordKnowledge(budgetId, knowledge, before.at);
  }

  #reset(state: State, knowledge: number): void {
    state.knowledge = knowledge;
    state.knownAt = Number.NEGATIVE_INFINITY;
    state.baseline = undefined;
    delete state.lowerSince;
  }

  #state(budgetId: string): State {
    const state = this.#states.get(budgetId) ?? {
      knowledge: Number.NEGATIVE_INFINITY,
      knownAt: Number.NEGATIVE_INFINITY,
      writes: 0,
      recent: [],
      reserveTakenAt: 0,
    };
    this.#states.set(budgetId, state);
    return state;
  }
}

type EvidenceById = Exclude<Evidence, { readonly knowledge: number }>;

const isById = (evidence: Evidence | undefined): evidence is EvidenceById =>
  evidence !== undefined && 'shows' in evidence;

/** Uses the monotonic clock, because setting the wall clock does not update a copy. */
const isSettled = ({ at }: Pick<RecentWrite, 'at'>, { monotonic }: Moment) =>
  monotonic - at.monotonic >= LAG_MS;
