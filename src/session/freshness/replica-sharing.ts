/**
 * What a cache of budgets needs of other processes that cache the same budgets: what one of them has read, the others need
 * not ask for.
 */

import { ageOf, type Clock, type Moment } from '../../base/clock.ts';
import type { BudgetError } from '../../base/errors.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Export } from '../../model/replica/entities.ts';
import { BURST_MS } from './allowed-age.ts';
import type { CachedBudget } from './cache-entry.ts';

/** A response of the service that was not from a lagging copy. */
export interface SharedRead {
  readonly budgetId: string;
  /** The budget after the response was applied to it. */
  readonly replica: BudgetReplica;
  /** When the response was requested. */
  readonly asOf: Moment;
  /** What has changed since the knowledge `since`. Undefined if the whole budget was loaded. */
  readonly delta?: { readonly data: Export; readonly since: number };
}

/** The cache of one process. */
export interface SharingCache {
  peek(budgetId: string): CachedBudget | undefined;
  /** Undefined if the budget can be cached. */
  whyNotCached(budgetId: string): BudgetError | undefined;
  /** Takes over a budget that another process has loaded at `asOf`. */
  adopt(budgetId: string, replica: BudgetReplica, asOf: Moment): void;
  /**
   * Applies what another process has read at `asOf`: the changes since the knowledge `since`, or that nothing has changed.
   * Returns whether the cached budget is now as it was then.
   */
  applyRead(budgetId: string, asOf: Moment, delta?: SharedRead['delta']): boolean;
}

export interface SyncLock {
  /** Undefined if another process kept the lock. */
  readonly release: (() => Promise<void>) | undefined;
  /** Another process had the lock first, and may have read the budget meanwhile. */
  readonly hasWaited: boolean;
}

export interface ReplicaSharing {
  /** Takes over what other processes did. */
  sync(cache: SharingCache, budgetIds: readonly string[]): Promise<unknown>;
  /** One process at a time requests a budget, so that the others need not ask for what it gets. */
  lock(budgetId: string, isLoad: boolean, signal: AbortSignal): Promise<SyncLock>;
  /** Passes on what this process has read. */
  share(read: SharedRead): void;
  /** Resolves when what was read of a budget has been written. */
  written(budgetId: string): Promise<void>;
}

interface Request {
  readonly budgetId: string;
  readonly request: () => Promise<CachedBudget>;
  readonly isFullLoad: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Runs `request` while no other process requests the same budget. If one did so meanwhile, the result is what it has read,
 * and `request` does not run.
 */
export async function alone(
  sharing: ReplicaSharing,
  cache: SharingCache,
  { budgetId, request, isFullLoad, signal, clock }: Request,
): Promise<CachedBudget> {
  const before = cache.peek(budgetId);
  const { release, hasWaited } = await sharing.lock(budgetId, !before, signal);
  try {
    // What another process has read meanwhile may be older than a write that was answered.
    if (hasWaited || !before) await sharing.sync(cache, [budgetId]);
    const current = cache.peek(budgetId);
    // After a store that did not answer, what others have read can be new here, and old already.
    const isReadMeanwhile =
      hasWaited && current && isNewer(current, before) && ageOf(clock, current.asOf) <= BURST_MS;
    return isReadMeanwhile && !isFullLoad && !current.lacksWrite ? current : await request();
  } finally {
    // Others may read the budget when they can find what this process has read.
    if (release) void sharing.written(budgetId).then(release);
  }
}

const isNewer = ({ asOf }: CachedBudget, before: CachedBudget | undefined) =>
  before === undefined || asOf.monotonic > before.asOf.monotonic;
