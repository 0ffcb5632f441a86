/**
 * What the end of a request shows about the count of the service (docs/interface.md, Limits).
 *
 * Every response corrects the presumed requests, but only as far as it contradicts them: the count in a response must be
 * between the number of requests that the service had surely counted and the number that it may have counted while the
 * request was in progress.
 *
 *   - If even all possible requests do not explain the count, more requests are presumed. Their times are unknown, so they
 *     are spread evenly since the last known count, or over the whole hour.
 *   - If even the sure requests leave no room for the presumed ones, the oldest of those are removed.
 *   - `X-Rate-Limit` gives the count. A 429 means that the limit is reached, and a success that it was not reached before
 *     this request. Other responses say nothing about it.
 *
 * A request is settled by its process, once. A request that was not in the ledger any more, because it seemed to be over, is
 * settled like any other one.
 */
import type { HttpResponse } from './http-sender.ts';
import {
  HOUR_MS,
  LONGEST_REQUEST_MS,
  MAX_PLACES,
  type OpenRequest,
  PROBE_MS,
  type PresumedRequest,
  placesOf,
  type RateLedger,
  withPresumed,
} from './rate-ledger.ts';

/** The share of the doubtful requests that is removed when a probe succeeds without a count. */
const DOUBTFUL_SHARE_REMOVED = 0.1;

/** What a response shows of the service's count when it counted the request. */
interface Count {
  readonly atLeast: number;
  readonly atMost: number;
}

/** How a request ended: with a response of any status, or without one. */
export type RequestEnd = Pick<HttpResponse, 'status' | 'headers'> | 'lost' | 'not_sent';

/**
 * The ledger after the end of a request. If the ledger could not be changed for a while, the request ended `agoMs` ago, and
 * its response says nothing about the count of now.
 */
export function withEnd(
  ledger: RateLedger,
  request: OpenRequest,
  end: RequestEnd,
  agoMs: number,
): RateLedger {
  const others = notSent(ledger, request.id);
  if (end === 'not_sent' || agoMs >= HOUR_MS) return others;
  if (agoMs < LONGEST_REQUEST_MS)
    return end === 'lost' ? withDoubtful(others) : answered(ledger, request, end);
  const at = ledger.time - agoMs;
  const isDoubtful = end === 'lost' || end.status < 200 || end.status >= 300;
  return withPresumed(others, [{ at, presumedAt: at, isDoubtful }]);
}

/** The ledger with a request that was sent. It may not be there, if it was taken while the ledger could not be changed. */
export function withOpen(ledger: RateLedger, request: OpenRequest): RateLedger {
  const isOver = request.takenAt + LONGEST_REQUEST_MS <= ledger.time;
  if (isOver || ledger.open.some(({ id }) => id === request.id)) return ledger;
  return { ...ledger, open: [...ledger.open, request].toSorted((a, b) => a.takenAt - b.takenAt) };
}

/** There is a response, with any status. */
function answered(
  ledger: RateLedger,
  request: OpenRequest,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
): RateLedger {
  const rateLimit = rateLimitOf(headers);
  const others = notSent(rateLimit ? { ...ledger, limit: rateLimit.limit } : ledger, request.id);
  if (status === 429) {
    const refusedProbes = others.refusedProbes + (request.isProbe ? 1 : 0);
    return corrected({ ...others, refusedProbes }, request, {
      atLeast: placesOf(others),
      atMost: Number.POSITIVE_INFINITY,
    });
  }
  const asker = status < 500 ? request.asker : undefined;
  if (rateLimit) {
    const count = countOf(rateLimit);
    const settled = { ...withCounted(others, request, asker), refusedProbes: 0 };
    return corrected(settled, request, { atLeast: count, atMost: count });
  }
  if (status < 200 || status >= 300) return withDoubtful(others, asker);
  const settled = withAtMost(withCounted(others, request, asker), request, placesOf(others));
  return request.isProbe ? withFewerDoubtful(settled) : settled;
}

/** The service cannot have received the request. */
export const notSent = (ledger: RateLedger, id: string): RateLedger => ({
  ...ledger,
  open: ledger.open.filter((other) => other.id !== id),
});

function withCounted(ledger: RateLedger, { takenAt }: OpenRequest, asker: number | undefined): RateLedger {
  const request = { takenAt, settledAt: ledger.time, ...(asker !== undefined && { asker }) };
  return { ...ledger, counted: [...ledger.counted, request] };
}

/** A request that has ended now, of which it is unknown whether the service counted it. */
function withDoubtful(ledger: RateLedger, asker?: number): RateLedger {
  const { time } = ledger;
  const request = { at: time, presumedAt: time, isDoubtful: true, ...(asker !== undefined && { asker }) };
  return { ...withPresumed(ledger, [request]), nextProbeAt: time + PROBE_MS };
}

/**
 * After a probe that succeeded without a count: the service answers again. If there are ten or more doubtful requests, such
 * as after an outage, a tenth of them is removed, because removing only those that the response contradicts would take
 * hours. This is a guess and may lead to a 429.
 */
function withFewerDoubtful(ledger: RateLedger): RateLedger {
  const doubtful = ledger.presumed.filter(({ isDoubtful }) => isDoubtful);
  const removed = new Set(doubtful.slice(0, Math.floor(doubtful.length * DOUBTFUL_SHARE_REMOVED)));
  return { ...ledger, presumed: ledger.presumed.filter((presumed) => !removed.has(presumed)) };
}

/** Requests presumed while this one was in progress may be newer than the count in its response. */
const isBefore =
  ({ takenAt }: OpenRequest) =>
  ({ presumedAt }: PresumedRequest): boolean =>
    presumedAt < takenAt;

/**
 * The service counted at most this many requests, including this one. The presumed requests for which there is no room
 * beside the sure ones were never counted, or do not count any more. Which ones is unknown, so the oldest are removed:
 * then no place becomes free too early.
 */
function withAtMost(ledger: RateLedger, request: OpenRequest, atMost: number): RateLedger {
  const { time, counted, presumed } = ledger;
  const isSure = ({ takenAt, settledAt }: (typeof counted)[number]) =>
    settledAt < request.takenAt && takenAt + HOUR_MS > time;
  const room = Math.max(atMost - counted.filter(isSure).length - 1, 0);
  const before = presumed.filter(isBefore(request));
  const removed = new Set(before.slice(0, Math.max(before.length - room, 0)));
  return { ...ledger, presumed: presumed.filter((each) => !removed.has(each)) };
}

/** Corrects the presumed requests by the count in the response to a request. */
function corrected(ledger: RateLedger, request: OpenRequest, { atLeast, atMost }: Count): RateLedger {
  const { time, open, counted } = ledger;
  const possible =
    counted.filter(({ settledAt }) => settledAt + HOUR_MS > request.takenAt).length + open.length;
  const isCounted = Number.isFinite(atMost);
  const isCertain = isBefore(request);
  const kept = withAtMost(ledger, request, atMost).presumed.map((each) =>
    isCounted && isCertain(each) ? { ...each, isDoubtful: false } : each,
  );

  const unexplained = Math.max(atLeast - possible - kept.length, 0);
  const since = Math.max(ledger.countKnownAt, time - HOUR_MS);
  const added = Array.from({ length: unexplained }, (_, i) => ({
    at: Math.round(since + ((time - since) * (i + 1)) / unexplained),
    presumedAt: time,
    isDoubtful: !isCounted,
  }));
  return {
    ...withPresumed({ ...ledger, presumed: kept }, added),
    countKnownAt: time,
    ...(!isCounted && { nextProbeAt: time + PROBE_MS * 2 ** Math.min(ledger.refusedProbes, 4) }),
  };
}

interface RateLimit {
  readonly count: number;
  readonly limit: number;
}

/** Of a limit above `MAX_PLACES` only the last places are used, so the requests before them count as none. */
const countOf = ({ count, limit }: RateLimit): number =>
  Math.min(Math.max(count - Math.max(limit - MAX_PLACES, 0), 0), MAX_PLACES);

/** Parses `X-Rate-Limit: 12/200` (docs/interface.md, Limits). Undefined if it is missing or invalid. */
export function rateLimitOf(headers: HttpResponse['headers']): RateLimit | undefined {
  const match = /^(\d{1,15})\/([1-9]\d{0,14})$/.exec(String(headers['x-rate-limit']));
  return match ? { count: Number(match[1]), limit: Number(match[2]) } : undefined;
}
