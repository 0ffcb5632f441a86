/**
 * Limits how many requests may be in progress at once, and how many may come in a minute, for each name that a request counts
 * for: its caller, the person, the address. The counts belong to this process.
 */
import { LRUCache } from 'lru-cache';
import { ageOf, type Clock, type Moment, momentOf } from '../../base/clock.ts';

export interface RequestLimit {
  /** Requests with the same name count together. */
  readonly of: string;
  /** In progress at once, streams included. */
  readonly concurrent?: number;
  /** On average. After a minute without requests, as many may come at once. */
  readonly perMinute?: number;
  /**
   * Who sends the request, where many share the limit. One who has sent nothing lately may use all of it. The others leave
   * a part free: a quarter after one request, and the more, the more they have sent, up to a half.
   */
  readonly sender?: string;
}

/** A request that is over a limit. */
export interface Refusal {
  readonly reason: string;
  readonly retryAfterSeconds: number;
}

const MINUTE_MS = 60_000;
const costMsOf = ({ perMinute = 1 }: RequestLimit) => MINUTE_MS / perMinute;

/** In this time, what was sent counts half as much. */
const HALF_LIFE_MS = 20 * MINUTE_MS;
const MAX_FREE = 0.5;

/** Of those that sent nothing for longest, more are forgotten: strangers can have any number of addresses. */
const MAX_KNOWN = 50_000;

export class RequestLimits {
  readonly #clock: Clock;
  readonly #open = new Map<string, number>();
  /** A minute is divided among the requests that it allows. */
  readonly #allowances = new LRUCache<string, Readonly<{ leftMs: number; at: Moment }>>({ max: MAX_KNOWN });
  /** What each sender has sent, refused requests included. */
  readonly #sent = new LRUCache<string, Readonly<{ requests: number; at: Moment }>>({ max: MAX_KNOWN });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request. Returns a function to call when it has ended, or why it is refused, which uses no limit up. */
  admit(limits: readonly RequestLimit[]): (() => void) | Refusal {
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
    const free = this.#noteSender(limit);
    if (concurrent !== undefined && (this.#open.get(of) ?? 0) >= concurrent * (1 - free))
      return { reason: `At most ${concurrent} requests at once.`, retryAfterSeconds: 1 };
    if (perMinute === undefined) return undefined;
    const missingMs = costMsOf(limit) + free * MINUTE_MS - this.#leftMsOf(limit);
    if (missingMs <= 0) return undefined;
    return {
      reason: `At most ${perMinute} requests a minute.`,
      retryAfterSeconds: Math.ceil(missingMs / 1_000),
    };
  }

  /** Returns the share of the limit that its sender has to leave free. */
  #noteSender({ of, sender }: RequestLimit): number {
    if (sender === undefined) return 0;
    const name = `${of} ${sender}`;
    const known = this.#sent.get(name);
    const before = known ? known.requests * 0.5 ** (ageOf(this.#clock, known.at) / HALF_LIFE_MS) : 0;
    this.#sent.set(name, { requests: before + 1, at: momentOf(this.#clock) });
    return (MAX_FREE * before) / (before + 1);
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
}
