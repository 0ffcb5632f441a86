/**
 * Outcomes on their way to a host. That way is not over when the outcome leaves this part of the program. So a write stays in
 * the store until the answer was sent: after a kill or a lost connection in between, an equal call still gets the outcome,
 * and is not written a second time.
 */
import { setMaxListeners } from 'node:events';
import { withCancellation } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { WaitingHost } from './waiting-host.ts';

/** Enough for formatting and sending an answer, where it is not known when it was sent. */
const DELIVERY_MS = 1_000;

export class Deliveries {
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    // All outcomes that are on their way wait on it. Node.js would take more than ten for a leak.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Calls `end` when it is known whether the host has got the outcome. */
  follow({ answered }: Pick<WaitingHost, 'answered'>, end: (isDelivered: boolean) => Promise<unknown>): void {
    const open = this.#isDelivered(answered).then(async (isDelivered) => {
      await end(isDelivered);
      this.#open.delete(open);
    });
    this.#open.add(open);
  }

  /**
   * Ends all deliveries soon, because the program ends in an orderly way. An answer that is not sent then counts as not
   * delivered. Where that is not known, it counts as delivered.
   */
  async finish(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#open);
  }

  async #isDelivered(answered: Promise<boolean> | undefined): Promise<boolean> {
    const { signal } = this.#ending;
    if (!answered) {
      await this.#clock.sleep(DELIVERY_MS, signal).catch(() => {});
      return true;
    }
    const isSent = await withCancellation(answered, signal).catch(() => undefined);
    if (isSent !== undefined) return isSent;
    const settled = new AbortController();
    const limit = this.#clock.sleep(DELIVERY_MS, settled.signal).then(() => false);
    return Promise.race([answered, limit]).finally(() => settled.abort());
  }
}
