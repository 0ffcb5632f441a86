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
 */
import type { Clock } from '../clock.ts';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { HttpResponse } from './http-sender.ts';

const HOUR_MS = 3_600_000;

export interface RateBudget {
  /**
   * To be called before each attempt, retries included. What a write reads for its own sake is taken as a write.
   * Throws `rate_budget_spent`, which says when the next is free, where it may not be sent.
   */
  take(effect: 'read' | 'write'): Promise<Attempt>;
  status(): Promise<RateStatus>;
}

/** Settled once, by what is called first. */
export interface Attempt {
  /** The service has answered, with whatever status. */
  answered(response: Pick<HttpResponse, 'status' | 'headers'>): Promise<void>;
  /** There is no answer; `error` says whether the service can have seen the request. */
  failed(error: unknown): Promise<void>;
}

/** Times are milliseconds since the epoch; a time when something is free that is free already is now. */
export interface RateStatus {
  /** Requests an hour, as the service said last. */
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly leftForReads: number;
  readonly nextReadAt: number;
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
  settledAt?: number;
}

/** A request that the service may count. */
interface PresumedRequest {
  /** When it is taken to have been made. */
  readonly at: number;
  readonly presumedAt: number;
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

  constructor({ clock, limit = 200, reserve = 20 }: RateBudgetOptions) {
    this.#clock = clock;
    this.#limit = limit;
    this.#reserve = reserve;
  }

  async take(effect: 'read' | 'write'): Promise<Attempt> {
    const now = this.#clock.now();
    const { left, leftForReads, nextReadAt, nextWriteAt } = this.#status(now);
    if (effect === 'read' && leftForReads === 0)
      throw spent(left > 0 ? 'held back' : 'used', nextReadAt, now);
    if (left === 0) throw spent('used', nextWriteAt, now);
    const request: OwnRequest = { takenAt: now };
    this.#own.push(request);
    return {
      answered: async (response) => this.#answered(request, response),
      failed: async (error) => this.#failed(request, error),
    };
  }

  async status(): Promise<RateStatus> {
    return this.#status(this.#clock.now());
  }

  #status(now: number): RateStatus {
    this.#forget(now);
    const returnsAt = this.#own
      .map((request) => returnOf(request, now))
      .filter((at) => at > now)
      .toSorted((a, b) => a - b);
    const allReturns = [...returnsAt, ...this.#presumed.map(({ at }) => at + HOUR_MS)].toSorted(
      (a, b) => a - b,
    );
    const used = allReturns.length;
    const limit = this.#limit;
    const limitForReads = limit - Math.min(this.#reserve, Math.floor(limit / 2));
    /** When fewer than `places` are used. */
    const freeAt = (places: number) => allReturns[used - places] ?? now;
    return {
      limit,
      used,
      left: Math.max(limit - used, 0),
      leftForReads: Math.max(limitForReads - used, 0),
      nextReadAt: freeAt(limitForReads),
      nextWriteAt: freeAt(limit),
      allBackAt: allReturns.at(-1) ?? now,
      returnsAt,
    };
  }

  #answered(request: OwnRequest, { status, headers }: Pick<HttpResponse, 'status' | 'headers'>): void {
    if (!this.#open(request)) return;
    const told = rateLimitOf(headers);
    if (told) this.#limit = told.limit;
    const now = this.#clock.now();
    if (status === 429) {
      this.#drop(request);
      this.#correct(request, { atLeast: this.#limit, atMost: Number.POSITIVE_INFINITY }, now);
    } else if (told) {
      request.settledAt = now;
      this.#correct(request, { atLeast: told.count, atMost: told.count }, now);
    } else if (status >= 200 && status < 300) request.settledAt = now;
    else this.#presume(request, now);
  }

  #failed(request: OwnRequest, error: unknown): void {
    if (!this.#open(request)) return;
    if (error instanceof BudgetError && NEVER_SENT.has(error.code)) this.#drop(request);
    else this.#presume(request, this.#clock.now());
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
    this.#presumed.push({ at: now, presumedAt: now });
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
    const kept = this.#presumed.filter((presumed) => !gone.has(presumed));

    const unexplained = Math.max(count.atLeast - possible - kept.length, 0);
    const since = Math.max(this.#countKnownAt, now - HOUR_MS);
    const added = Array.from({ length: unexplained }, (_, i) => ({
      at: Math.round(since + ((now - since) * (i + 1)) / unexplained),
      presumedAt: now,
    }));
    this.#presumed = [...kept, ...added].toSorted((a, b) => a.at - b.at);
    this.#countKnownAt = now;
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
  const [, count, limit] = /^(\d{1,5})\/([1-9]\d{0,4})$/.exec(String(headers['x-rate-limit'])) ?? [];
  return count && limit ? { count: Number(count), limit: Number(limit) } : undefined;
}

function spent(how: 'used' | 'held back', nextAt: number, now: number): BudgetError {
  const what =
    how === 'used' ? 'The requests of this hour are used up' : 'What is left is held back for changes';
  const seconds = Math.ceil((nextAt - now) / 1000);
  const at = new Date(nextAt).toISOString();
  return new BudgetError('rate_budget_spent', `${what}. The next request is free in ${seconds} s, at ${at}.`);
}
