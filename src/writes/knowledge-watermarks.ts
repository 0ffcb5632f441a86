/**
 * For each budget, two values of `server_knowledge` that writes need. The highest one seen: a response below it is out
 * of date. And the baseline: a recent one from which the search for a lost write can start. It is given the knowledge
 * of every response and sends no requests. `Watermarks` in replica/ does the same for reads, by different rules.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { LAG_MS } from '../replica/watermarks.ts';

/**
 * The maximum age of a baseline. An equal entry that another person makes between the baseline and the write could be
 * mistaken for the write, so this time is short.
 */
const MAX_BASELINE_AGE_MS = 1_000;

/** During a write, a response may be from before it or after it. */
const WRITE_IN_PROGRESS = Symbol('writing');

export class KnowledgeWatermarks {
  readonly #clock: Clock;
  readonly #baselines = new Map<string, { readonly knowledge: number; readonly at: Moment }>();
  /** The highest knowledge of all responses, and the last request that returned it, by the monotonic clock. */
  readonly #highest = new Map<string, { readonly knowledge: number; readonly requestedAt: number }>();
  /** `WRITE_IN_PROGRESS`, or after each write a new symbol, so that a change during a request is noticed. */
  readonly #epochs = new Map<string, symbol>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Must be called before a request is sent. The returned function records the `server_knowledge` of the response, and
   * returns whether the response is up to date. A request during which a write ran gives no baseline, because its
   * response may be from before that write.
   */
  recordKnowledge(budgetId: string): (knowledge: number) => boolean {
    const at = momentOf(this.#clock);
    const epoch = this.#epochs.get(budgetId);
    return (knowledge) => {
      const isUpToDate = this.#recordHighest(budgetId, knowledge, at);
      if (isUpToDate && epoch !== WRITE_IN_PROGRESS && epoch === this.#epochs.get(budgetId))
        this.#baselines.set(budgetId, { knowledge, at });
      return isUpToDate;
    };
  }

  /** The knowledge from which a write that is sent now can be searched for. Undefined if there is no recent one. */
  baseline(budgetId: string): number | undefined {
    const baseline = this.#baselines.get(budgetId);
    if (!baseline || baseline.knowledge < (this.highest(budgetId) ?? 0)) return undefined;
    return ageOf(this.#clock, baseline.at) <= MAX_BASELINE_AGE_MS ? baseline.knowledge : undefined;
  }

  /** The highest knowledge of any response. */
  highest(budgetId: string): number | undefined {
    return this.#highest.get(budgetId)?.knowledge;
  }

  /**
   * Another process has written in the budget. A baseline from before that write could contain less than the process
   * knows, and a request that is in progress gives none. `knowledge` is that of the response to the write, at `at`.
   */
  recordForeignWrite(budgetId: string, at: Moment, knowledge: number | undefined): void {
    this.#baselines.delete(budgetId);
    if (this.#epochs.get(budgetId) !== WRITE_IN_PROGRESS)
      this.#epochs.set(budgetId, Symbol('after a write of another process'));
    if (knowledge === undefined) return;
    const highest = this.#highest.get(budgetId);
    if (highest && highest.knowledge > knowledge) return;
    // A time in the future is from before a restart of the machine.
    const requestedAt = Math.min(at.monotonic, this.#clock.monotonic());
    this.#highest.set(budgetId, {
      knowledge,
      requestedAt: Math.max(requestedAt, highest?.requestedAt ?? Number.NEGATIVE_INFINITY),
    });
  }

  /** Runs a write. Until it ends, only the knowledge that it passes to `recordKnowledge` becomes the baseline. */
  async runWrite<T>(
    budgetId: string,
    write: (recordKnowledge: (knowledge: number) => void) => Promise<T>,
  ): Promise<T> {
    const at = momentOf(this.#clock);
    this.#baselines.delete(budgetId);
    this.#epochs.set(budgetId, WRITE_IN_PROGRESS);
    try {
      return await write((knowledge) => {
        // The response to a write never lags. A lower knowledge than before means that the service was reset.
        this.#highest.set(budgetId, { knowledge, requestedAt: at.monotonic });
        this.#baselines.set(budgetId, { knowledge, at });
      });
    } finally {
      this.#epochs.set(budgetId, Symbol('after a write'));
    }
  }

  /**
   * Returns whether the response is up to date. Every copy of the service reaches within `LAG_MS` what another copy has
   * shown. A lower knowledge after that time means that the service was reset, for example from a backup.
   */
  #recordHighest(budgetId: string, knowledge: number, at: Moment): boolean {
    const highest = this.#highest.get(budgetId);
    if (highest && knowledge < highest.knowledge && at.monotonic - highest.requestedAt <= LAG_MS)
      return false;
    this.#highest.set(budgetId, {
      knowledge,
      requestedAt: Math.max(at.monotonic, highest?.requestedAt ?? 0),
    });
    return true;
  }
}
