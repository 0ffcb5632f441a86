/**
 * How many requests are left in the rate ledger, for all and for each asker (docs/interface.md, Limits).
 *
 * If only doubtful requests prevent a request, one request per minute is allowed as a probe. Its response corrects the
 * count: the service may not have counted those requests, or a 429 may come from a proxy.
 *
 * No asker can use all requests. An asker is a process, or one of several callers in a process. It is active for an hour
 * after it last asked, or always if its process expects it. Half of the limit is divided evenly among the active askers:
 * this is the guaranteed share of each. The other half is used in the order of the requests. The rules:
 *
 *   - A read is refused if its asker has used its share, and the remaining requests are all needed for the unused shares
 *     of the other active askers.
 *   - Nothing is refused for this reason if there is only one active asker.
 *   - A write is never refused for this reason, but it counts.
 *   - A request that failed, or got a 429 or a 5xx, does not count, because the service may not have counted it.
 *   - While the next read is a probe, no asker is refused for this reason: the probe finds out how many requests are left.
 *
 * So an asker that is active before another one sends too many requests gets its share in every hour. An asker that
 * becomes active later gets the first requests that become free.
 */
import type { Moment } from '../platform/clock.ts';
import {
  type Asker,
  HOUR_MS,
  isAsker,
  type OpenRequest,
  PROBE_MS,
  placesOf,
  type RateLedger,
} from './rate-ledger.ts';

export type Spending = 'read' | 'write';

/** Times are milliseconds since the epoch by the current wall clock, and never in the past. */
export interface RateStatus {
  /** How many requests are sent in an hour at most. */
  readonly limit: number;
  /** Requests per hour, from the last response that had the limit. It may be higher than `limit`. */
  readonly serviceLimit: number;
  readonly used: number;
  readonly left: number;
  /** For the asker, like `nextReadAt`. */
  readonly leftForReads: number;
  /** When the next read may be sent, possibly as a probe. */
  readonly nextReadAt: number;
  /** Whether the next read is allowed only as a probe. */
  readonly isNextReadProbe: boolean;
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
  readonly isProbe: boolean;
}

export type Taking = { readonly ledger: RateLedger } & (
  | { readonly request: OpenRequest; readonly refusal?: never }
  | { readonly request?: never; readonly refusal: Refusal }
);

/** Who asks now. */
export interface Asking {
  /** Undefined for a request that no share includes. */
  readonly asker: Asker | undefined;
  /** Those that have a share even if they have not asked. The asker may be among them. */
  readonly expected?: readonly Asker[];
}

interface Share {
  /** The number of requests that the asker is guaranteed. */
  readonly size: number;
  readonly taken: number;
  /** The number of requests that the other active askers have not used of their shares. */
  readonly reservedForOthers: number;
  /** When the asker will have used less than its share again. */
  readonly freeAt: number;
}

/** Takes a request, if it is allowed. Also a refused request makes its asker active. */
export function take(
  earlier: RateLedger,
  { kind, id, reserve, asking }: { kind: Spending; id: string; reserve: number; asking: Asking },
): Taking {
  const { asker } = asking;
  const { ledger, number } = withActive(earlier, asker);
  const { time } = ledger;
  const places = placesFor(ledger, kind, reserve);
  const { used, freeAt, nextAt } = usageOf(ledger);
  const share = kind === 'read' ? shareOf(ledger, asking) : undefined;
  const isNextProbe = nextAt(places) < freeAt(places);
  if (share && !isNextProbe && share.taken >= share.size && leftFor(share, places - used) === 0)
    return { ledger, refusal: { reason: 'shared', waitMs: share.freeAt - time, isProbe: false } };
  const isProbe = used >= places;
  if (isProbe && nextAt(places) > time)
    return {
      ledger,
      refusal: {
        reason: used < placesOf(ledger) ? 'reserved' : 'used',
        waitMs: nextAt(places) - time,
        isProbe: isNextProbe,
      },
    };
  const request = {
    id,
    takenAt: time,
    ...(number !== undefined && { asker: number }),
    ...(isProbe && { isProbe }),
  };
  const nextProbeAt = isProbe ? time + PROBE_MS : ledger.nextProbeAt;
  return { ledger: { ...ledger, open: [...ledger.open, request], nextProbeAt }, request };
}

export function statusOf(
  ledger: RateLedger,
  now: Moment,
  { asking, reserve }: { asking: Asking; reserve: number },
): RateStatus {
  const toWall = (at: number) => Math.ceil(at - ledger.time + now.wall);
  const { used, ownReturns, allBackAt, freeAt, nextAt } = usageOf(ledger);
  const [forReads, forWrites] = [placesFor(ledger, 'read', reserve), placesFor(ledger, 'write', reserve)];
  const share = shareOf(ledger, asking);
  const leftForReads = leftFor(share, forReads - used);
  const nextReadAt = nextAt(forReads);
  const isNextReadProbe = nextReadAt < freeAt(forReads);
  const waitsForShare = share && leftForReads === 0 && !isNextReadProbe;
  return {
    limit: placesOf(ledger),
    serviceLimit: ledger.limit,
    used,
    left: Math.max(forWrites - used, 0),
    leftForReads,
    nextReadAt: toWall(waitsForShare ? Math.max(nextReadAt, share.freeAt) : nextReadAt),
    isNextReadProbe,
    nextWriteAt: toWall(nextAt(forWrites)),
    allBackAt: toWall(allBackAt),
    returnsAt: ownReturns.map(toWall),
  };
}

/** The number of requests that may be used before a request of this kind is refused. */
export function placesFor(ledger: RateLedger, kind: Spending, reserve: number): number {
  const places = placesOf(ledger);
  return kind === 'write' ? places : places - Math.min(reserve, Math.floor(places / 2));
}

export function usageOf({ time, open, counted, presumed, nextProbeAt }: RateLedger) {
  const ownReturns = [
    ...counted.map(({ settledAt }) => settledAt + HOUR_MS).filter((at) => at > time),
    // At the earliest.
    ...open.map(() => time + HOUR_MS),
  ];
  const allReturns =
    presumed.length === 0
      ? ownReturns
      : [...ownReturns, ...presumed.map(({ at }) => at + HOUR_MS)].toSorted((a, b) => a - b);
  const used = allReturns.length;
  const doubtful = presumed.filter(({ isDoubtful }) => isDoubtful).length;
  /** When fewer than `places` requests are used. */
  const freeAt = (places: number) => allReturns[used - places] ?? time;
  /** When a request may be sent that needs this, possibly as a probe. */
  const nextAt = (places: number) =>
    used - doubtful < places ? Math.min(freeAt(places), Math.max(nextProbeAt, time)) : freeAt(places);
  return { used, ownReturns, allBackAt: allReturns.at(-1) ?? time, freeAt, nextAt };
}

/** Undefined if the other askers need nothing. */
function shareOf(ledger: RateLedger, { asker, expected = [] }: Asking): Share | undefined {
  const { time, askers } = ledger;
  if (!asker) return undefined;
  const silent = expected.filter((each) => !askers.some((active) => isAsker(active, each)));
  const active = [...askers, ...silent.map((each) => ({ ...each, number: undefined }))];
  const others = active.filter((each) => !isAsker(each, asker));
  if (others.length === 0) return undefined;
  const takenAt = takenByAsker(ledger);
  const takenBy = (number: number | undefined) => (number === undefined ? [] : (takenAt.get(number) ?? []));
  const size = Math.max(Math.floor(placesOf(ledger) / 2 / (others.length + 1)), 1);
  const unused = others.map(({ number }) => Math.max(size - takenBy(number).length, 0));
  const reservedForOthers = unused.reduce((sum, each) => sum + each, 0);
  if (reservedForOthers === 0) return undefined;
  const own = takenBy(askers.find((each) => isAsker(each, asker))?.number).toSorted((a, b) => a - b);
  return {
    size,
    taken: own.length,
    reservedForOthers,
    freeAt: (own.at(-size) ?? time - HOUR_MS) + HOUR_MS,
  };
}

/** The times of the requests in the last hour, for the number of each asker. */
function takenByAsker({ time, open, counted, presumed }: RateLedger): Map<number, number[]> {
  const times = new Map<number, number[]>();
  const add = (asker: number | undefined, at: number) => {
    if (asker === undefined || at + HOUR_MS <= time) return;
    const earlier = times.get(asker);
    if (earlier) earlier.push(at);
    else times.set(asker, [at]);
  };
  for (const { asker, takenAt } of counted) add(asker, takenAt);
  for (const { asker, takenAt } of open) add(asker, takenAt);
  for (const { asker, at } of presumed) add(asker, at);
  return times;
}

/** How many of the reads that are left an asker may send. */
function leftFor(share: Share | undefined, left: number): number {
  if (!share) return Math.max(left, 0);
  const { size, taken, reservedForOthers } = share;
  return Math.max(left - reservedForOthers, Math.min(size - taken, left), 0);
}

function withActive(ledger: RateLedger, asker: Asker | undefined): { ledger: RateLedger; number?: number } {
  if (!asker) return { ledger };
  const { time, askers, lastAsker } = ledger;
  const known = askers.find((each) => isAsker(each, asker));
  const number = known?.number ?? lastAsker + 1;
  const others = askers.filter((each) => each !== known);
  const active = [...others, { ...asker, number, askedAt: time }];
  return { ledger: { ...ledger, askers: active, lastAsker: Math.max(lastAsker, number) }, number };
}
