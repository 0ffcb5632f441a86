/** How often a password may be tried: a few times in a quarter of an hour, whether the user exists or not. */
import type { Clock } from '../../platform/clock.ts';

const MAX_TRIES = 5;
const WINDOW_MS = 900_000;

export class Attempts {
  readonly #clock: Clock;
  readonly #since = new Map<string, { start: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt before its outcome is known; false when there were too many. */
  take(who: string): boolean {
    const now = this.#clock.now();
    for (const [key, { start }] of this.#since) if (start <= now - WINDOW_MS) this.#since.delete(key);
    const tried = this.#since.get(who) ?? { start: now, count: 0 };
    this.#since.set(who, tried);
    tried.count += 1;
    return tried.count <= MAX_TRIES;
  }

  /** After one that was right. */
  forget(who: string): void {
    this.#since.delete(who);
  }
}
