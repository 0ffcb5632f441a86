/**
 * Outcomes that were given to a host a moment ago. The way to the host is not over when the outcome leaves this part of
 * the program. So an entry is removed from the store some time later: after a kill in between, an equal call still gets
 * the outcome, and is not written a second time.
 */
import type { Clock } from '../platform/clock.ts';

/** Enough for formatting and sending the answer. */
const DELIVERY_MS = 1_000;

export class Deliveries {
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `finish` when the outcome has reached the host. */
  finishLater(finish: () => Promise<unknown>): void {
    const open = this.#clock
      .sleep(DELIVERY_MS, this.#ending.signal)
      .catch(() => {})
      .then(async () => {
        await finish();
        this.#open.delete(open);
      });
    this.#open.add(open);
  }

  /** Finishes all deliveries at once, because the program ends in an orderly way. */
  async finish(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#open);
  }
}
