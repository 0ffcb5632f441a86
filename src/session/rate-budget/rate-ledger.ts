/**
 * The requests of the last hour, as the processes of one sign-in know them, as plain data (docs/interface.md, Limits).
 * Each change is a pure function, so that a store can make it one step for all processes.
 *
 * A request is `open` from when it is taken until it has ended, and `counted` until an hour after its response: the service
 * counted it at some moment in between. It may count further ones, which are `doubtful`: those of programs that do not share the
 * ledger, those whose response was lost, and those that are open after `LONGEST_REQUEST_MS`, because their process was killed or
 * suspended.
 *
 * The count in a response corrects the doubtful requests, as far as it contradicts them: it must be between the number of
 * requests that the service had surely counted and the number that it may have counted while the request was in progress.
 * While requests are doubtful that no count includes, one request a minute is allowed as a probe, to get a count.
 *
 * The ledger has its own time. From one change to the next it advances by the smaller one of the times that the monotonic clock
 * and the wall clock show, and never goes back: no place becomes free early after the wall clock was set. If the monotonic clock
 * is lower than at the last change, the machine was restarted: surely only the time since its start has passed.
 */
import { z } from 'zod';
import type { Moment } from '../../base/clock.ts';
import { storedMoment } from '../../store/shared-store.ts';
import { type HttpResponse, REQUEST_TIMEOUT_MS } from '../http/http-sender.ts';

export const HOUR_MS = 3_600_000;
const PROBE_MS = 60_000;
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
  /** The doubtful times of these requests, ascending. */
  doubtful: z.array(z.number()),
  /** When requests were doubtful last. Only a request that was taken later has a count that may contradict them. */
  doubtfulAt: z.number(),
  /** Whether a count of the service includes all doubtful requests. If not, a probe may be sent from `probeAt` on. */
  isCountKnown: z.boolean(),
  countKnownAt: z.number(),
  /** A minute after the last probe and the last request that was lost. */
  probeAt: z.number(),
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
  doubtful: [],
  doubtfulAt: -HOUR_MS,
  isCountKnown: true,
  countKnownAt: -HOUR_MS,
  probeAt: 0,
});

/** For a token whose ledger was lost: the limit may be reached, until one probe has shown the count. */
export const unknownLedger = (limit: number): RateLedger => ({
  ...emptyLedger(limit),
  doubtful: Array<number>(limit).fill(0),
  isCountKnown: false,
});

/** The ledger at this moment, without what does not count any more. */
export function ledgerAt(ledger: RateLedger, now: Moment): RateLedger {
  const { updatedAt = now } = ledger;
  const isRestarted = now.monotonic < updatedAt.monotonic;
  const elapsed = isRestarted ? now.monotonic : now.monotonic - updatedAt.monotonic;
  const time = ledger.time + Math.max(Math.min(elapsed, now.wall - updatedAt.wall), 0);
  return withoutPast({ ...(isRestarted ? afterRestart(ledger, time) : ledger), time, updatedAt: now });
}

export function withOpen(ledger: RateLedger, request: OpenRequest, isProbe: boolean): RateLedger {
  const probeAt = isProbe ? ledger.time + PROBE_MS : ledger.probeAt;
  return { ...ledger, open: [...ledger.open, request], probeAt };
}

/** Also for a request that is not in the ledger any more, because it seemed to be over. */
export function withEnd(ledger: RateLedger, { request, end, at = ledger.time }: EndedRequest): RateLedger {
  const others = { ...ledger, open: ledger.open.filter(({ id }) => id !== request.id) };
  if (end === 'not_sent') return others;
  // A lost response is neither a success nor a 429.
  const { status, headers } = end === 'lost' ? { status: 0, headers: {} } : end;
  const rateLimit = rateLimitOf(headers);
  const { takenAt, asker } = request;
  const counted = [...ledger.counted, { takenAt, asker, settledAt: at }];
  if (rateLimit) return corrected({ ...others, limit: rateLimit.limit, counted }, request, rateLimit.count);
  if (status >= 200 && status < 300) return { ...others, counted };
  const times = status === 429 ? unexplained(others, request, others.limit) : [ledger.time];
  return { ...withDoubtful(others, times), isCountKnown: false, probeAt: ledger.time + PROBE_MS };
}

function withDoubtful(ledger: RateLedger, times: readonly number[]): RateLedger {
  if (times.length === 0) return ledger;
  const doubtful = [...ledger.doubtful, ...times].toSorted((a, b) => a - b);
  return { ...ledger, doubtful, doubtfulAt: ledger.time };
}

/** The ledger with the count in the response to a request that it has as counted. */
function corrected(ledger: RateLedger, request: OpenRequest, count: number): RateLedger {
  const { time, counted, doubtfulAt, isCountKnown } = ledger;
  const isNewer = request.takenAt > doubtfulAt;
  const sure = counted.filter(
    ({ takenAt, settledAt }) => settledAt < request.takenAt && takenAt + HOUR_MS > time,
  );
  // Beside the sure requests and this one there is room for so many others. Which ones were not counted is unknown, so the
  // oldest are removed: then no place becomes free too early.
  const room = Math.max(count - sure.length - 1, 0);
  const doubtful = isNewer
    ? ledger.doubtful.slice(Math.max(ledger.doubtful.length - room, 0))
    : ledger.doubtful;
  const kept = { ...ledger, doubtful, isCountKnown: isCountKnown || isNewer };
  return { ...withDoubtful(kept, unexplained(kept, request, count)), countKnownAt: time };
}

/**
 * The times of the requests that the service has counted although none of the ledger explains them, before the response to
 * `request`. The times are unknown, so they are spread evenly since the last known count, or over the whole hour.
 */
function unexplained(ledger: RateLedger, request: OpenRequest, count: number): number[] {
  const { time, open, counted, doubtful, countKnownAt } = ledger;
  const possible = counted.filter(({ settledAt }) => settledAt + HOUR_MS > request.takenAt).length;
  const missing = Math.max(count - possible - open.length - doubtful.length, 0);
  const since = Math.max(countKnownAt, time - HOUR_MS);
  return Array.from({ length: missing }, (_, i) => Math.round(since + ((time - since) * (i + 1)) / missing));
}

function withoutPast(ledger: RateLedger): RateLedger {
  const { time, open, askers, counted } = ledger;
  const isOver = ({ takenAt }: OpenRequest) => takenAt + LONGEST_REQUEST_MS <= time;
  const current = open.filter((request) => !isOver(request));
  const ended = open.filter(isOver).map(({ takenAt }) => takenAt + LONGEST_REQUEST_MS);
  // A response in progress may still count a request whose place is free.
  const since = current[0]?.takenAt ?? time;
  const known = withDoubtful(ledger, ended);
  return {
    ...known,
    open: current,
    doubtfulAt: ended.at(-1) ?? known.doubtfulAt,
    isCountKnown: known.isCountKnown && ended.length === 0,
    askers: askers.filter(({ askedAt }) => askedAt + HOUR_MS > time),
    counted: counted.filter(({ settledAt }) => settledAt + HOUR_MS > since),
    doubtful: known.doubtful.filter((at) => at + HOUR_MS > time),
  };
}

/** All processes have ended, and more time may have passed than is known: one probe at once asks for the count. */
function afterRestart({ open, counted, doubtful, ...ledger }: RateLedger, time: number): RateLedger {
  const earlier = { ...ledger, askers: [], open: [], counted: [], doubtful };
  const ends = open.map(({ takenAt }) => takenAt + LONGEST_REQUEST_MS);
  const times = [...counted.map(({ settledAt }) => settledAt), ...ends];
  return { ...withDoubtful(earlier, times), isCountKnown: false, probeAt: time };
}

/** Parses `X-Rate-Limit: 12/200` (docs/interface.md, Limits), with at most `MAX_LIMIT` places. Undefined if it is missing or invalid. */
export function rateLimitOf(headers: HttpResponse['headers']) {
  const match = /^(\d{1,15})\/([1-9]\d{0,14})$/.exec(String(headers['x-rate-limit']));
  if (!match) return undefined;
  const [count, limit] = [Number(match[1]), Number(match[2])];
  const unused = Math.max(limit - MAX_LIMIT, 0);
  return { count: Math.min(Math.max(count - unused, 0), MAX_LIMIT), limit: limit - unused };
}
