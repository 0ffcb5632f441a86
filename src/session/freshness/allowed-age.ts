/**
 * How old may an answer be? A pure function of the quota, based on the rolling hour of the service
 * (docs/interface.md, Limits).
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

const HOUR_MS = 3_600_000;

/** Calls of one burst arrive within this time. The next question of a person comes later. Younger data is always fresh. */
export const BURST_MS = 5_000;

/** The part of the whole quota that is kept as a reserve. */
const RESERVE = 0.1;

const AMPLE = 1.25;
const TIGHT = 1.5;
const SLOWEST = 2;

/** Times are milliseconds since the epoch. */
export interface Quota {
  readonly now: number;
  /** The number of requests that may be spent on reads now. */
  readonly leftForReads: number;
  /**
   * When spent requests return to the quota: ascending, within an hour. Requests of other processes are expected to
   * be spent by them again.
   */
  readonly returnsAt: readonly number[];
}

/** The age in milliseconds up to which an answer needs no sync. `Infinity` when no requests are left. */
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
