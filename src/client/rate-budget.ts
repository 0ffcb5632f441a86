/**
 * Counts how many requests may still be sent in this hour (docs/interface.md, Limits). Every request is taken before it
 * is sent and settled when it has ended. Depends only on the times of this process's requests and on what responses say
 * about the service's count. It sends no requests and never waits.
 *
 * A request of this process counts from when it is taken until an hour after its response. The service counted it at some
 * moment in between, so its place is free by then. The service may count further requests: those of other processes, and
 * requests of this process whose response was lost. These are presumed. Every response corrects them, but only as far as
 * it contradicts them: the count in a response must be between the number of requests that the service had surely counted
 * and the number that it may have counted while the request was in progress.
 *
 *   - If even all possible requests do not explain the count, more requests are presumed. Their times are unknown, so they
 *     are spread evenly since the last known count, or over the whole hour.
 *   - If even the sure requests leave no room for the presumed ones, the oldest of those are removed.
 *   - `X-Rate-Limit` gives the count. A 429 means that the limit is reached. Other responses say nothing about it.
 *
 * A request presumed because of a failure or a 429 is doubtful: the service may not have counted it, and the 429 may come
 * from a proxy. If only doubtful requests prevent a request, one request per minute is allowed as a probe. Its response
 * corrects the count.
 *
 * All internal times are monotonic, so a change of the wall clock frees nothing early. If the monotonic clock stops while
 * the machine sleeps, requests become free late, until the next response gives the count.
 */

import { BudgetError, type ErrorCode } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { HttpResponse } from './http-sender.ts';

const HOUR_MS = 3_600_000;
const PROBE_MS = 60_000;
/** The share of the doubtful requests that is removed in addition when a probe succeeds without a count. */
const DOUBTFUL_SHARE_REMOVED = 0.1;

export interface RateBudget {
  /**
   * Must be called before each request, including retries. Reads that a write needs are taken as `write`. Throws
   * `rate_budget_spent` with the time of the next free request if this one is not allowed.
   */
  take(kind: 'read' | 'write'): Promise<RateBudgetAttempt>;
  status(): Promise<RateStatus>;
}

/** The first call of either method settles the request. Later calls have no effect. */
export interface RateBudgetAttempt {
  /** There is a response, with any status. */
  answered(response: Pick<HttpResponse, 'status' | 'headers'>): Promise<void>;
  /** There is no response. The code of `error` shows whether the service may have received the request. */
  failed(error: unknown): Promise<void>;
}

/** Times are milliseconds since the epoch by the current wall clock, and never in the past. */
export interface RateStatus {
  /** Requests per hour, from the last response that had the limit. */
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly leftForReads: number;
  /** When the next read may be sent, possibly as a probe. */
  readonly nextReadAt: number;
  /** Whether the next read is allowed only as a probe. */
  readonly isNextReadProbe: boolean;
  readonly nextWriteAt: number;
  readonly allBackAt: number;
  /** When the place of each request of this process becomes free, ascending. */
  readonly returnsAt: readonly number[];
}

export interface RateBudgetOptions {
  readonly clock: Clock;
  /** Requests per hour until a response gives the limit. */
  readonly limit?: number;
  /** How many of them are reserved for writes, at most half of the limit. */
  readonly reserve?: number;
}

/** A request of this process that is in progress or was counted. */
interface OwnRequest {
  readonly takenAt: number;
  /** It was allowed although no requests seemed to be left. */
  readonly isProbe: boolean;
  /** The number of places that its kind of request may use. */
  readonly places: number;
  settledAt?: number;
}

/** A request that the service may count. */
interface PresumedRequest {
  /** The presumed time of the request. */
  readonly at: number;
  readonly presumedAt: number;
  /** No count of the service includes it. */
  readonly isDoubtful: boolean;
}

/** What a response shows of the service's count when it counted the request. */
interface Count {
  readonly atLeast: number;
  readonly atMost: number;
}

/** After these errors the request was not sent. */
const NEVER_SENT: ReadonlySet<ErrorCode> = new Set(['unreachable', 'not_signed_in', 'invalid_input']);

/** The rate budget of one token in one process. */
export class RollingRateBudget implements RateBudget {
  readonly #clock: Clock;
  readonly #reserve: number;
  #limit: number;
  #own: OwnRequest[] = [];
  /** Oldest first. */
  #presumed: PresumedRequest[] = [];
  #countKnownAt = Number.NEGATIVE_INFINITY;
  /** A minute after the last probe and the last doubtful request. */
  #nextProbeAt = Number.NEGATIVE_INFINITY;
  /** The number of consecutive probes that got a 429. */
  #refusedProbes = 0;

  constructor({ clock, limit = 200, reserve = 20 }: RateBudgetOptions) {
    this.#clock = clock;
    this.#limit = limit;
    this.#reserve = reserve;
  }

  async take(kind: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const now = this.#clock.monotonic();
    const places = this.#places(kind);
    const { used, nextAt } = this.#usage(now);
    const isProbe = used >= places;
    if (isProbe) {
      const next = nextAt(places);
      if (next > now)
        throw spentError(used < this.#limit ? 'reserved' : 'used', next - now, this.#clock.now());
      this.#nextProbeAt = now + PROBE_MS;
    }
    const request: OwnRequest = { takenAt: now, isProbe, places };
    this.#own.push(request);
    return {
      answered: async (response) => this.#answered(request, response),
      failed: async (error) => this.#failed(request, error),
    };
  }

  async status(): Promise<RateStatus> {
    const now = this.#clock.monotonic();
    const wallAhead = this.#clock.now() - now;
    const toWall = (at: number) => Math.ceil(at + wallAhead);
    const { used, ownReturns, allBackAt, freeAt, nextAt } = this.#usage(now);
    const [forReads, forWrites] = [this.#places('read'), this.#places('write')];
    return {
      limit: this.#limit,
      used,
      left: Math.max(forWrites - used, 0),
      leftForReads: Math.max(forReads - used, 0),
      nextReadAt: toWall(nextAt(forReads)),
      isNextReadProbe: nextAt(forReads) < freeAt(forReads),
      nextWriteAt: toWall(nextAt(forWrites)),
      allBackAt: toWall(allBackAt),
      returnsAt: ownReturns.map(toWall),
    };
  }

  /** The number of used requests from which a request of this kind is refused. */
  #places(kind: 'read' | 'write'): number {
    return kind === 'write'
      ? this.#limit
      : this.#limit - Math.min(this.#reserve, Math.floor(this.#limit / 2));
  }

  #usage(now: number) {
    this.#removeExpired(now);
    const ascending = (times: number[]) => times.toSorted((a, b) => a - b);
    const ownReturns = ascending(this.#own.map((request) => returnOf(request, now)).filter((at) => at > now));
    const allReturns = ascending([...ownReturns, ...this.#presumed.map(({ at }) => at + HOUR_MS)]);
    const used = allReturns.length;
    const doubtful = this.#presumed.filter(({ isDoubtful }) => isDoubtful).length;
    /** When fewer than `places` requests are used. */
    const freeAt = (places: number) => allReturns[used - places] ?? now;
    /** When a request may be sent that needs this, possibly as a probe. */
    const nextAt = (places: number) =>
      used - doubtful < places ? Math.min(freeAt(places), Math.max(this.#nextProbeAt, now)) : freeAt(places);
    return { used, ownReturns, allBackAt: allReturns.at(-1) ?? now, freeAt, nextAt };
  }

  #answered(request: OwnRequest, { status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
    if (!this.#isOpen(request)) return;
    const rateLimit = rateLimitOf(headers);
    if (rateLimit) this.#limit = rateLimit.limit;
    const now = this.#clock.monotonic();
    if (status === 429) {
      if (request.isProbe) this.#refusedProbes += 1;
      this.#drop(request);
      this.#correct(request, { atLeast: this.#limit, atMost: Number.POSITIVE_INFINITY }, now);
    } else if (rateLimit) {
      request.settledAt = now;
      this.#refusedProbes = 0;
      this.#correct(request, { atLeast: rateLimit.count, atMost: rateLimit.count }, now);
    } else if (status >= 200 && status < 300) {
      request.settledAt = now;
      // If a place has become free since the probe was sent, its success shows nothing about the doubtful requests.
      if (request.isProbe && this.#usage(now).used > request.places) this.#reduceDoubtful();
    } else this.#presume(request, now);
  }

  #failed(request: OwnRequest, error: unknown): void {
    if (!this.#isOpen(request)) return;
    if (error instanceof BudgetError && NEVER_SENT.has(error.code)) this.#drop(request);
    else this.#presume(request, this.#clock.monotonic());
  }

  #isOpen(request: OwnRequest): boolean {
    return request.settledAt === undefined && this.#own.includes(request);
  }

  #drop(request: OwnRequest): void {
    this.#own = this.#own.filter((other) => other !== request);
  }

  /** For a request of which it is unknown whether the service counted it. */
  #presume(request: OwnRequest, now: number): void {
    this.#drop(request);
    this.#presumed.push({ at: now, presumedAt: now, isDoubtful: true });
    this.#nextProbeAt = now + PROBE_MS;
  }

  /**
   * After a probe that succeeded without a count: the service had a free place, so one doubtful request is removed. If
   * there are ten or more, such as after an outage, a tenth of them is removed as well, because removing them one by one
   * would take hours. This is a guess and may lead to a 429.
   */
  #reduceDoubtful(): void {
    const doubtful = this.#presumed.filter(({ isDoubtful }) => isDoubtful);
    const removed = new Set(doubtful.slice(0, 1 + Math.floor(doubtful.length * DOUBTFUL_SHARE_REMOVED)));
    this.#presumed = this.#presumed.filter((presumed) => !removed.has(presumed));
  }

  /** Corrects the presumed requests by the count in the response to `request`. */
  #correct({ takenAt }: OwnRequest, count: Count, now: number): void {
    const earlier = this.#own.filter(
      (own) => own.settledAt !== undefined && own.settledAt < takenAt && own.takenAt + HOUR_MS > now,
    );
    const sure = earlier.length + 1;
    const possible = this.#own.filter((own) => returnOf(own, now) > takenAt).length;

    // Requests presumed while this one was in progress may be newer than the count.
    const before = this.#presumed.filter(({ presumedAt }) => presumedAt < takenAt);
    const room = Math.max(count.atMost - sure, 0);
    const removed = new Set(before.slice(0, Math.max(before.length - room, 0)));
    const isCounted = Number.isFinite(count.atMost);
    const kept = this.#presumed
      .filter((presumed) => !removed.has(presumed))
      .map((presumed) =>
        isCounted && presumed.presumedAt < takenAt ? { ...presumed, isDoubtful: false } : presumed,
      );

    const unexplained = Math.max(count.atLeast - possible - kept.length, 0);
    const since = Math.max(this.#countKnownAt, now - HOUR_MS);
    const added = Array.from({ length: unexplained }, (_, i) => ({
      at: Math.round(since + ((now - since) * (i + 1)) / unexplained),
      presumedAt: now,
      isDoubtful: !isCounted,
    }));
    this.#presumed = [...kept, ...added].toSorted((a, b) => a.at - b.at);
    this.#countKnownAt = now;
    if (!isCounted) this.#nextProbeAt = now + PROBE_MS * 2 ** Math.min(this.#refusedProbes, 4);
  }

  /** Removes the requests whose places are free, unless a response in progress may still count them. */
  #removeExpired(now: number): void {
    const open = this.#own.find((own) => own.settledAt === undefined && own.takenAt + HOUR_MS > now);
    this.#own = this.#own.filter((own) => returnOf(own, now) > Math.min(open?.takenAt ?? now, now));
    this.#presumed = this.#presumed.filter(({ at }) => at + HOUR_MS > now);
  }
}

/** The time from which the service surely does not count it any more. No request takes an hour. */
function returnOf({ takenAt, settledAt }: OwnRequest, now: number): number {
  return (settledAt ?? Math.min(now, takenAt + HOUR_MS)) + HOUR_MS;
}

/** Parses `X-Rate-Limit: 12/200` (docs/interface.md, Limits). Undefined if it is missing or invalid. */
function rateLimitOf(headers: HttpResponse['headers']): { count: number; limit: number } | undefined {
  const match = /^(\d{1,5})\/([1-9]\d{0,4})$/.exec(String(headers['x-rate-limit']));
  return match ? { count: Number(match[1]), limit: Number(match[2]) } : undefined;
}

function spentError(reason: 'used' | 'reserved', waitMs: number, now: number): BudgetError {
  const explanation =
    reason === 'used'
      ? 'The requests of this hour are used up'
      : 'The remaining requests are reserved for writes';
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  return new BudgetError(
    'rate_budget_spent',
    `${explanation}. The next request is free in ${seconds} s, at ${at}.`,
  );
}
