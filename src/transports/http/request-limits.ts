/**
 * Limits how many requests may be in progress at once, and how many may come in a minute, for each name that a request counts
 * for: its caller, the person, the address. The counts belong to this process.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../../platform/clock.ts';

export interface RequestLimit {
  /** Requests with the same name count together. */
  readonly of: string;
  /** In progress at once, streams included. */
  readonly concurrent?: number;
  /** On average. After a minute without requests, as many may come at once. */
  readonly perMinute?: number;
}

/** A request that is over a limit. */
export interface Refusal {
  readonly reason: string;
  readonly retryAfterSeconds: number;
}

/** A minute is divided among the requests that it allows. */
interface Allowance {
  readonly leftMs: number;
  readonly at: Moment;
}

const MINUTE_MS = 60_000;
const costMsOf = ({ perMinute = 1 }: RequestLimit) => MINUTE_MS / perMinute;

export class RequestLimits {
  readonly #clock: Clock;
  readonly #open = new Map<string, number>();
  /** Those that are not full. */
  readonly #allowances = new Map<string, Allowance>();
  #cleanedAt: Moment;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#cleanedAt = momentOf(clock);
  }

  /** Counts a request. Returns a function to call when it has ended, or why it is refused, which counts nothing. */
  admit(limits: readonly RequestLimit[]): (() => void) | Refusal {
    this.#clean();
    for (const limit of limits) {
      const refusal = this.#refusalOf(limit);
      if (refusal) return refusal;
    }
    const concurrent = limits.filter((limit) => limit.concurrent !== undefined);
    for (const { of } of concurrent) this.#open.set(of, (this.#open.get(of) ?? 0) + 1);
    const at = momentOf(this.#clock);
    for (const limit of limits)
      if (limit.perMinute !== undefined)
        this.#allowances.set(limit.of, { leftMs: this.#leftMsOf(limit) - costMsOf(limit), at });
    return () => {
      for (const { of } of concurrent) this.#release(of);
    };
  }

  #refusalOf(limit: RequestLimit): Refusal | undefined {
    const { of, concurrent, perMinute } = limit;
    if (concurrent !== undefined && (this.#open.get(of) ?? 0) >= concurrent)
      return { reason: `At most ${concurrent} requests at once.`, retryAfterSeconds: 1 };
    if (perMinute === undefined) return undefined;
    const missingMs = costMsOf(limit) - this.#leftMsOf(limit);
    if (missingMs <= 0) return undefined;
    return {
      reason: `At most ${perMinute} requests a minute.`,
      retryAfterSeconds: Math.ceil(missingMs / 1_000),
    };
  }

  #leftMsOf({ of }: RequestLimit): number {
    const known = this.#allowances.get(of);
    if (!known) return MINUTE_MS;
    return Math.min(MINUTE_MS, known.leftMs + ageOf(this.#clock, known.at));
  }

  #release(of: string): void {
    const left = (this.#open.get(of) ?? 1) - 1;
    if (left > 0) this.#open.set(of, left);
    else this.#open.delete(of);
  }

  /** After a minute an allowance is full again. */
  #clean(): void {
    if (ageOf(this.#clock, this.#cleanedAt) < MINUTE_MS) return;
    this.#cleanedAt = momentOf(this.#clock);
    for (const [of, { at }] of this.#allowances)
      if (ageOf(this.#clock, at) >= MINUTE_MS) this.#allowances.delete(of);
  }
}
