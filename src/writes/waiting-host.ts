/** A host that waits for what becomes of a write: until it cancels, and for ten seconds at most. */
import type { Clock } from '../platform/clock.ts';

/** Many hosts give up a call after some 20 s or more, and nobody learns what has become of it then. */
export const ANSWER_MS = 10_000;

export class WaitingHost {
  readonly #clock: Clock;
  readonly #lateAt: number;
  readonly #ended = new AbortController();
  readonly #over: Promise<'late' | 'cancelled'>;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#lateAt = clock.monotonic() + ANSWER_MS;
    this.#over = new Promise((resolve) => {
      const ended = { signal: this.#ended.signal };
      clock.sleep(ANSWER_MS, this.#ended.signal).then(
        () => resolve('late'),
        () => {},
      );
      signal?.addEventListener('abort', () => resolve('cancelled'), ended);
      if (signal?.aborted) resolve('cancelled');
    });
  }

  /** Undefined when `work` has ended before. */
  async unlessOver(work: Promise<unknown>): Promise<'late' | 'cancelled' | undefined> {
    return Promise.race([this.#over, work.then(() => undefined)]);
  }

  timeLeft(): number {
    return this.#lateAt - this.#clock.monotonic();
  }

  end(): void {
    this.#ended.abort();
  }
}
