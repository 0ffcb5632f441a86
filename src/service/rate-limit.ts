/**
 * How often a token may be used: a number of requests in any rolling hour (specification, Limits). It knows when
 * each request of the past hour was made, and must not know what the requests were.
 */
import type { Clock } from '../platform/clock.ts';
import type { Grant } from './access.ts';

const HOUR_MS = 3_600_000;

export class RateLimit {
  readonly limit: number;
  readonly #clock: Clock;
  /** Ascending times in milliseconds, `limit` at most. A revoked token takes its entry with it. */
  readonly #requests = new WeakMap<Grant, number[]>();

  constructor(limit: number, clock: Clock) {
    this.limit = limit;
    this.#clock = clock;
  }

  /**
   * Counts a request and returns how many the token has made in the past hour, this one included. Returns undefined,
   * and counts nothing, when the limit was reached before it.
   */
  take(grant: Grant): number | undefined {
    const now = this.#clock.now();
    const requests = this.#requests.get(grant) ?? [];
    this.#requests.set(grant, requests);

    const stillCounting = requests.findIndex((time) => time > now - HOUR_MS);
    requests.splice(0, stillCounting === -1 ? requests.length : stillCounting);
    return requests.length < this.limit ? requests.push(now) : undefined;
  }
}
