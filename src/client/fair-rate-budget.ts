/**
 * Shares a rate budget between several callers, so that no one of them can use up what all have. It knows who asks and
 * what each has taken within the last hour; how many requests there are is known to the budget that it shares.
 *
 * The law. A caller is active for an hour after it has asked for anything. Half of the limit is divided evenly among
 * the active callers: that is the share which each of them can count on. The other half goes to whoever asks first.
 *
 *   - A read is refused where the caller has taken its share already, and no more is left than what the other active
 *     callers have not taken of theirs.
 *   - A caller that is the only active one is refused nothing here.
 *   - A write is never refused here, but counts as taken. So does a read that was answered; one that failed, or that the
 *     service refused for its own reasons, may never have been counted there.
 *   - A probe that the shared budget would let through is refused nothing here: it finds out what is really left.
 *
 * So a caller that was active before another one began to ask too much gets its share in every hour. One that comes
 * later gets the first requests that come back.
 */

import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { RateBudget, RateBudgetAttempt, RateStatus } from './rate-budget.ts';

const HOUR_MS = 3_600_000;

export interface FairRateBudgetOptions {
  readonly shared: RateBudget;
  readonly clock: Clock;
  /** Whose work is under way; undefined for work that is nobody's, which is neither counted nor refused. */
  readonly caller: () => string | undefined;
}

/** Times are monotonic. */
interface Activity {
  requestedAt: number;
  /** When each request of the last hour was taken, oldest first. */
  takenAt: number[];
}

interface Share {
  /** How many requests the caller can count on. */
  readonly size: number;
  readonly taken: number;
  /** How many the other active callers have not taken of theirs. */
  readonly keptForOthers: number;
  /** When the caller has taken less than its share again. */
  readonly freeAt: number;
}

export class FairRateBudget implements RateBudget {
  readonly #options: FairRateBudgetOptions;
  readonly #activities = new Map<string, Activity>();
  /** Of two who ask at once, the second sees what the first has taken. */
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: FairRateBudgetOptions) {
    this.#options = options;
  }

  async take(effect: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const { shared, caller: currentCaller } = this.#options;
    const caller = currentCaller();
    if (caller === undefined) return shared.take(effect);
    const turn = this.#lastTurn.then(() => this.#take(caller, effect));
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  /** What is left for reads is what is left for the caller. */
  async status(): Promise<RateStatus> {
    const { shared, clock, caller: currentCaller } = this.#options;
    const status = await shared.status();
    const caller = currentCaller();
    if (caller === undefined) return status;
    const share = this.#shareOf(caller, status.limit);
    const leftForReads = leftFor(share, status.leftForReads);
    if (leftForReads > 0 || share.keptForOthers === 0) return { ...status, leftForReads };
    const freeAt = clock.now() + Math.max(share.freeAt - clock.monotonic(), 0);
    return { ...status, leftForReads, nextReadAt: Math.max(status.nextReadAt, freeAt) };
  }

  async #take(caller: string, effect: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const { shared, clock } = this.#options;
    const now = clock.monotonic();
    const activity = this.#activities.get(caller) ?? { requestedAt: now, takenAt: [] };
    activity.requestedAt = now;
    this.#activities.set(caller, activity);
    if (effect === 'read') {
      const { limit, leftForReads, nextReadAt } = await shared.status();
      const share = this.#shareOf(caller, limit);
      const isWithinShare = share.taken < share.size;
      const isProbe = leftForReads === 0 && nextReadAt <= clock.now();
      if (!isWithinShare && !isProbe && share.keptForOthers > 0 && leftForReads <= share.keptForOthers)
        throw shareSpent(share.freeAt - now, clock.now());
    }
    const attempt = await shared.take(effect);
    activity.takenAt.push(now);
    const giveBack = () => {
      const place = activity.takenAt.indexOf(now);
      if (place !== -1) activity.takenAt.splice(place, 1);
    };
    return {
      answered: async (response) => {
        if (response.status === 429 || response.status >= 500) giveBack();
        await attempt.answered(response);
      },
      failed: async (error) => {
        giveBack();
        await attempt.failed(error);
      },
    };
  }

  #shareOf(caller: string, limit: number): Share {
    const now = this.#options.clock.monotonic();
    this.#forget(now);
    const takenAt = this.#activities.get(caller)?.takenAt ?? [];
    const others = [...this.#activities]
      .filter(([other]) => other !== caller)
      .map(([, activity]) => activity);
    const size = Math.max(Math.floor(limit / 2 / (others.length + 1)), 1);
    return {
      size,
      taken: takenAt.length,
      keptForOthers: others.reduce((sum, other) => sum + Math.max(size - other.takenAt.length, 0), 0),
      freeAt: (takenAt[takenAt.length - size] ?? now - HOUR_MS) + HOUR_MS,
    };
  }

  #forget(now: number): void {
    for (const [caller, activity] of this.#activities) {
      activity.takenAt = activity.takenAt.filter((at) => at + HOUR_MS > now);
      if (activity.requestedAt + HOUR_MS <= now) this.#activities.delete(caller);
    }
  }
}

function leftFor({ size, taken, keptForOthers }: Share, left: number): number {
  const ofShare = Math.min(size - taken, left);
  return Math.max(left - keptForOthers, ofShare, 0);
}

function shareSpent(milliseconds: number, now: number): BudgetError {
  const seconds = Math.ceil(milliseconds / 1000);
  const at = new Date(now + milliseconds).toISOString();
  return new BudgetError(
    'rate_budget_spent',
    `Other callers use this server too, and the rest of this hour's requests is kept for them. The next request for this caller is free in ${seconds} s at the latest, at ${at}.`,
  );
}
