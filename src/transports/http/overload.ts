/**
 * Whether this process has more work than it can do. Every call then waits for all others, until their hosts give up and call
 * again, which makes it worse. Refusing new calls early keeps the time short in which the others are answered.
 */
import { type Clock, eventLoopUsage } from '../../base/clock.ts';

/** Requests until now. */
export interface RequestCounts {
  readonly inProgress: number;
  readonly finished: number;
}

/** Fewer requests in progress are never too many. */
const MANY = 16;
/** The part of the time in which the event loop had work. Requests that only wait, such as for a person, cost none. */
const BUSY = 0.9;
const MAX_WAIT_SECONDS = 5;
const WINDOW_SECONDS = 3;

export class Overload {
  readonly #clock: Clock;
  readonly #usage: typeof eventLoopUsage;
  #usageBefore: ReturnType<typeof eventLoopUsage>;
  #finishedBefore = 0;
  #lookedAt: number;
  #isBusy = false;
  #perSecond = 0;

  constructor(clock: Clock, usage = eventLoopUsage) {
    this.#clock = clock;
    this.#usage = usage;
    this.#usageBefore = usage();
    this.#lookedAt = clock.monotonic();
  }

  /** Whether a new request would wait too long for those in progress, at the rate of the last seconds. */
  isOver({ inProgress, finished }: RequestCounts): boolean {
    const now = this.#clock.monotonic();
    const seconds = (now - this.#lookedAt) / 1_000;
    if (seconds >= WINDOW_SECONDS) {
      const usage = this.#usage();
      const active = usage.active - this.#usageBefore.active;
      const idle = usage.idle - this.#usageBefore.idle;
      this.#isBusy = active >= BUSY * (active + idle);
      this.#perSecond = (finished - this.#finishedBefore) / seconds;
      this.#usageBefore = usage;
      this.#finishedBefore = finished;
      this.#lookedAt = now;
    }
    return this.#isBusy && inProgress > MANY && inProgress > this.#perSecond * MAX_WAIT_SECONDS;
  }
}
