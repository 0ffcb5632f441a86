/**
 * The ids of entities that this program created or has already reported as possible duplicates. Such an entity cannot
 * be the result of a lost write, nor a possible duplicate of a later write. Ids are remembered because not every
 * response to a write has a `server_knowledge` that would show which entities are new.
 */
import type { Clock } from '../../base/clock.ts';

/** Longer than the search for a lost write can take. */
const MAX_AGE_MS = 20 * 60_000;

export class OwnRows {
  readonly #clock: Clock;
  /** The expiry of each id by the monotonic clock. The last expiry comes last. */
  readonly #expiresAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(ids: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const [id, expiresAt] of this.#expiresAt) {
      if (expiresAt > now) break;
      this.#expiresAt.delete(id);
    }
    for (const id of ids) this.#expiresAt.set(id, now + MAX_AGE_MS);
  }

  has(id: string): boolean {
    return this.#expiresAt.has(id);
  }
}
