/**
 * Tracks requests from their headers until their answers are sent. It refuses those over a limit, limits how long a request
 * may take, and knows when all work is done. A stream of events may stay open without limit; it
 * does not count as work.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createMiddleware } from 'hono/factory';
import { OVER } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { errorResponse, tooManyResponse } from './error-response.ts';
import { noteRequest, whenClosed } from './observed-request.ts';
import type { RequestContext } from './request-context.ts';
import { RequestLimits } from './request-limits.ts';

/** Long enough for a person to answer a question during the call. */
const TIME_LIMIT_MS = 5 * 60_000;
/** How long a host may take to read the answer after the time limit. */
const READ_ANSWER_MS = 30_000;
/** The time that a restart takes. */
const RETRY_AFTER_SECONDS = 5;

export class RequestTracker {
  readonly #clock: Clock;
  readonly #limits: RequestLimits;
  /** Answers that are streams, with the callers of their tokens. */
  readonly #streams = new Map<ServerResponse, string>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #open = new Set<Promise<unknown>>();
  #finished = 0;
  #isStopping = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#limits = new RequestLimits(clock);
  }

  readonly middleware = createMiddleware<RequestContext>(async (c, next) => {
    const { caller, limits } = c.var;
    const { incoming, outgoing } = c.env;
    if (this.#isStopping)
      return errorResponse(503, 'The server is stopping.', {
        // On a new connection, a load balancer chooses another server.
        headers: { connection: 'close', 'retry-after': String(RETRY_AFTER_SECONDS) },
      });
    const release = this.#limits.admit(limits);
    if (typeof release !== 'function') return tooManyResponse(release);

    const ended = new AbortController();
    const timedOut = new AbortController();
    const settled = new AbortController();
    const pending: Promise<void>[] = [];
    const disconnected = whenClosed(incoming, outgoing);
    const done = disconnected.then(() => Promise.all(pending)).then(() => {});
    const work = once(settled.signal, 'abort');
    this.#open.add(done);
    this.#work.add(work);
    void work.then(() => {
      this.#work.delete(work);
      this.#finished += 1;
    });
    void disconnected.then(() => ended.abort());
    void done.then(() => {
      settled.abort(OVER);
      this.#open.delete(done);
      release();
    });
    const onTimeout = () => {
      timedOut.abort();
      ended.abort();
    };
    void this.#limit(outgoing, onTimeout, settled.signal);
    c.set('inFlight', {
      signal: ended.signal,
      timedOut: timedOut.signal,
      disconnected,
      settled: done,
      keepAliveUntil: (promise) => pending.push(promise),
      becomesStream: () => {
        settled.abort(OVER);
        noteRequest({ isStream: true });
        this.#streams.set(outgoing, caller);
        void disconnected.then(() => this.#streams.delete(outgoing));
      },
    });
    return next();
  });

  /** Calls `onTimeout` after the time limit, and closes the connection if the host does not read the answer then. */
  async #limit(answer: ServerResponse, onTimeout: () => void, settled: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(TIME_LIMIT_MS, settled);
      onTimeout();
      await this.#clock.sleep(READ_ANSWER_MS, settled);
      answer.destroy();
    } catch (error) {
      if (!settled.aborted) throw error;
    }
  }

  /** The requests in progress, without streams. */
  get inProgress(): number {
    return this.#work.size;
  }

  /** The number of all requests that were answered or given up, and of streams that have begun. */
  get finished(): number {
    return this.#finished;
  }

  get streams(): number {
    return this.#streams.size;
  }

  endStreamsOf(caller: string): void {
    for (const [answer, owner] of this.#streams) if (owner === caller) answer.destroy();
  }

  /** Refuses new requests. Resolves when all work is done. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#work);
  }

  /** Resolves when the streams have ended too. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
