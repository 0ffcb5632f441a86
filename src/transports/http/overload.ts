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

/** Returns whether a new request would wait too long for those in progress, at the rate of the last seconds. */
export function overloadCheck(clock: Clock, usageOf = eventLoopUsage): (counts: RequestCounts) => boolean {
  let usageBefore = usageOf();
  let finishedBefore = 0;
  let lookedAt = clock.monotonic();
  let isBusy = false;
  let perSecond = 0;
  return ({ inProgress, finished }) => {
    const now = clock.monotonic();
    const seconds = (now - lookedAt) / 1_000;
    if (seconds >= WINDOW_SECONDS) {
      const usage = usageOf();
      const active = usage.active - usageBefore.active;
      const idle = usage.idle - usageBefore.idle;
      isBusy = active >= BUSY * (active + idle);
      perSecond = (finished - finishedBefore) / seconds;
      usageBefore = usage;
      finishedBefore = finished;
      lookedAt = now;
    }
    return isBusy && inProgress > MANY && inProgress > perSecond * MAX_WAIT_SECONDS;
  };
}
