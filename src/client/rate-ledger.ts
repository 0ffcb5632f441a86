/**
 * What the processes of one sign-in know about the requests of the last hour, as plain data (docs/interface.md, Limits).
 * Each change is a pure function, so that a store can make it one step for all processes.
 *
 * A request is `open` from when it is taken until it has ended. It counts from when it is taken until an hour after its
 * response, because the service counted it at some moment in between. The service may count further requests: those of
 * programs that do not share the ledger, and requests whose response was lost. These are `presumed`. A presumed request
 * is doubtful as long as no count of the service includes it.
 *
 * A process that is killed leaves its requests open. No request is in progress longer than `LONGEST_REQUEST_MS`, so a
 * request that is still open by then is over. The service may have counted it at any moment of that time, or not at all:
 * it is presumed at the end of that time, and doubtful. If its process was only suspended and gets a response later, the
 * request counts again from that response.
 *
 * The ledger has its own time, and all times in it are of that kind. From one change to the next it advances by the
 * smaller one of the times that the monotonic clock and the wall clock show, and never goes back. So no place becomes
 * free early after the wall clock was set, and places become free late after the machine slept or the wall clock was set
 * back. If the monotonic clock is lower than at the last change, the machine was restarted: surely only the time since
 * its start has passed. All requests from before are then doubtful, so that the response to one probe corrects the count.
 */
import { z } from 'zod';
import type { Moment } from '../platform/clock.ts';
import { storedMoment } from '../state/stored-moment.ts';

export const HOUR_MS = 3_600_000;
export const PROBE_MS = 60_000;
/** Longer than any request takes from being taken to its end. The sender ends it after `REQUEST_TIMEOUT_MS`. */
export const LONGEST_REQUEST_MS = 60_000;

/** A larger limit of the service is not used up, because the ledger has an entry for every request. */
export const MAX_PLACES = 1_000;

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
  /** It was allowed although no place seemed to be free. */
  isProbe: z.boolean().optional(),
});

const countedRequest = z.object({
  asker: z.number().optional(),
  takenAt: z.number(),
  settledAt: z.number(),
});

const presumedRequest = z.object({
  asker: z.number().optional(),
  /** The presumed time of the request. */
  at: z.number(),
  presumedAt: z.number(),
  isDoubtful: z.boolean(),
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
  /** In the order of `settledAt`. */
  counted: z.array(countedRequest),
  /** In the order of `at`. */
  presumed: z.array(presumedRequest),
  countKnownAt: z.number(),
  /** A minute after the last probe and the last request that was lost. */
  nextProbeAt: z.number(),
  /** The number of consecutive probes that got a 429. */
  refusedProbes: z.number(),
});

export type RateLedger = z.output<typeof rateLedger>;
export type Asker = Pick<z.output<typeof asker>, 'processId' | 'caller'>;
export type OpenRequest = z.output<typeof openRequest>;
export type PresumedRequest = z.output<typeof presumedRequest>;

export const emptyLedger = (limit: number): RateLedger => ({
  time: 0,
  limit,
  askers: [],
  lastAsker: 0,
  open: [],
  counted: [],
  presumed: [],
  countKnownAt: -HOUR_MS,
  nextProbeAt: 0,
  refusedProbes: 0,
});

/**
 * For a token of which nothing is known, because its ledger was lost: the limit may be reached. All requests are doubtful, so
 * that one probe is allowed at once, and the count in its response replaces them.
 */
export const unknownLedger = (limit: number): RateLedger => ({
  ...emptyLedger(limit),
  presumed: Array.from({ length: limit }, () => ({ at: 0, presumedAt: -1, isDoubtful: true })),
});

/** The ledger at this moment, without what does not count any more. */
export function ledgerAt(ledger: RateLedger, now: Moment): RateLedger {
  const { updatedAt = now } = ledger;
  const isRestarted = now.monotonic < updatedAt.monotonic;
  const elapsed = isRestarted ? now.monotonic : now.monotonic - updatedAt.monotonic;
  const time = ledger.time + Math.max(Math.min(elapsed, now.wall - updatedAt.wall), 0);
  const earlier = isRestarted ? afterRestart(ledger, time) : ledger;
  return withoutPast({ ...earlier, time, updatedAt: now });
}

export const isAsker = (asker: Asker, { processId, caller }: Asker): boolean =>
  asker.processId === processId && asker.caller === caller;

/** Processes that have ended have no share any more. Their requests count as before. */
export const withoutAskersOf = (ledger: RateLedger, ended: ReadonlySet<string>): RateLedger =>
  ended.size === 0
    ? ledger
    : { ...ledger, askers: ledger.askers.filter(({ processId }) => !ended.has(processId)) };

/** How many requests are sent in an hour at most. */
export const placesOf = ({ limit }: RateLedger): number => Math.min(limit, MAX_PLACES);

/** Adds requests that the service may have counted. */
export const withPresumed = (ledger: RateLedger, added: readonly PresumedRequest[]): RateLedger =>
  added.length === 0
    ? ledger
    : { ...ledger, presumed: [...ledger.presumed, ...added].toSorted((a, b) => a.at - b.at) };

const lastMomentOf = ({ takenAt }: OpenRequest): number => takenAt + LONGEST_REQUEST_MS;

function withoutPast(ledger: RateLedger): RateLedger {
  const { time } = ledger;
  const open = withoutFirst(ledger.open, (request) => lastMomentOf(request) <= time);
  const over = ledger.open.slice(0, ledger.open.length - open.length).map(lastMomentOf);
  const known = withPresumed(
    ledger,
    over.map((at) => ({ at, presumedAt: at, isDoubtful: true })),
  );
  // A response in progress may still count a request whose place is free.
  const since = open[0]?.takenAt ?? time;
  return {
    ...known,
    open,
    askers: withoutFirst(known.askers, ({ askedAt }) => askedAt + HOUR_MS <= time),
    counted: withoutFirst(known.counted, ({ settledAt }) => settledAt + HOUR_MS <= since),
    presumed: withoutFirst(known.presumed, ({ at }) => at + HOUR_MS <= time),
  };
}

/** For a list in the order of time: the part after the first items that are past. */
function withoutFirst<Item>(items: Item[], isPast: (item: Item) => boolean): Item[] {
  const first = items.findIndex((item) => !isPast(item));
  if (first === 0) return items;
  return first === -1 ? [] : items.slice(first);
}

/** All processes have ended, and more time may have passed than is known. */
function afterRestart({ open, counted, presumed, ...ledger }: RateLedger, time: number): RateLedger {
  const from = (at: number, presumedAt: number) => ({ at, presumedAt, isDoubtful: true });
  const doubtful = [
    ...counted.map(({ settledAt }) => from(settledAt, settledAt)),
    ...open.map((request) => from(lastMomentOf(request), request.takenAt)),
    ...presumed.map(({ at, presumedAt }) => from(at, presumedAt)),
  ];
  const earlier = { ...ledger, askers: [], open: [], counted: [], presumed: [] };
  return { ...withPresumed(earlier, doubtful), nextProbeAt: time, refusedProbes: 0 };
}
