/** A budget in the cache, with its age and the writes that it contains. Pure functions. */
import { dateOf, type Moment } from '../../base/clock.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { LAG_MS, type Mark } from './watermarks.ts';

/** A budget as it was at `asOf` or later. */
export interface CachedBudget {
  readonly replica: BudgetReplica;
  readonly asOf: Moment;
  /** When the service was last read. */
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
export function cachedBudgetOf(
  { writes: contained, writesAtCheck: _, ...cached }: CacheEntry,
  writes: number,
): CachedBudget {
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

/**
 * Whether the entry is of the current month. A delta does not report the end of a month, which changes the amounts
 * of all categories.
 */
export const isOfMonth = ({ asOf }: Pick<CachedBudget, 'asOf'>, now: Moment) =>
  dateOf(asOf.wall).slice(0, 7) === dateOf(now.wall).slice(0, 7);
