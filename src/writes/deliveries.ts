/**
 * Outcomes on their way to a host. That way is not over when the outcome leaves this part of the program. So a write stays in
 * the store until the answer was sent: after a kill or a lost connection in between, an equal call still gets the outcome,
 * and is not written a second time.
 */
import { withCancellation } from '../platform/abort.ts';
import type { Clock } from '../platform/clock.ts';
import type { WaitingHost } from './waiting-host.ts';

/** Enough for formatting and sending an answer, where it is not known when it was sent. */
const DELIVERY_MS = 1_000;

export class Deliveries {
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `end` when it is known whether the host has got the outcome. */
  follow({ answered }: Pick<WaitingHost, 'answered'>, end: (isDelivered: boolean) => Promise<unknown>): void {
    const { signal } = this.#ending;
    const sent = answered ?? this.#clock.sleep(DELIVERY_MS, signal).then(() => true);
    const open = withCancellation(sent, signal)
      .catch(() => true)
      .then(async (isDelivered) => {
        await end(isDelivered);
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
