/**
 * What a cache of budgets needs of other processes that cache the same budgets: what one of them has read, the others need
 * not ask for.
 */
import type { Moment } from '../platform/clock.ts';
import type { BudgetReplica } from './budget-replica.ts';
import type { CachedBudget } from './cache-entry.ts';
import type { Export } from './entities.ts';

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
  /** Takes over a budget that another process has loaded at `asOf`. */
  adopt(budgetId: string, replica: BudgetReplica, asOf: Moment): void;
  /**
   * Applies what another process has read at `asOf`: the changes since the knowledge `since`, or that nothing has changed.
   * Returns whether the cached budget is now as it was then.
   */
  applyRead(
    budgetId: string,
    asOf: Moment,
    delta?: { readonly data: Export; readonly since: number },
  ): boolean;
}

export interface ReplicaSharing {
  /** Another number, perhaps a little later, after another process has read or written. */
  readonly version: number;
  /** Learns what other processes have written, or may have written, so that a cached budget without it is not fresh. */
  learn(budgetId: string): Promise<void>;
  /** Takes over what other processes have read, after what they have noted about their writes. */
  catchUp(cache: SharingCache, budgetId: string): Promise<void>;
  /**
   * Whether another process may have changed a budget, or read a change of it, since the last call: for a budget that is not
   * cached. False for the first call.
   */
  hasChanged(budgetId: string): Promise<boolean>;
  /**
   * Runs `request` while no other process requests the same budget. If one did so meanwhile, the result is what it has
   * read, and `request` does not run.
   */
  alone(
    cache: SharingCache,
    budgetId: string,
    request: () => Promise<CachedBudget>,
    options: { readonly isFullLoad: boolean; readonly signal: AbortSignal },
  ): Promise<CachedBudget>;
  /** Passes on what this process has read. */
  share(read: SharedRead): void;
}
