/**
 * How old may an answer be? One pure function: numbers in, a number out. It knows the rolling hour of the service
 * (specification, Limits) and nothing of who asks, of requests or of replicas; it reads no clock.
 *
 * The law. The pace of a number of requests is the shortest interval at which one can be spent after the other for the
 * coming hour without ever finding none: what is there now and what comes back in the meantime are known. The best
 * pace is that of all that is ours, spread evenly over the hour (180: 20 s). A cushion is kept for what nobody
 * foresees: writes, other processes, lost answers. The pace of what is left beyond the cushion tells how far we have
 * spent ahead:
 *
 *   - Up to `AMPLE` times the best pace, the calls of a burst share a sync and a new turn syncs: `BURST_MS`.
 *   - From `TIGHT` times the best pace on, the age is that pace: the quota lasts, and the pace gets no worse.
 *   - In between, the age grows from the one to the other in proportion.
 *   - Where this would be more than `SLOWEST` times the pace of all that is left, it is that: a cushion is to be used.
 *   - With nothing left, any age is better than no answer.
 *
 * So the age never falls when less is left or when requests come back later; and however much is asked, with nobody
 * else spending it settles below `TIGHT` times the best pace.
 */

const HOUR_MS = 3_600_000;

/** The calls of a burst come within this time; a person's next question comes after it. */
const BURST_MS = 5_000;

/** Of all that is ours. */
const CUSHION = 0.1;

const AMPLE = 1.25;
const TIGHT = 1.5;
const SLOWEST = 2;

/** Times are milliseconds since the epoch. */
export interface Quota {
  readonly now: number;
  /** How many requests may be spent on reads now. */
  readonly leftForReads: number;
  /** When what we have spent comes back: ascending, within an hour. What others have spent, they are taken to spend again. */
  readonly returnsAt: readonly number[];
}

/** The age in milliseconds up to which an answer needs no sync; `Infinity` when nothing is left. */
export function allowedAge({ now, leftForReads: left, returnsAt }: Quota): number {
  if (left < 1) return Number.POSITIVE_INFINITY;
  const returnsIn = returnsAt.map((at) => at - now);
  const ours = left + returnsIn.length;
  const pace = paceOf(left - CUSHION * ours, returnsIn);
  const spentAhead = pace / (HOUR_MS / ours);
  const tightness = Math.min(Math.max((spentAhead - AMPLE) / (TIGHT - AMPLE), 0), 1);
  const age = Math.min(pace, SLOWEST * paceOf(left, returnsIn));
  return BURST_MS + tightness * Math.max(age - BURST_MS, 0);
}

/** Just before the return `i`, no more can have been spent than was left and the `i` returns before it. */
function paceOf(left: number, returnsIn: readonly number[]): number {
  if (left <= 0) return Number.POSITIVE_INFINITY;
  const best = HOUR_MS / (left + returnsIn.length);
  return returnsIn.reduce((pace, time, i) => Math.max(pace, time / (left + i)), best);
}
