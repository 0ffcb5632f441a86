/** Twenty-four hours of calls to a replica that is synced as the rate budget and the freshness allow. */

import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { allowedAge } from '../../src/session/freshness/freshness-policy.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../manual-clock.helper.ts';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

/** In [0, 1), the same sequence for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Times are milliseconds since the start of the day, ascending. */
export interface Pattern {
  /** The calls of each turn. */
  readonly turns: readonly (readonly number[])[];
  readonly writes?: readonly number[];
  /** Requests of another process with the same token. */
  readonly others?: readonly number[];
  readonly header?: boolean;
  /** The share of responses that are lost. */
  readonly lost?: number;
}

export interface Outcome {
  readonly calls: number;
  readonly syncs: number;
  /** Calls that found no request left for reads. */
  readonly withNothingLeft: number;
  readonly refusedWrites: number;
  /** The number of 429 responses. */
  readonly tooMany: number;
  /** The highest number of reads that the service accepted in any rolling hour. */
  readonly readsInAnHour: number;
  /** The share of turns whose first result is more than 5 s old. */
  readonly lateTurns: number;
  /** Ages in milliseconds at the time of the result. */
  readonly oldestFirst: number;
  readonly oldest: number;
  readonly median: number;
}

type Event =
  | { readonly at: number; readonly what: 'call'; readonly first: boolean }
  | { readonly at: number; readonly what: 'write' | 'other' };

/** The events of a day. There is only one sync at a time. A call during a sync waits for it. */
export async function simulate(pattern: Pattern): Promise<Outcome> {
  const { turns, writes = [], others = [], header = true, lost = 0 } = pattern;
  const clock = new ManualClock(0);
  const random = seeded(7);
  const rateLimit = new RateLimit(200, clock);
  const grant = { user: new Access(clock).addUser([]) };
  const rateBudget: RateBudget = new RateBudget({ clock });
  const moveTo = (at: number) => clock.advance(Math.max(at - clock.now(), 0));

  const admittedReads: number[] = [];
  const ages: number[] = [];
  let oldestFirst = 0;
  let lateTurns = 0;
  let asOf = Number.NEGATIVE_INFINITY;
  const counts = { syncs: 0, withNothingLeft: 0, refusedWrites: 0, tooMany: 0 };

  /** Sends one request. Returns whether there was a response, or undefined if the request was not allowed. */
  async function request(effect: 'read' | 'write'): Promise<boolean | undefined> {
    const attempt = await rateBudget.take(effect).catch(() => undefined);
    if (!attempt) return undefined;
    const oneWay = Math.round(40 + random() * 160);
    clock.advance(oneWay);
    const count = rateLimit.take(grant);
    if (count === undefined) counts.tooMany += 1;
    else if (effect === 'read') admittedReads.push(clock.now());
    clock.advance(oneWay);
    const answered = random() >= lost;
    const headers = header && count !== undefined ? { 'x-rate-limit': `${count}/200` } : {};
    if (answered) await attempt.answered({ status: count === undefined ? 429 : 200, headers });
    else await attempt.failed(new Error('The answer was lost.'));
    return answered && count !== undefined;
  }

  async function call(first: boolean): Promise<void> {
    const now = clock.now();
    const { leftForReads, returnsAt } = await rateBudget.status();
    if (leftForReads === 0) counts.withNothingLeft += 1;
    // A sync is tried even if no requests are left, because it may be allowed as a probe.
    const age = leftForReads > 0 ? allowedAge({ now, leftForReads, returnsAt }) : 5 * SECOND;
    if (now - asOf > age) {
      const isAnswered = await request('read');
      if (isAnswered !== undefined) counts.syncs += 1;
      if (isAnswered) asOf = now;
    }
    const answered = clock.now() - asOf;
    ages.push(answered);
    if (!first) return;
    if (answered > 5 * SECOND) lateTurns += 1;
    oldestFirst = Math.max(oldestFirst, answered);
  }

  const events: Event[] = [
    ...turns.flatMap((calls) => calls.map((at, i) => ({ at, what: 'call', first: i === 0 }) as const)),
    ...writes.map((at) => ({ at, what: 'write' }) as const),
    ...others.map((at) => ({ at, what: 'other' }) as const),
  ].toSorted((a, b) => a.at - b.at);
  for (const event of events) {
    moveTo(event.at);
    if (event.what === 'call') await call(event.first);
    else if (event.what === 'other') rateLimit.take(grant);
    else if ((await request('write')) === undefined) counts.refusedWrites += 1;
  }

  const sorted = ages.toSorted((a, b) => a - b);
  return {
    ...counts,
    calls: ages.length,
    readsInAnHour: mostInAnHour(admittedReads),
    lateTurns: lateTurns / turns.length,
    oldestFirst,
    oldest: sorted.at(-1) ?? 0,
    median: sorted[sorted.length >> 1] ?? 0,
  };
}

/** `times` must be ascending. */
export function mostInAnHour(times: readonly number[]): number {
  let start = 0;
  return times.reduce((most, time, end) => {
    while ((times[start] ?? time) <= time - HOUR) start += 1;
    return Math.max(most, end - start + 1);
  }, 0);
}
