/**
 * How many requests may still be sent in this hour (specification, Limits). Every attempt is taken before it is sent
 * and settled when it has ended. It knows when our own requests were made and what the service has said about its
 * count; it must not know what was asked, send anything, or wait.
 *
 * The law. A request of ours counts from when it is taken until an hour after its answer: the service saw it in
 * between, so that its place is free by then. The service may count more: what other processes send, and requests of
 * ours whose answer was lost. These are presumed, and corrected by every answer, only as far as it contradicts them:
 * the count that it tells lies between what was surely and what was possibly counted of ours while it was on its way.
 *
 *   - More is presumed when even all that is possible does not explain the count. Nobody knows when those came; they
 *     are taken to have come evenly since the count was last known, or over the whole hour.
 *   - Less is presumed when even what is sure leaves no room for them: the oldest have fallen out of the hour.
 *   - `X-Rate-Limit` tells the count, a 429 that it is full, any other answer nothing.
 *
 * What a failure or a 429 makes us presume is doubtful: the service may never have counted it, and the 429 may be that
 * of a proxy. Where only doubtful requests stand in the way, one request a minute is let through as a probe, and its
 * answer corrects the count.
 *
 * All times inside are monotonic, so that a jump of the wall clock frees nothing early. That clock may stand still while
 * the machine sleeps, which frees late, until the next answer tells the count.
 */

import { BudgetError, type ErrorCode } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { HttpResponse } from './http-sender.ts';

const HOUR_MS = 3_600_000;
const PROBE_MS = 60_000;
/** The share of what is doubtful that is let go beyond a probe's own place when it is answered without a count. */
const EASED = 0.1;

export interface RateBudget {
  /**
   * To be called before each attempt, retries included. What a write reads for its own sake is taken as a write.
   * Throws `rate_budget_spent`, which says when the next may be sent, where this one may not.
   */
  take(effect: 'read' | 'write'): Promise<RateBudgetAttempt>;
  status(): Promise<RateStatus>;
}

/** Settled once, by what is called first. */
export interface RateBudgetAttempt {
  /** The service has answered, with whatever status. */
  answered(response: Pick<HttpResponse, 'status' | 'headers'>): Promise<void>;
  /** There is no answer; `error` says whether the service can have seen the request. */
  failed(error: unknown): Promise<void>;
}

/**
 * Times are milliseconds since the epoch, by the wall clock of now; a time when something is free that is free already
 * is now.
 */
export interface RateStatus {
  /** Requests an hour, as the service said last. */
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly leftForReads: number;
  /** When one may be sent next, be it as a probe. */
  readonly nextReadAt: number;
  readonly isNextReadProbe: boolean;
  readonly nextWriteAt: number;
  readonly allBackAt: number;
  /** When each request of our own comes back, ascending. */
  readonly returnsAt: readonly number[];
}

export interface RateBudgetOptions {
  readonly clock: Clock;
  /** Requests an hour until the service says otherwise. */
  readonly limit?: number;
  /** How many of them are held back for writes; never more than half of the limit. */
  readonly reserve?: number;
}

/** A request of ours that is on its way or was counted. */
interface OwnRequest {
  readonly takenAt: number;
  /** It was let through although nothing seemed to be left. */
  readonly isProbe: boolean;
  settledAt?: number;
}

/** A request that the service may count. */
interface PresumedRequest {
  /** When it is taken to have been made. */
  readonly at: number;
  readonly presumedAt: number;
  /** No count that the service told accounts for it. */
  readonly isDoubtful: boolean;
}

/** What an answer tells of the service's count at the moment it saw the request. */
interface Count {
  readonly atLeast: number;
  readonly atMost: number;
}

/** With these the request has not left us. */
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
  /** In a row. */
  #refusedProbes = 0;

  constructor({ clock, limit = 200, reserve = 20 }: RateBudgetOptions) {
    this.#clock = clock;
    this.#limit = limit;
    this.#reserve = reserve;
  }

  async take(effect: 'read' | 'write'): Promise<RateBudgetAttempt> {
    const now = this.#clock.monotonic();
    const places = this.#places(effect);
    const { used, nextAt } = this.#usage(now);
    const isProbe = used >= places;
    if (isProbe) {
      const next = nextAt(places);
      if (next > now) throw spent(used < this.#limit ? 'held back' : 'used', next - now, this.#clock.now());
      this.#nextProbeAt = now + PROBE_MS;
    }
    const request: OwnRequest = { takenAt: now, isProbe };
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

  /** How many requests there may be before one for this effect is refused. */
  #places(effect: 'read' | 'write'): number {
    return effect === 'write'
      ? this.#limit
      : this.#limit - Math.min(this.#reserve, Math.floor(this.#limit / 2));
  }

  #usage(now: number) {
    this.#forget(now);
    const ascending = (times: number[]) => times.toSorted((a, b) => a - b);
    const ownReturns = ascending(this.#own.map((request) => returnOf(request, now)).filter((at) => at > now));
    const allReturns = ascending([...ownReturns, ...this.#presumed.map(({ at }) => at + HOUR_MS)]);
    const used = allReturns.length;
    const doubtful = this.#presumed.filter(({ isDoubtful }) => isDoubtful).length;
    /** When fewer than `places` are used. */
    const freeAt = (places: number) => allReturns[used - places] ?? now;
    /** When one may be sent that needs that, be it as a probe. */
    const nextAt = (places: number) =>
      used - doubtful < places ? Math.min(freeAt(places), Math.max(this.#nextProbeAt, now)) : freeAt(places);
    return { used, ownReturns, allBackAt: allReturns.at(-1) ?? now, freeAt, nextAt };
  }

  #answered(request: OwnRequest, { status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
    if (!this.#open(request)) return;
    const told = rateLimitOf(headers);
    if (told) this.#limit = told.limit;
    const now = this.#clock.monotonic();
    if (status === 429) {
      if (request.isProbe) this.#refusedProbes += 1;
      this.#drop(request);
      this.#correct(request, { atLeast: this.#limit, atMost: Number.POSITIVE_INFINITY }, now);
    } else if (told) {
      request.settledAt = now;
      this.#refusedProbes = 0;
      this.#correct(request, { atLeast: told.count, atMost: told.count }, now);
    } else if (status >= 200 && status < 300) {
      request.settledAt = now;
      if (request.isProbe) this.#easeDoubt();
    } else this.#presume(request, now);
  }

  #failed(request: OwnRequest, error: unknown): void {
    if (!this.#open(request)) return;
    if (error instanceof BudgetError && NEVER_SENT.has(error.code)) this.#drop(request);
    else this.#presume(request, this.#clock.monotonic());
  }

  #open(request: OwnRequest): boolean {
    return request.settledAt === undefined && this.#own.includes(request);
  }

  #drop(request: OwnRequest): void {
    this.#own = this.#own.filter((other) => other !== request);
  }

  /** Whether the service has counted it is not known. */
  #presume(request: OwnRequest, now: number): void {
    this.#drop(request);
    this.#presumed.push({ at: now, presumedAt: now, isDoubtful: true });
    this.#nextProbeAt = now + PROBE_MS;
  }

  /**
   * A probe was answered without a count: there was room for it, which one doubtful request gives up. Where ten or more
   * are doubtful, as after an outage, a tenth of them is let go as well, or it would take hours to find out about all. That
   * is a guess, and may cost a 429.
   */
  #easeDoubt(): void {
    const doubtful = this.#presumed.filter(({ isDoubtful }) => isDoubtful);
    const gone = new Set(doubtful.slice(0, 1 + Math.floor(doubtful.length * EASED)));
    this.#presumed = this.#presumed.filter((presumed) => !gone.has(presumed));
  }

  /** Brings what is presumed in line with the count that the answer to `request` tells. */
  #correct({ takenAt }: OwnRequest, count: Count, now: number): void {
    const earlier = this.#own.filter(
      (own) => own.settledAt !== undefined && own.settledAt < takenAt && own.takenAt + HOUR_MS > now,
    );
    const sure = earlier.length + 1;
    const possible = this.#own.filter((own) => returnOf(own, now) > takenAt).length;

    // What was presumed while the request was on its way may be later than the count.
    const before = this.#presumed.filter(({ presumedAt }) => presumedAt < takenAt);
    const room = Math.max(count.atMost - sure, 0);
    const gone = new Set(before.slice(0, Math.max(before.length - room, 0)));
    const isCounted = Number.isFinite(count.atMost);
    const kept = this.#presumed
      .filter((presumed) => !gone.has(presumed))
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

  /** Lets go of what has come back, unless an answer that is still on its way may count it. */
  #forget(now: number): void {
    const open = this.#own.find((own) => own.settledAt === undefined && own.takenAt + HOUR_MS > now);
    this.#own = this.#own.filter((own) => returnOf(own, now) > Math.min(open?.takenAt ?? now, now));
    this.#presumed = this.#presumed.filter(({ at }) => at + HOUR_MS > now);
  }
}

/** The moment from which the service surely counts it no more. No exchange takes an hour. */
function returnOf({ takenAt, settledAt }: OwnRequest, now: number): number {
  return (settledAt ?? Math.min(now, takenAt + HOUR_MS)) + HOUR_MS;
}

/** `X-Rate-Limit: 12/200` (specification, Limits); undefined where it is missing or says something else. */
function rateLimitOf(headers: HttpResponse['headers']): { count: number; limit: number } | undefined {
  const match = /^(\d{1,5})\/([1-9]\d{0,4})$/.exec(String(headers['x-rate-limit']));
  return match ? { count: Number(match[1]), limit: Number(match[2]) } : undefined;
}

function spent(how: 'used' | 'held back', waitMs: number, now: number): BudgetError {
  const what =
    how === 'used' ? 'The requests of this hour are used up' : 'What is left is held back for changes';
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  return new BudgetError('rate_budget_spent', `${what}. The next request is free in ${seconds} s, at ${at}.`);
}
