/**
 * Decides whether a read uses the cached budget as it is, after a sync, or not at all. It knows how old the data may be.
 * If newer data is not available, it returns older data with a reason. `ReplicaCache` stores and syncs the budgets.
 */

import { ageOf, type Clock, type Moment, momentOf } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { StateStatus } from '../../store/shared-stores.ts';
import { formatStaleReason } from '../call-result.ts';
import { HOUR_MS } from '../rate-budget/rate-ledger.ts';
import type { RateStatus } from '../rate-budget/rate-usage.ts';
import { type CachedBudget, isOfMonth } from './cache-entries.ts';
import type { ReplicaCache } from './replica-cache.ts';
import type { Waiting } from './shared-request.ts';
import type { Watermarks } from './watermarks.ts';

export interface FreshnessPolicyOptions {
  readonly clock: Clock;
  readonly replicas: ReplicaCache;
  readonly marks: Watermarks;
  readonly status: () => StateStatus;
}

export interface FreshBudget extends CachedBudget {
  readonly staleReason?: string;
  readonly isHit?: boolean;
}

/** Data of this age is fresh also if no requests are left. After a response of a lagging copy, the service is not asked again for as long. */
const RECENT_MS = 5_000;
/** The minimum time between two updates because of names or ids that were not found. */
const SEARCH_INTERVAL_MS = 10_000;

export class FreshnessPolicy {
  readonly #options: FreshnessPolicyOptions;
  /** When each budget was last updated because a name or an id was not found in it, by the monotonic clock. */
  readonly #searchedAt = new Map<string, number>();
  hits = 0;

  constructor(options: FreshnessPolicyOptions) {
    this.#options = options;
  }

  has(budgetId: string): boolean {
    return this.#options.replicas.entries.peek(budgetId) !== undefined;
  }

  /** Undefined if the budget cannot be cached. What other processes did has to be taken over before. */
  async getFresh(budgetId: string, left: RateStatus, waiting?: Waiting): Promise<FreshBudget | undefined> {
    const cached = this.#options.replicas.entries.peek(budgetId);
    if (!cached) return this.#load(budgetId, waiting);
    if (!cached.lacksWrite && this.#isFresh(cached, left)) return { ...cached, isHit: true };
    const isLatestReadLagging = cached.isLagging && cached.isReadSinceWrite;
    if (isLatestReadLagging && ageOf(this.#options.clock, cached.checkedAt) <= RECENT_MS)
      return { ...this.#withStaleReason(budgetId, cached), isHit: true };
    try {
      return await this.refresh(budgetId, false, waiting);
    } catch (error) {
      // An error that would also apply to later reads, such as a rejected token, must not be hidden by cached data.
      if (!(error instanceof BudgetError) || !error.isTransient) throw error;
      const cached = this.#options.replicas.entries.peek(budgetId);
      if (!cached) throw error;
      return { ...this.#withStaleReason(budgetId, cached, error), isHit: error.code === 'rate_budget_spent' };
    }
  }

  /** Updates a cached budget now. With `full`, loads the whole budget again. */
  async refresh(budgetId: string, full: boolean, waiting?: Waiting): Promise<FreshBudget> {
    const cached = await this.#options.replicas.sync(budgetId, waiting, full);
    return this.#withStaleReason(budgetId, cached);
  }

  /**
   * Updates a cached budget because a name or an id was not found in it: the thing may be new. Undefined if the budget was read
   * after `since`, or if it was updated for this reason in the last ten seconds. It stays as it is if the service cannot
   * be read.
   */
  async searchAgain(budgetId: string, since: Moment, waiting?: Waiting): Promise<FreshBudget | undefined> {
    const cached = this.#options.replicas.entries.peek(budgetId);
    if (!cached) return undefined;
    const now = this.#options.clock.monotonic();
    const isRead = cached.checkedAt.monotonic >= since.monotonic;
    const searchedAt = this.#searchedAt.get(budgetId) ?? Number.NEGATIVE_INFINITY;
    if (!isRead && now - searchedAt < SEARCH_INTERVAL_MS) return undefined;
    this.#searchedAt.set(budgetId, now);
    if (isRead) return undefined;
    try {
      return await this.refresh(budgetId, false, waiting);
    } catch (error) {
      if (error instanceof BudgetError && error.isTransient)
        return this.#withStaleReason(budgetId, cached, error);
      throw error;
    }
  }

  /** Updates a cached budget. Keeps it as it is if the service cannot be read. */
  async revalidate(budgetId: string, waiting?: Waiting): Promise<void> {
    if (!this.has(budgetId)) return;
    await this.#options.replicas.sync(budgetId, waiting).catch((error: unknown) => {
      if (!(error instanceof BudgetError) || error.code === 'cancelled' || error.code === 'sign_in_changed')
        throw error;
    });
  }

  async #load(budgetId: string, waiting?: Waiting): Promise<FreshBudget | undefined> {
    if (this.#options.replicas.entries.whyNotCached(budgetId)) return undefined;
    try {
      return await this.refresh(budgetId, false, waiting);
    } catch (error) {
      if (error instanceof BudgetError && error.code !== 'cancelled' && error.code !== 'rate_budget_spent')
        return undefined;
      throw error;
    }
  }

  #withStaleReason(budgetId: string, cached: CachedBudget, error?: BudgetError): FreshBudget {
    const writeAt = cached.lacksWrite ? this.#options.marks.lastWriteAt(budgetId) : undefined;
    const staleReason = formatStaleReason({ error, isLagging: cached.isLagging, writeAt });
    return staleReason === undefined ? cached : { ...cached, staleReason };
  }

  #isFresh(cached: CachedBudget, { leftForReads, returnsAt }: RateStatus): boolean {
    const now = momentOf(this.#options.clock);
    // A sync is tried even if no requests are left: its refusal says when the next request is free.
    const maxAgeMs = leftForReads > 0 ? allowedAge({ now: now.wall, leftForReads, returnsAt }) : RECENT_MS;
    // The amounts of categories are those of the current month (UTC), so data from an earlier month is not fresh.
    // A burst can be one of several processes, which write and read in turn without a trace here.
    const unseenMs = this.#options.status().hasFailed ? BURST_MS : 0;
    return ageOf(this.#options.clock, cached.asOf) <= maxAgeMs - unseenMs && isOfMonth(cached, now);
  }
}

/** Calls of one burst arrive within this time. The next question of a person comes later. Younger data is always fresh. */
export const BURST_MS = 5_000;

/** The part of the whole quota that is kept as a reserve. */
const RESERVE = 0.1;

const AMPLE = 1.25;
const TIGHT = 1.5;
const SLOWEST = 2;

/** `now` is in milliseconds since the epoch. Requests of other processes return to the quota too, but they spend them again. */
type Quota = Pick<RateStatus, 'leftForReads' | 'returnsAt'> & { readonly now: number };

/**
 * The age in milliseconds up to which an answer needs no sync, based on the rolling hour of the service (docs/interface.md,
 * Limits). `Infinity` when no requests are left.
 *
 * The pace of a number of requests is the shortest constant interval at which they can be spent during the coming
 * hour without running out. It includes requests that return to the quota in that time. The best pace spreads the
 * whole quota evenly over the hour (180 requests: 20 s). A reserve is kept for writes, other processes and lost
 * responses. The pace of the requests beyond the reserve, compared with the best pace, shows how far ahead requests
 * were spent:
 *
 * - Up to `AMPLE` times the best pace, the age is `BURST_MS`: calls of a burst share a sync, and a later call syncs
 *   again.
 * - From `TIGHT` times the best pace, the age is that pace, so that the quota lasts and the pace does not get worse.
 * - In between, the age is interpolated linearly.
 * - The age is at most `SLOWEST` times the pace of all remaining requests, so that the reserve is used in the end.
 * - With no requests left, any age is better than no answer.
 *
 * The age never decreases when fewer requests are left or when requests return later. If no other process spends
 * requests, the pace stays below `TIGHT` times the best pace for any number of reads.
 */
export function allowedAge({ now, leftForReads: left, returnsAt }: Quota): number {
  if (left < 1) return Number.POSITIVE_INFINITY;
  const returnsIn = returnsAt.map((at) => at - now);
  const quota = left + returnsIn.length;
  const pace = paceOf(left - RESERVE * quota, returnsIn);
  const spentAhead = pace / (HOUR_MS / quota);
  const tightness = Math.min(Math.max((spentAhead - AMPLE) / (TIGHT - AMPLE), 0), 1);
  const age = Math.min(pace, SLOWEST * paceOf(left, returnsIn));
  return BURST_MS + tightness * Math.max(age - BURST_MS, 0);
}

/** Before return `i`, at most the requests that were left and the `i` earlier returns can have been spent. */
function paceOf(left: number, returnsIn: readonly number[]): number {
  if (left <= 0) return Number.POSITIVE_INFINITY;
  const best = HOUR_MS / (left + returnsIn.length);
  return returnsIn.reduce((pace, time, i) => Math.max(pace, time / (left + i)), best);
}
