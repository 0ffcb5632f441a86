/**
 * What this program has created itself or told of as a twin, by id: none of it is a lost write that is looked for, nor
 * the twin of a later one. The knowledge of the service would tell, but not every answer to a write has any.
 */
import type { Clock } from '../platform/clock.ts';

/** As long as a lost write may be looked for. */
const KEPT_MS = 20 * 60_000;

export class OwnRows {
  readonly #clock: Clock;
  /** Ids, with the time until which they are kept, by the monotonic clock; those that are kept longest come last. */
  readonly #keptUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(ids: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const [id, until] of this.#keptUntil) {
      if (until > now) break;
      this.#keptUntil.delete(id);
    }
    for (const id of ids) this.#keptUntil.set(id, now + KEPT_MS);
  }

  has(id: string): boolean {
    return this.#keptUntil.has(id);
  }
}
