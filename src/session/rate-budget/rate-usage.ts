/**
 * How many requests are left in the rate ledger, for all and for each asker (docs/interface.md, Limits).
 *
 * No asker can use all requests. An asker is a process, or one of several callers in a process. It is active for an hour
 * after it last asked, or always if its process expects it. Half of the limit is divided evenly among the active askers:
 * this is the guaranteed share of each. The other half is used in the order of the requests. The rules:
 *
 *   - A read is refused if its asker has used its share, and the remaining requests are all needed for the unused shares
 *     of the other active askers.
 *   - Nothing is refused for this reason if there is only one active asker.
 *   - A write is never refused for this reason, but it counts.
 *   - When a request is tried after a 429, no asker is refused for this reason: the request finds out how many are left.
 *
 * So an asker that is active before another one sends too many requests gets its share in every hour. An asker that
 * becomes active later gets the first requests that become free.
 */
import type { Moment } from '../../base/clock.ts';
import { type Asker, HOUR_MS, type OpenRequest, type RateLedger, withOpen } from './rate-ledger.ts';

export type Spending = 'read' | 'write';

/** Times are milliseconds since the epoch by the current wall clock, and never in the past. */
export interface RateStatus {
  /** Requests per hour, from the last response that had the limit. */
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  /** For the asker, like `nextReadAt`. */
  readonly leftForReads: number;
  /** When the next read may be sent or tried. */
  readonly nextReadAt: number;
  readonly nextWriteAt: number;
  readonly allBackAt: number;
  /** When the place of each request of the processes that share the ledger becomes free, ascending. */
  readonly returnsAt: readonly number[];
}

export interface Refusal {
  /** All requests are used, the rest is reserved for writes, or the rest is reserved for other askers. */
  readonly reason: 'used' | 'reserved' | 'shared';
  readonly waitMs: number;
  /** Whether it is unknown if a request is free then, so that one is tried. */
  readonly isTried: boolean;
}

export interface Asking {
  /** Undefined for a request that no share includes. */
  readonly asker: Asker | undefined;
  /** Those that have a share even if they have not asked. The asker may be among them. */
  readonly expected?: readonly Asker[] | undefined;
  /** How many requests are reserved for writes, at most half of the limit. */
  readonly reserve: number;
}

/** Takes a request, or says why it is not allowed. Also a refused request makes its asker active. */
export function take(
  earlier: RateLedger,
  { kind, id, ...asking }: Asking & { readonly kind: Spending; readonly id: string },
): { readonly ledger: RateLedger; readonly taken: OpenRequest | Refusal } {
  const ledger = withActive(earlier, asking.asker);
  const { time } = ledger;
  const { at, reason, isTried } = nextOf(ledger, kind, asking);
  if (at > time) return { ledger, taken: { reason, waitMs: at - time, isTried } };
  const request = { id, takenAt: time, asker: numberOf(ledger, asking.asker) };
  return { ledger: withOpen(ledger, request, isTried), taken: request };
}

/** `now` is the moment for which `ledger` is. */
export function statusOf(ledger: RateLedger, now: Moment, asking: Asking): RateStatus {
  const toWall = (at: number) => Math.ceil(at - ledger.time + now.wall);
  const { own, all } = returnsOf(ledger);
  const [read, write] = [nextOf(ledger, 'read', asking), nextOf(ledger, 'write', asking)];
  return {
    limit: ledger.limit,
    used: all.length,
    left: write.left,
    leftForReads: read.left,
    nextReadAt: toWall(read.at),
    nextWriteAt: toWall(write.at),
    allBackAt: toWall(all.at(-1) ?? ledger.time),
    returnsAt: own.toSorted((a, b) => a - b).map(toWall),
  };
}

interface Next extends Omit<Refusal, 'waitMs'> {
  readonly left: number;
  readonly at: number;
}

/** How many requests of this kind the asker may send, when it may send the next one, and why not earlier. */
function nextOf(ledger: RateLedger, kind: Spending, asking: Asking): Next {
  const { time, retryAt, limit: all } = ledger;
  const places = kind === 'read' ? all - Math.min(asking.reserve, Math.floor(all / 2)) : all;
  const { own, all: returns } = returnsOf(ledger);
  const used = returns.length;
  const freeAt = returns[used - places] ?? time;
  const canTry = retryAt !== undefined && own.length < places;
  const at = canTry ? Math.min(freeAt, Math.max(retryAt, time)) : freeAt;
  const isTried = at < freeAt;
  const share = kind === 'read' ? shareOf(ledger, asking, places - used) : undefined;
  const left = share?.left ?? Math.max(places - used, 0);
  if (share && share.freeAt > time && left === 0 && !isTried)
    return { left, at: Math.max(at, share.freeAt), isTried, reason: 'shared' };
  return { left, at, isTried, reason: used < all ? 'reserved' : 'used' };
}

/** When the places of the requests of these processes become free, and, ascending, those of all requests. */
function returnsOf({ time, open, counted, others }: RateLedger) {
  const own = [
    ...counted.map(({ settledAt }) => settledAt + HOUR_MS).filter((at) => at > time),
    // At the earliest.
    ...open.map(() => time + HOUR_MS),
  ];
  return { own, all: [...own, ...others.map((at) => at + HOUR_MS)].toSorted((a, b) => a - b) };
}

/** How many of the `free` requests the asker may send, and when its share returns. Undefined if others need nothing. */
function shareOf(ledger: RateLedger, { asker, expected = [] }: Asking, free: number) {
  const { time, askers, open, counted } = ledger;
  if (!asker) return undefined;
  const silent = expected.filter((each) => numberOf(ledger, each) === undefined);
  const others = [...askers, ...silent].filter((each) => !isAsker(each, asker));
  const requests = [...counted, ...open].filter(({ takenAt }) => takenAt + HOUR_MS > time);
  const takenBy = (each: Asker) => {
    const number = numberOf(ledger, each);
    return requests.filter((request) => number !== undefined && request.asker === number);
  };
  const size = Math.max(Math.floor(ledger.limit / 2 / (others.length + 1)), 1);
  // What they have not used of their shares.
  const unused = others.map((each) => Math.max(size - takenBy(each).length, 0));
  const reservedForOthers = unused.reduce((sum, each) => sum + each, 0);
  if (reservedForOthers === 0) return undefined;
  const own = takenBy(asker)
    .map(({ takenAt }) => takenAt)
    .toSorted((a, b) => a - b);
  return {
    left: Math.max(free - reservedForOthers, Math.min(size - own.length, free), 0),
    freeAt: (own.at(-size) ?? time - HOUR_MS) + HOUR_MS,
  };
}

const isAsker = (asker: Asker, { processId, caller }: Asker): boolean =>
  asker.processId === processId && asker.caller === caller;

const numberOf = ({ askers }: RateLedger, asker: Asker | undefined): number | undefined =>
  asker && askers.find((each) => isAsker(each, asker))?.number;

function withActive(ledger: RateLedger, asker: Asker | undefined): RateLedger {
  if (!asker) return ledger;
  const { time, askers, lastAsker } = ledger;
  const number = numberOf(ledger, asker) ?? lastAsker + 1;
  const others = askers.filter((each) => !isAsker(each, asker));
  return {
    ...ledger,
    askers: [...others, { ...asker, number, askedAt: time }],
    lastAsker: Math.max(lastAsker, number),
  };
}
