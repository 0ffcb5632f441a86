/** A host that waits for the outcome of a write: at most ten seconds, and not after it cancels. */
import type { Clock } from '../../base/clock.ts';

/** Shorter than the time limits of hosts: many give up after about 20 s and would then never get the outcome. */
export const ANSWER_LIMIT_MS = 10_000;

export interface WaitingHostOptions {
  /** Aborted if the host cancels. */
  readonly signal?: AbortSignal | undefined;
  /** How long it has waited already. */
  readonly waitedMs?: number | undefined;
  /** Resolves when its request is over: whether the whole answer was sent. Missing if that is not known. */
  readonly answered?: Promise<boolean> | undefined;
}

export class WaitingHost {
  readonly answered: Promise<boolean> | undefined;
  readonly #clock: Clock;
  readonly #timeLimitAt: number;
  readonly #ended = new AbortController();
  readonly #stopped: Promise<'timed_out' | 'cancelled'>;

  constructor(clock: Clock, { signal, waitedMs = 0, answered }: WaitingHostOptions = {}) {
    this.#clock = clock;
    this.answered = answered;
    this.#timeLimitAt = clock.monotonic() + ANSWER_LIMIT_MS - waitedMs;
    this.#stopped = new Promise((resolve) => {
      const listenerOptions = { signal: this.#ended.signal };
      clock.sleep(Math.max(0, this.remainingMs()), this.#ended.signal).then(
        () => resolve('timed_out'),
        () => {},
      );
      signal?.addEventListener('abort', () => resolve('cancelled'), listenerOptions);
      if (signal?.aborted) resolve('cancelled');
    });
  }

  /** Waits until `work` ends. Returns why the host stopped waiting, or undefined if `work` ended first. */
  async waitFor(work: Promise<unknown>): Promise<'timed_out' | 'cancelled' | undefined> {
    return Promise.race([this.#stopped, work.then(() => undefined)]);
  }

  /** Waits for that time. Returns why the host stopped waiting, or undefined if it waits still. */
  pause(milliseconds: number): Promise<'timed_out' | 'cancelled' | undefined> {
    return this.waitFor(this.#clock.sleep(milliseconds));
  }

  remainingMs(): number {
    return this.#timeLimitAt - this.#clock.monotonic();
  }

  end(): void {
    this.#ended.abort();
  }
}
