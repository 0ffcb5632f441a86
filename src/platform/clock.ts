/**
 * Time, as something that is handed in. Nothing else in the project reads the time or sets a timer, so that a
 * test can hold the clock still or move it by a day without waiting.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the Unix epoch, UTC: the wall clock, which may be set and which goes on while the machine sleeps. */
  now(): number;
  /** Milliseconds since an arbitrary start: never set back, but may stand still while the machine sleeps. */
  monotonic(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** One point in time by both clocks, so that its age can be told although one of them was set or stood still. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = (clock: Clock): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() });

/**
 * The age in milliseconds by the clock that shows more: after a sleep of the machine that is the wall clock, after the
 * wall clock was set back it is the monotonic one. For judging data; a wait that protects is measured by the monotonic
 * clock alone.
 */
export const ageOf = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.now() - wall, clock.monotonic() - monotonic);

/** Lets whatever else is due go first. No time passes by that, so that it is no matter of a clock. */
export const yieldTurn = (): Promise<void> => setImmediate();

/** The UTC date of a moment as `YYYY-MM-DD`. Every date of the service is in UTC (specification, Data formats). */
export function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
