/**
 * The requests of the last hour, as the processes of one sign-in know them, as plain data (docs/interface.md, Limits).
 * Each change is a pure function, so that a store can make it one step for all processes.
 *
 * A request is `open` from when it is taken until it has ended, and `counted` until an hour after its response: the service
 * counted it at some moment in between. One whose response was lost, or whose process was killed, is taken to be counted.
 *
 * A response has the count of the service. If the requests of the ledger do not explain it, programs that do not share the ledger
 * have sent `others`. If it is lower, some of the requests were not counted, and the oldest are removed. A response in progress may
 * or may not count a request that overlaps it, so the count only corrects what lies outside this range.
 *
 * A 429 shows that the hour is used up, for a time that is not known: one request a minute is tried, until a response has a count.
 *
 * The ledger has its own time. From one change to the next it advances by the smaller one of the times that the monotonic clock
 * and the wall clock show, and never goes back: no place becomes free early after the wall clock was set. If the monotonic clock
 * is lower than at the last change, the machine was restarted, and the wall clock counts.
 */
import { z } from 'zod';
import type { Moment } from '../../base/clock.ts';
import { storedMoment } from '../../base/schema/stored-moment.ts';
import { type HttpResponse, REQUEST_TIMEOUT_MS } from '../http/http-sender.ts';

export const HOUR_MS = 3_600_000;
const RETRY_MS = 60_000;
/** Longer than any request takes from being taken until it is settled. */
const LONGEST_REQUEST_MS = 1.5 * REQUEST_TIMEOUT_MS;

/** Of a larger limit only the last places are used, because the ledger has an entry for every request. */
const MAX_LIMIT = 1_000;

/** A process, or one of several callers in it, that asks for requests. */
const asker = z.object({
  number: z.number(),
  processId: z.string(),
  caller: z.string().optional(),
  askedAt: z.number(),
});

const openRequest = z.object({
  /** Unique among all processes. */
  id: z.string(),
  /** The number of the asker. Missing for requests without one, which no share includes. */
  asker: z.number().optional(),
  takenAt: z.number(),
});

export const rateLedger = z.object({
  time: z.number(),
  /** The last change. Missing before the first one. */
  updatedAt: storedMoment.optional(),
  /** Requests per hour, by the service. */
  limit: z.number(),
  /** The active ones: those that asked in the last hour. In the order of `askedAt`. */
  askers: z.array(asker),
  lastAsker: z.number(),
  /** In the order of `takenAt`. */
  open: z.array(openRequest),
  /** In the order in which they were settled. `settledAt` is when the response came. */
  counted: z.array(openRequest.omit({ id: true }).extend({ settledAt: z.number() })),
  /** When other programs have probably sent requests with the token, ascending. */
  others: z.array(z.number()).default([]),
  /** When the request was taken whose response had the last count. */
  countAt: z.number().default(-HOUR_MS),
  /** After a 429, until a response has a count: when a request may be tried. */
  retryAt: z.number().optional(),
});

export type RateLedger = z.output<typeof rateLedger>;
export type Asker = Pick<z.output<typeof asker>, 'processId' | 'caller'>;
export type OpenRequest = z.output<typeof openRequest>;

/** How a request ended: with a response of any status, or without one. */
export type RequestEnd = Pick<HttpResponse, 'status' | 'headers'> | 'lost' | 'not_sent';

export interface EndedRequest {
  readonly request: OpenRequest;
  readonly end: RequestEnd;
  /** When it has ended, by the time of the ledger. By default just now. */
  readonly at?: number;
}

export const emptyLedger = (limit: number): RateLedger => ({
  time: 0,
  limit,
  askers: [],
  lastAsker: 0,
  open: [],
  counted: [],
  others: [],
  countAt: -HOUR_MS,
});

/** The ledger at this moment, without what does not count any more. */
export function ledgerAt(ledger: RateLedger, now: Moment): RateLedger {
  const { updatedAt = now } = ledger;
  const byWall = now.wall - updatedAt.wall;
  const byMonotonic = now.monotonic - updatedAt.monotonic;
  const time = ledger.time + Math.max(byMonotonic < 0 ? byWall : Math.min(byMonotonic, byWall), 0);
  return withoutPast({ ...ledger, time, updatedAt: now });
}

export const withOpen = (ledger: RateLedger, request: OpenRequest, isTried: boolean): RateLedger => ({
  ...ledger,
  open: [...ledger.open, request],
  ...(isTried && { retryAt: ledger.time + RETRY_MS }),
});

/** Also for a request that is not in the ledger any more, because it seemed to be over. */
export function withEnd(ledger: RateLedger, { request, end, at = ledger.time }: EndedRequest): RateLedger {
  const others = { ...ledger, open: ledger.open.filter(({ id }) => id !== request.id) };
  if (end === 'not_sent') return others;
  const { takenAt, asker } = request;
  const counted = [...ledger.counted, { takenAt, asker, settledAt: at }];
  if (end === 'lost') return { ...others, counted };
  const rateLimit = rateLimitOf(end.headers);
  if (end.status === 429) {
    const full = withOthers(others, unexplained(others, request, rateLimit?.limit ?? others.limit));
    return { ...full, retryAt: ledger.time + RETRY_MS };
  }
  // A proxy answers so for a service that it cannot reach.
  if (!rateLimit && end.status >= 500) return others;
  return rateLimit
    ? corrected({ ...others, counted, limit: rateLimit.limit }, request, rateLimit)
    : { ...others, counted };
}

const withOthers = (ledger: RateLedger, times: readonly number[]): RateLedger => ({
  ...ledger,
  others: [...ledger.others, ...times].toSorted((a, b) => a - b),
});

/** The ledger with the count in the response to a request that it has as counted. */
function corrected(ledger: RateLedger, request: OpenRequest, { count, ofService }: ServiceCount): RateLedger {
  const { time, countAt } = ledger;
  const added = withOthers(ledger, unexplained(ledger, request, count));
  // A later request had its response before.
  if (request.takenAt < countAt) return added;
  const sure = ledger.counted.filter(
    ({ takenAt, settledAt }) => settledAt < request.takenAt && takenAt + HOUR_MS > time,
  );
  // Beside this request and the sure ones there is room for so many others.
  const room = count - sure.length - 1;
  // Which ones were not counted is not known. If the oldest are removed, no place becomes free too early.
  const uncounted = new Set(sure.slice(0, Math.max(sure.length + 1 - ofService, 0)));
  return {
    ...added,
    others: added.others.slice(Math.max(added.others.length - Math.max(room, 0), 0)),
    counted: ledger.counted.filter((each) => !uncounted.has(each)),
    countAt: request.takenAt,
    retryAt: undefined,
  };
}

/**
 * The times of the requests that the service has counted although none of the ledger explains them, before the response to
 * `request`. The times are unknown, so they are spread evenly since the last count, or over the whole hour.
 */
function unexplained(ledger: RateLedger, request: OpenRequest, count: number): number[] {
  const { time, open, counted, others, countAt } = ledger;
  const possible = counted.filter(({ settledAt }) => settledAt + HOUR_MS > request.takenAt).length;
  const missing = Math.max(count - possible - open.length - others.length, 0);
  const since = Math.max(countAt, time - HOUR_MS);
  return Array.from({ length: missing }, (_, i) => Math.round(since + ((time - since) * (i + 1)) / missing));
}

/** A request that is open for longer than any can be is one of a process that was killed or suspended. */
function withoutPast(ledger: RateLedger): RateLedger {
  const { time, askers, others } = ledger;
  const isOver = ({ takenAt }: OpenRequest) => takenAt + LONGEST_REQUEST_MS <= time;
  const open = ledger.open.filter((request) => !isOver(request));
  const ended = ledger.open
    .filter(isOver)
    .map(({ takenAt, asker }) => ({ takenAt, asker, settledAt: takenAt + LONGEST_REQUEST_MS }));
  // A response in progress may still count a request whose place is free.
  const since = open[0]?.takenAt ?? time;
  return {
    ...ledger,
    open,
    askers: askers.filter(({ askedAt }) => askedAt + HOUR_MS > time),
    counted: [...ledger.counted, ...ended].filter(({ settledAt }) => settledAt + HOUR_MS > since),
    others: others.filter((at) => at + HOUR_MS > time),
  };
}

interface ServiceCount {
  /** Without the requests for which a larger limit has room beside that of the ledger. */
  readonly count: number;
  /** As the service has it. */
  readonly ofService: number;
  readonly limit: number;
}

/** Parses `X-Rate-Limit: 12/200` (docs/interface.md, Limits), with at most `MAX_LIMIT` places. Undefined if it is missing or invalid. */
export function rateLimitOf(headers: HttpResponse['headers']): ServiceCount | undefined {
  const match = /^(\d{1,15})\/([1-9]\d{0,14})$/.exec(String(headers['x-rate-limit']));
  if (!match) return undefined;
  const [count, limit] = [Number(match[1]), Number(match[2])];
  const unused = Math.max(limit - MAX_LIMIT, 0);
  const counted = Math.min(Math.max(count - unused, 0), MAX_LIMIT);
  return { count: counted, ofService: count, limit: limit - unused };
}
