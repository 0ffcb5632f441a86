/**
 * Requests from when their headers have come in until their answers have gone: how many one caller may have open at
 * once, how long one may take, and when all of them are done. An answer that is a stream of events may stay for as long
 * as the host likes; it is no work that anybody waits for.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../../platform/clock.ts';
import { errorResponse } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

export interface RequestTrackerOptions {
  readonly clock: Clock;
  /** Of one caller, streams included. */
  readonly maxConcurrent: number;
  readonly timeLimitMs: number;
}

/** The time that a host has after the limit to read what has become of its request. */
const READING_MS = 30_000;

export class RequestTracker {
  readonly #options: RequestTrackerOptions;
  readonly #openOf = new Map<string, number>();
  /** Answers that are streams, with who holds them. */
  readonly #streams = new Map<ServerResponse, string>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #open = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(options: RequestTrackerOptions) {
    this.#options = options;
  }

  readonly middleware = createMiddleware<RequestContext>(async (c, next) => {
    const { holder } = c.var;
    const { maxConcurrent } = this.#options;
    if (this.#isStopping)
      return errorResponse(503, 'The server is stopping.', { headers: { connection: 'close' } });
    const open = this.#openOf.get(holder) ?? 0;
    if (open >= maxConcurrent)
      return errorResponse(429, `At most ${maxConcurrent} requests at once.`, {
        headers: { 'retry-after': '1' },
      });

    const over = new AbortController();
    const late = new AbortController();
    const settled = new AbortController();
    const works: Promise<void>[] = [];
    const gone = closing(c.env);
    const done = gone.then(() => Promise.all(works)).then(() => {});
    const worked = once(settled.signal, 'abort');
    this.#openOf.set(holder, open + 1);
    this.#open.add(done);
    this.#work.add(worked);
    void worked.then(() => this.#work.delete(worked));
    void gone.then(() => over.abort());
    void done.then(() => {
      settled.abort();
      this.#open.delete(done);
      this.#leave(holder);
    });
    const giveUp = () => {
      late.abort();
      over.abort();
    };
    void this.#limit(c.env.outgoing, giveUp, settled.signal);
    c.set('exchange', {
      signal: over.signal,
      timedOut: late.signal,
      disconnected: gone,
      settled: done,
      keepAliveUntil: (work) => works.push(work),
      becomesStream: () => {
        settled.abort();
        this.#streams.set(c.env.outgoing, holder);
        void gone.then(() => this.#streams.delete(c.env.outgoing));
      },
    });
    return next();
  });

  /** Calls `giveUp` when the time is over, and ends the connection of whoever does not read the answer to that. */
  async #limit(answer: ServerResponse, giveUp: () => void, settled: AbortSignal): Promise<void> {
    const { clock, timeLimitMs } = this.#options;
    try {
      await clock.sleep(timeLimitMs, settled);
      giveUp();
      await clock.sleep(READING_MS, settled);
      answer.destroy();
    } catch (error) {
      if (!settled.aborted) throw error;
    }
  }

  #leave(holder: string): void {
    const left = (this.#openOf.get(holder) ?? 1) - 1;
    if (left > 0) this.#openOf.set(holder, left);
    else this.#openOf.delete(holder);
  }

  endStreamsOf(holder: string): void {
    for (const [answer, its] of this.#streams) if (its === holder) answer.destroy();
  }

  /** From now on nothing new is begun. Resolves when all work is done. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#work);
  }

  /** Resolves when the streams have ended as well. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}

/** An answer that waits behind another one on the same connection is never told that this has gone. */
function closing({ incoming: { socket }, outgoing }: RequestContext['Bindings']): Promise<void> {
  // A host may send any number of requests at once on one connection.
  socket.setMaxListeners(0);
  return new Promise((resolve) => {
    const either = () => {
      socket.off('close', either);
      outgoing.off('close', either);
      resolve();
    };
    socket.on('close', either);
    outgoing.on('close', either);
  });
}
