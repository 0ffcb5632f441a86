/**
 * The clock of all machines that share a Redis. Its wall clock is the one of Redis. Redis has no monotonic clock, and its wall
 * clock may be set, so the monotonic time is kept by the processes: each adds the time that its own monotonic clock shows
 * to what Redis answered last, and Redis keeps the highest value that it got. No process is ahead of the time that has
 * really passed, so nothing that has to wait ends early, whatever happens to the clocks of the machines. While no process
 * runs, the time stands still.
 */
import type { Clock, Moment } from '../base/clock.ts';

export class RedisClock implements Clock {
  readonly #local: Clock;
  readonly #wall = { time: 0, readAt: 0 };
  readonly #monotonic = { time: 0, readAt: 0 };

  constructor(local: Clock) {
    this.#local = local;
    this.#monotonic.readAt = local.monotonic();
  }

  now(): number {
    return this.#wall.time + Math.floor(this.#local.monotonic() - this.#wall.readAt);
  }

  /** Not before any moment in a value that this process has read. A whole number, as Redis keeps it. */
  monotonic(): number {
    return this.#monotonic.time + Math.floor(this.#local.monotonic() - this.#monotonic.readAt);
  }

  sleep(milliseconds: number, signal?: AbortSignal, isBackground?: boolean): Promise<void> {
    return this.#local.sleep(milliseconds, signal, isBackground);
  }

  /** How many milliseconds ago, by the clock of this machine, the last time came from Redis. */
  get age(): number {
    return this.#local.monotonic() - this.#wall.readAt;
  }

  /** Takes over the time in an answer. The way of the answer is not counted, unless the own time is ahead. */
  set({ wall, monotonic }: Moment): void {
    const readAt = this.#local.monotonic();
    Object.assign(this.#wall, { time: wall, readAt });
    if (monotonic > this.monotonic()) Object.assign(this.#monotonic, { time: monotonic, readAt });
  }
}
