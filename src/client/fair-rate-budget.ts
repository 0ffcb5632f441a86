/**
 * Shares a rate budget between several callers, so that one caller cannot use all requests. It counts the requests of
 * each caller in the last hour. The shared rate budget knows how many requests are left.
 *
 * A caller is active for an hour after its last request. Half of the limit is divided evenly among the active callers:
 * this is the guaranteed share of each. The other half is used in the order of the requests. The rules:
 *
 *   - A read is refused if its caller has used its share, and the remaining requests are all needed for the unused
 *     shares of the other active callers.
 *   - Nothing is refused here if there is only one active caller.
 *   - A write is never refused here, but it counts.
 *   - A request that failed, or got a 429 or a 5xx, does not count, because the service may not have counted it.
 *   - While the next read that the shared budget allows is a probe, nothing is refused here for any caller: the probe finds
 *     out how many requests are left, and the shared budget refuses all other reads itself.
 *
 * So a caller that is active before another one sends too many requests gets its share in every hour. A caller that
 * becomes active later gets the first requests that become free.
 */

import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { RateBudget, RateBudgetAttempt, RateStatus } from './rate-budget.ts';

const HOUR_MS = 3_600_000;

export interface FairRateBudgetOptions {
  readonly shared: RateBudget;
  readonly clock: Clock;
  /** The caller of the current request. Undefined for requests without a caller, which are not counted or refused. */
  readonly caller: () => string | undefined;
}

/** Times are monotonic. */
interface Activity {
  requestedAt: number;
  /** The times of the caller's requests in the last hour, oldest first. */
  takenAt: number[];
}

interface Share {
  /** The number of requests that the caller is guaranteed. */
  readonly size: number;
  readonly taken: number;
  /** The number of requests that the other active callers have not used of their shares. */
  readonly reservedForOthers: number;
  /** When the caller will have used less than its share again. */
  readonly freeAt: number;
}

export class FairRateBudget implements RateBudget {
  readonly #options: FairRateBudgetOptions;
  readonly #activities = new Map<string, Activity>();
  /** Serializes simultaneous calls of `take`, so that the second one counts the first. */
  #lastAttempt: Promise<unknown> = Promise.resolve();

  constructor(options: FairRateBudgetOptions) {
    this.#options = options;
  }

  async take(kind: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const { shared, caller: currentCaller } = this.#options;
    const caller = currentCaller();
    if (caller === undefined) return shared.take(kind);
    const attempt = this.#lastAttempt.then(() => this.#take(caller, kind));
    this.#lastAttempt = attempt.catch(() => {});
    return attempt;
  }

  /** The status of the shared budget. `leftForReads` and `nextReadAt` are those of the current caller. */
  async status(): Promise<RateStatus> {
    const { shared, clock, caller: currentCaller } = this.#options;
    const status = await shared.status();
    const caller = currentCaller();
    if (caller === undefined) return status;
    const share = this.#shareOf(caller, status.limit);
    const leftForReads = leftFor(share, status.leftForReads);
    if (leftForReads > 0 || share.reservedForOthers === 0 || status.isNextReadProbe)
      return { ...status, leftForReads };
    const freeAt = clock.now() + Math.max(share.freeAt - clock.monotonic(), 0);
    return { ...status, leftForReads, nextReadAt: Math.max(status.nextReadAt, freeAt) };
  }

  async #take(caller: string, kind: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const { shared, clock } = this.#options;
    const now = clock.monotonic();
    const activity = this.#activities.get(caller) ?? { requestedAt: now, takenAt: [] };
    activity.requestedAt = now;
    this.#activities.set(caller, activity);
    if (kind === 'read') {
      const { limit, leftForReads, isNextReadProbe } = await shared.status();
      const share = this.#shareOf(caller, limit);
      const isWithinShare = share.taken < share.size;
      const isReservedForOthers = share.reservedForOthers > 0 && leftForReads <= share.reservedForOthers;
      if (!isWithinShare && isReservedForOthers && !isNextReadProbe)
        throw shareUsedError(share.freeAt - now, clock.now());
    }
    const attempt = await shared.take(kind);
    activity.takenAt.push(now);
    const uncount = () => {
      const index = activity.takenAt.indexOf(now);
      if (index !== -1) activity.takenAt.splice(index, 1);
    };
    return {
      answered: async (response) => {
        if (response.status === 429 || response.status >= 500) uncount();
        await attempt.answered(response);
      },
      failed: async (error) => {
        uncount();
        await attempt.failed(error);
      },
    };
  }

  #shareOf(caller: string, limit: number): Share {
    const now = this.#options.clock.monotonic();
    this.#removeExpired(now);
    const takenAt = this.#activities.get(caller)?.takenAt ?? [];
    const others = [...this.#activities]
      .filter(([other]) => other !== caller)
      .map(([, activity]) => activity);
    const size = Math.max(Math.floor(limit / 2 / (others.length + 1)), 1);
    return {
      size,
      taken: takenAt.length,
      reservedForOthers: others.reduce((sum, other) => sum + Math.max(size - other.takenAt.length, 0), 0),
      freeAt: (takenAt[takenAt.length - size] ?? now - HOUR_MS) + HOUR_MS,
    };
  }

  #removeExpired(now: number): void {
    for (const [caller, activity] of this.#activities) {
      activity.takenAt = activity.takenAt.filter((at) => at + HOUR_MS > now);
      if (activity.requestedAt + HOUR_MS <= now) this.#activities.delete(caller);
    }
  }
}

function leftFor({ size, taken, reservedForOthers }: Share, left: number): number {
  const leftOfShare = Math.min(size - taken, left);
  return Math.max(left - reservedForOthers, leftOfShare, 0);
}

function shareUsedError(milliseconds: number, now: number): BudgetError {
  const seconds = Math.ceil(milliseconds / 1000);
  const at = new Date(now + milliseconds).toISOString();
  return new BudgetError(
    'rate_budget_spent',
    `Other callers use this server too, and the remaining requests of this hour are reserved for them. The next request for this caller is free in ${seconds} s at the latest, at ${at}.`,
  );
}
