/** Limits the requests of a token in a rolling hour (docs/interface.md, Limits). */
import type { Clock } from '../base/clock.ts';
import type { Grant } from './access.ts';

const HOUR_MS = 3_600_000;

export class RateLimit {
  readonly limit: number;
  readonly #clock: Clock;
  /**
   * Times in milliseconds, ascending, at most `limit`. The entry of a revoked token is garbage collected with it.
   */
  readonly #requests = new WeakMap<Grant, number[]>();

  constructor(limit: number, clock: Clock) {
    this.limit = limit;
    this.#clock = clock;
  }

  /**
   * Counts a request and returns the number of requests of the token in the past hour, including this one. Returns
   * undefined, and does not count it, when the limit is reached.
   */
  take(grant: Grant): number | undefined {
    const now = this.#clock.now();
    const requests = this.#requests.get(grant) ?? [];
    this.#requests.set(grant, requests);

    const firstCounted = requests.findIndex((time) => time > now - HOUR_MS);
    requests.splice(0, firstCounted === -1 ? requests.length : firstCounted);
    return requests.length < this.limit ? requests.push(now) : undefined;
  }
}
