/**
 * The cached budgets, each with its age and the writes that it contains, and with a limit in bytes: the least recently used one
 * is evicted. It also knows which budgets cannot be cached, and why.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, dateOf, type Moment } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { LAG_MS, type Mark, type Watermarks } from './watermarks.ts';

/** A budget as it was at `asOf` or later. */
export interface CachedBudget {
  readonly replica: BudgetReplica;
  readonly asOf: Moment;
  readonly checkedAt: Moment;
  /** Whether that read returned an older state than an earlier one. */
  readonly isLagging: boolean;
  /** Whether a write of any process, as far as this one knows, may be missing. */
  readonly lacksWrite: boolean;
}

export interface CacheEntry extends Omit<CachedBudget, 'lacksWrite'> {
  /** The number of known writes that the replica is known to contain. */
  readonly writes: number;
  /** The number of known writes when the service was last read. */
  readonly writesAtCheck: number;
}

/** `writes` is the number of writes of any process that are known so far. */
export function cachedBudgetOf(entry: CacheEntry, writes: number): CachedBudget {
  const { writes: contained, writesAtCheck: _, ...cached } = entry;
  return { ...cached, lacksWrite: contained < writes };
}

/** The entry after a read that started at `mark` and returned everything that was known then. */
export const entryAfterRead = (replica: BudgetReplica, { at, writes }: Mark): CacheEntry => ({
  replica,
  asOf: at,
  checkedAt: at,
  isLagging: false,
  writes,
  writesAtCheck: writes,
});

/**
 * The entry after a response from a lagging copy. A newer replica in the cache stays. Otherwise the replica is as old as a
 * copy of the service can be, and contains only the `settled` writes, which are old enough to be on every copy.
 */
export function entryFromLaggingCopy(
  replica: BudgetReplica,
  { at, writes }: Mark,
  before: CacheEntry | undefined,
  settled: number,
): CacheEntry {
  const check = { checkedAt: at, isLagging: true, writesAtCheck: writes };
  if (before && before.replica.knowledge >= replica.knowledge) return { ...before, ...check };
  const asOf = { wall: at.wall - LAG_MS, monotonic: at.monotonic - LAG_MS };
  return { replica, asOf, writes: settled, ...check };
}

/** Whether it is of the current month: no delta reports the end of a month, which changes the amounts of all categories. */
export const isOfMonth = ({ asOf }: Pick<CachedBudget, 'asOf'>, now: Moment) =>
  dateOf(asOf.wall).slice(0, 7) === dateOf(now.wall).slice(0, 7);

export interface CacheStatus {
  readonly cached: readonly {
    readonly budget_id: string;
    readonly as_of: number;
    readonly bytes: number;
    readonly server_knowledge: number;
  }[];
  /** The requests for changes, and those for a whole budget. */
  readonly syncs: number;
  readonly loads: number;
  readonly bytes: number;
  /** Budgets that are too large for the cache. Reads of them are sent to the service. */
  readonly too_large: readonly string[];
  /** Budgets whose load failed recently. It is tried again after `RETRY_LOAD_AFTER_MS`. */
  readonly failing: readonly string[];
}

/** After a failed load, reads of the budget are sent to the service for this time. */
const RETRY_LOAD_AFTER_MS = 60_000;

export class CacheEntries {
  syncs = 0;
  loads = 0;
  readonly #clock: Clock;
  readonly #marks: Watermarks;
  readonly #maxBytes: number;
  readonly #cache: LRUCache<string, CacheEntry>;
  readonly #tooLarge = new Set<string>();
  /** The last load of each budget, if it failed. `at` is by the monotonic clock. */
  readonly #failures = new Map<string, { readonly at: number; readonly error: unknown }>();
  /** Replicas that a failed delta left half updated. They must not be used again. */
  readonly #unusable = new WeakSet<BudgetReplica>();

  constructor(clock: Clock, marks: Watermarks, maxBytes: number) {
    this.#clock = clock;
    this.#marks = marks;
    this.#maxBytes = maxBytes;
    // `fetch` of LRUCache is not used: it would abort a load when its budget is evicted, and it does not consider
    // writes.
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ replica }) => cacheSizeOf(replica) });
  }

  get(budgetId: string): CacheEntry | undefined {
    const entry = this.#cache.get(budgetId);
    return entry && !this.#unusable.has(entry.replica) ? entry : undefined;
  }

  /** The cached budget at any age, and whether the service was read since the last write that is known. */
  peek(budgetId: string): (CachedBudget & { readonly isReadSinceWrite: boolean }) | undefined {
    const entry = this.get(budgetId);
    if (!entry) return undefined;
    const { writes } = this.#marks.mark(budgetId);
    return { ...cachedBudgetOf(entry, writes), isReadSinceWrite: entry.writesAtCheck === writes };
  }

  set(budgetId: string, entry: CacheEntry): void {
    this.#failures.delete(budgetId);
    // If the entry is too large, the cache drops it together with the earlier one.
    this.#cache.set(budgetId, entry);
    if (cacheSizeOf(entry.replica) > this.#maxBytes) this.#tooLarge.add(budgetId);
    else this.#tooLarge.delete(budgetId);
  }

  delete(budgetId: string): void {
    this.#cache.delete(budgetId);
  }

  /** Requests in progress store their budgets afterwards. */
  clear(): void {
    this.#cache.clear();
  }

  spoil(replica: BudgetReplica): void {
    this.#unusable.add(replica);
  }

  loadFailed(budgetId: string, error: unknown): void {
    this.#failures.set(budgetId, { at: this.#clock.monotonic(), error });
  }

  /** Undefined if the budget can be cached. It cannot if it is too large or has just failed to load. */
  whyNotCached(budgetId: string): BudgetError | undefined {
    if (this.#tooLarge.has(budgetId))
      return new BudgetError(
        'budget_not_cached',
        'The whole budget is needed, and is too large for the cache. The user can start the server with a larger --cache-mb.',
      );
    const error = this.#recentFailure(budgetId)?.error;
    if (error === undefined || error instanceof BudgetError) return error;
    return new BudgetError('budget_not_cached', 'The whole budget is needed, and could not be loaded.');
  }

  get budgetIds(): readonly string[] {
    return [...this.#cache.keys()];
  }

  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  status(): CacheStatus {
    const entries = [...this.#cache.entries()].filter(([, { replica }]) => !this.#unusable.has(replica));
    const cached = entries.map(([budget_id, { replica, asOf }]) => ({
      budget_id,
      as_of: asOf.wall,
      bytes: replica.bytes,
      server_knowledge: replica.knowledge,
    }));
    const failing = [...this.#failures.keys()].filter((budgetId) => this.#recentFailure(budgetId));
    const { syncs, loads, bytes } = this;
    return { cached, syncs, loads, bytes, too_large: [...this.#tooLarge], failing };
  }

  #recentFailure(budgetId: string) {
    const failure = this.#failures.get(budgetId);
    return failure && this.#clock.monotonic() - failure.at < RETRY_LOAD_AFTER_MS ? failure : undefined;
  }
}

const cacheSizeOf = (replica: BudgetReplica) => Math.max(Math.ceil(replica.bytes), 1);
