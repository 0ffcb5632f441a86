/**
 * How far the service is known to have come with each budget: the highest `server_knowledge` that anybody in this
 * process has seen, and our own writes. An answer that stays behind comes from a copy of the service that lags, and is
 * not taken for a newer one. It knows what was answered and when, and must not ask anything.
 */
import { type Clock, type Moment, momentOf } from '../platform/clock.ts';
import type { BudgetReplica } from './budget-replica.ts';

/** For so long a copy of the service may lag behind the others. */
export const LAG_MS = 20_000;
/** An answer that is behind is asked for again after each of these. */
export const DELAYS_WHEN_BEHIND_MS = [300, 1_000] as const;

/** How an answer is recognised to be from after a write: by its knowledge or, where the write told none, by what it shows. */
export type Evidence =
  | { readonly knowledge: number }
  | { readonly id: string; readonly shows: (replica: BudgetReplica) => boolean };

/** What was known of a budget just before a request was sent. */
export interface Mark {
  readonly at: Moment;
  readonly knowledge: number;
  /** The count of our writes. */
  readonly writes: number;
}

interface OwnWrite {
  /** Its place among all writes to the budget, from 1. */
  readonly number: number;
  readonly at: Moment;
  readonly evidence: Evidence | undefined;
}

interface State {
  knowledge: number;
  /** Since when all answers have been lower than `knowledge`. */
  lowerSince?: number;
  writes: number;
  /** Those that a copy which lags may not show yet, and the last one. */
  recent: readonly OwnWrite[];
  /** The count of writes when the reserve was last drawn on. */
  reserveTakenAt: number;
}

export class Watermarks {
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be taken before a request is sent. */
  mark(budgetId: string): Mark {
    const { knowledge, writes } = this.#state(budgetId);
    return { at: momentOf(this.#clock), knowledge, writes };
  }

  /** Some answer told this knowledge. */
  seen(budgetId: string, knowledge: number): void {
    const state = this.#state(budgetId);
    if (knowledge < state.knowledge) return;
    state.knowledge = knowledge;
    delete state.lowerSince;
  }

  /**
   * A write of ours has happened, or may have: then there is no `evidence`. `before` is the mark of its request. What a
   * write tells is never behind: lower knowledge than before means that the service was set back.
   */
  written(budgetId: string, evidence?: Evidence, before?: Mark): void {
    const state = this.#state(budgetId);
    const at = momentOf(this.#clock);
    state.writes += 1;
    const isOlder = ({ evidence: earlier, ...write }: OwnWrite) =>
      isSettled(write, at) || (isById(earlier) && isById(evidence) && earlier.id === evidence.id);
    state.recent = [
      ...state.recent.filter((write) => !isOlder(write)),
      { number: state.writes, at, evidence },
    ];
    if (evidence === undefined || isById(evidence)) return;
    if (before && evidence.knowledge < before.knowledge) this.#setBack(state, evidence.knowledge);
    else this.seen(budgetId, evidence.knowledge);
  }

  /**
   * Whether an answer of this knowledge, asked for at `mark`, is lower than what was known then. Once that has lasted
   * longer than any copy may lag, the service itself was set back, by a restored backup say, and the answer is right.
   */
  isLower(budgetId: string, knowledge: number, mark: Mark): boolean {
    const state = this.#state(budgetId);
    if (knowledge >= Math.min(mark.knowledge, state.knowledge)) {
      if (knowledge >= state.knowledge) delete state.lowerSince;
      return false;
    }
    state.lowerSince ??= mark.at.monotonic;
    if (mark.at.monotonic - state.lowerSince < LAG_MS) return true;
    this.#setBack(state, knowledge);
    return false;
  }

  /** Whether what was asked for at `mark` shows the writes until then, those after the first `shown` ones. */
  showsWrites(budgetId: string, replica: BudgetReplica, mark: Mark, shown = 0): boolean {
    return this.#state(budgetId).recent.every(
      ({ number, at, evidence }) =>
        number <= shown ||
        number > mark.writes ||
        !isById(evidence) ||
        isSettled({ at }, mark.at) ||
        evidence.shows(replica),
    );
  }

  /** How many writes every copy of the service showed at `mark`, since they are too long ago. */
  settledWrites(budgetId: string, mark: Mark): number {
    const pending = this.#pending(budgetId, mark);
    return mark.writes - pending.length;
  }

  /**
   * Whether an answer that was asked for at `mark` may lack a write of ours: one of those that told no knowledge or, where
   * the answer tells none, any that is not long ago. An answer of that `knowledge` must not be lower than what was known.
   */
  mayLackWrite(budgetId: string, mark: Mark, knowledge?: number): boolean {
    return this.#pending(budgetId, mark).some(
      ({ evidence }) => knowledge === undefined || evidence === undefined || isById(evidence),
    );
  }

  /** When the last of our writes ended, in milliseconds since the epoch. */
  lastWriteAt(budgetId: string): number | undefined {
    return this.#state(budgetId).recent.at(-1)?.at.wall;
  }

  /** Whether what is asked now may take from the requests that are held back for writes: once after each write. */
  takeReserve(budgetId: string): boolean {
    const state = this.#state(budgetId);
    const isFree = state.reserveTakenAt < state.writes;
    state.reserveTakenAt = state.writes;
    return isFree;
  }

  #pending(budgetId: string, mark: Mark): readonly OwnWrite[] {
    const { recent } = this.#state(budgetId);
    return recent.filter((write) => write.number <= mark.writes && !isSettled(write, mark.at));
  }

  #setBack(state: State, knowledge: number): void {
    state.knowledge = knowledge;
    delete state.lowerSince;
  }

  #state(budgetId: string): State {
    const state = this.#states.get(budgetId) ?? {
      knowledge: Number.NEGATIVE_INFINITY,
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

/** By the monotonic clock: a wall clock that is set forward brings no copy up to date. */
const isSettled = ({ at }: Pick<OwnWrite, 'at'>, { monotonic }: Moment) => monotonic - at.monotonic >= LAG_MS;
