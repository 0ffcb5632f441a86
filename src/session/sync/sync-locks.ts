/**
 * One process at a time requests a budget, so that the others need not ask for what it gets. A process that does not get
 * the lock in time goes on without it: the holder may be suspended, and a read does no harm.
 */
import type { Clock } from '../../base/clock.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import type { SyncLock } from '../freshness/replica-sharing.ts';

/** After it has waited in vain, it does not wait again for this time. Otherwise each question would take longer. */
const NO_WAIT_MS = 60_000;

export class SyncLocks {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  /** When this process has last waited in vain for each budget, by the monotonic clock. */
  readonly #waitedInVain = new Map<string, number>();

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async take(budgetId: string, waitMs: number, signal: AbortSignal): Promise<SyncLock> {
    const name = `read ${budgetId}`;
    const immediate = await this.#store.lock(name, { waitMs: 0, signal });
    if (immediate) {
      this.#waitedInVain.delete(budgetId);
      return { release: immediate, hasWaited: false };
    }
    const waitedAt = this.#waitedInVain.get(budgetId);
    const isWaiting = waitedAt === undefined || this.#clock.monotonic() - waitedAt >= NO_WAIT_MS;
    const release = isWaiting ? await this.#store.lock(name, { waitMs, signal }) : undefined;
    if (isWaiting && !release) this.#waitedInVain.set(budgetId, this.#clock.monotonic());
    return { release, hasWaited: true };
  }
}
