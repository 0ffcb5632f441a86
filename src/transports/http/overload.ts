/**
 * Whether this process has more work than it can do. Every call then waits for all others, until their hosts give up and call
 * again, which makes it worse. Refusing new calls early keeps the time short in which the others are answered.
 */
import { type Clock, eventLoopUsage } from '../../platform/clock.ts';

/** Requests in progress. Fewer are answered within seconds even by a slow machine. */
const MANY = 16;
/** The part of the time in which the event loop had work. */
const BUSY = 0.9;
const WINDOW_MS = 1_000;

export class Overload {
  readonly #clock: Clock;
  readonly #usage: typeof eventLoopUsage;
  #before: ReturnType<typeof eventLoopUsage>;
  #lookedAt: number;
  #isBusy = false;

  constructor(clock: Clock, usage = eventLoopUsage) {
    this.#clock = clock;
    this.#usage = usage;
    this.#before = usage();
    this.#lookedAt = clock.monotonic();
  }

  /** Requests that only wait, such as for a person or the service, do not count as too much work. */
  isOver(requestsInProgress: number): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#lookedAt >= WINDOW_MS) {
      const usage = this.#usage();
      const active = usage.active - this.#before.active;
      const idle = usage.idle - this.#before.idle;
      this.#isBusy = active >= BUSY * (active + idle);
      this.#before = usage;
      this.#lookedAt = now;
    }
    return this.#isBusy && requestsInProgress > MANY;
  }
}
