/**
 * The clock, which is passed as a parameter. Nothing else in the project reads the time or sets a timer, so that a test
 * can stop the clock or move it by a day without waiting.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the Unix epoch, UTC: the wall clock. A user can set it, and it continues while the machine sleeps. */
  now(): number;
  /**
   * Milliseconds since an arbitrary start, such as the start of the machine, the same for all its processes. Never goes
   * back while the machine runs, but may stop while it sleeps. With Redis, a time that all machines have in common.
   */
  monotonic(): number;
  /**
   * Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. With `isBackground` it does not
   * keep the program running.
   */
  sleep(milliseconds: number, signal?: AbortSignal, isBackground?: boolean): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (milliseconds, signal, isBackground = false) =>
    setTimeout(milliseconds, undefined, { signal, ref: !isBackground }),
};

/** A point in time by both clocks, so that its age is known even if one of them was set or stopped. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = (clock: Clock): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() });

/**
 * The age in milliseconds, by the clock that shows the larger age: the wall clock after the machine slept, the monotonic
 * clock after the wall clock was set back. Use it for the age of data. A safety delay must use only the monotonic clock.
 */
export const ageOf = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.now() - wall, clock.monotonic() - monotonic);

let lastTurn = Promise.resolve();

/**
 * Lets other work in the event loop run first. Of all that wait, one goes on in each turn of the loop. So other work waits for one
 * step only, however many long computations there are. It does not depend on time, so it is not part of `Clock`.
 */
export function yieldTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** The UTC date of a time as `YYYY-MM-DD`. Every date of the service is in UTC (docs/interface.md, Data formats). */
export function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/**
 * A moment that was recorded by this process or another one, perhaps before the machine was started again. Then its
 * monotonic time means nothing, and only the wall clock tells how long ago it was.
 */
export function recordedMoment(recorded: Moment, now: Moment): Moment {
  if (recorded.monotonic <= now.monotonic) return recorded;
  const age = Math.max(now.wall - recorded.wall, 0);
  return { wall: Math.min(recorded.wall, now.wall), monotonic: now.monotonic - age };
}

/**
 * The milliseconds that have passed for certain, by the monotonic clock. The moment may be one of another process on this
 * machine. If it seems to be in the future, the machine was restarted since, and only the time since then is certain.
 */
export function certainAgeAt(now: Moment, { monotonic }: Moment): number {
  return monotonic > now.monotonic ? now.monotonic : now.monotonic - monotonic;
}

/** How long the event loop of this process has worked and waited, all in all. */
export const eventLoopUsage = () => performance.eventLoopUtilization();
