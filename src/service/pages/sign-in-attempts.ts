/** Limits the number of password attempts for an email address, whether or not the user exists. */
import type { Clock } from '../../base/clock.ts';

const MAX_TRIES = 5;
const WINDOW_MS = 900_000;

export class SignInAttempts {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { start: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt before its outcome is known. Returns false when there were too many. */
  take(email: string): boolean {
    const now = this.#clock.now();
    for (const [key, { start }] of this.#windows) if (start <= now - WINDOW_MS) this.#windows.delete(key);
    const window = this.#windows.get(email) ?? { start: now, count: 0 };
    this.#windows.set(email, window);
    window.count += 1;
    return window.count <= MAX_TRIES;
  }

  /** Called after a successful attempt. */
  reset(email: string): void {
    this.#windows.delete(email);
  }
}
