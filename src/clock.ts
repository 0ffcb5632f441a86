/**
 * Time, as something that is handed in. Nothing else in the project reads the time or sets a timer, so that a
 * test can hold the clock still or move it by a day without waiting.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};

/** Lets whatever else is due go first. No time passes by that, so that it is no matter of a clock. */
export const yieldTurn = (): Promise<void> => setImmediate();

/** The UTC date of a moment as `YYYY-MM-DD`. Every date of the service is in UTC (specification, Data formats). */
export function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
