/**
 * Changes of a store that belong to something which has already happened, such as a write that was carried out. A store that
 * fails must not hide that, so they are made later, when the store can be used again.
 */
import type { Clock } from '../base/clock.ts';
import { ignoreStoreError, StoreError } from './store-error.ts';

/** A change has to have the same result if it is made twice: a store that failed may have made it. */
type MakeChange = () => Promise<unknown>;

const PAUSE_MS = 1_000;

export class LaterChanges {
  readonly #clock: Clock;
  #waiting: readonly MakeChange[] = [];
  readonly #attempts = new Set<Promise<void>>();
  #making: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether no change is under way or waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#attempts.size === 0;
  }

  /** Makes the change, or later if the store fails. While others wait it is not tried, so that a call waits only once. */
  async make(change: MakeChange): Promise<void> {
    if (this.#waiting.length > 0) return this.add(change);
    const attempt = this.#attempt(change);
    this.#attempts.add(attempt);
    await attempt.finally(() => this.#attempts.delete(attempt));
  }

  /** Makes the change later: the store has just failed. */
  add(change: MakeChange): void {
    this.#waiting = [...this.#waiting, change];
    if (this.#waiting.length === 1) void this.#makeLater();
  }

  /** Afterwards all changes are made. If it throws `StoreError`, nothing may be decided by what is in the store, nor be written down after what is missing. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#attempts);
    while (this.#waiting.length > 0) {
      this.#making ??= this.#makeAll().finally(() => {
        this.#making = undefined;
      });
      await this.#making;
    }
  }

  async #attempt(change: MakeChange): Promise<void> {
    try {
      await change();
    } catch (error) {
      ignoreStoreError(error);
      this.add(change);
    }
  }

  /** In their order: what follows may depend on what comes before. */
  async #makeAll(): Promise<void> {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      await first();
      this.#waiting = this.#waiting.slice(1);
    }
  }

  async #makeLater(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(PAUSE_MS, undefined, true);
      await this.finish().catch((error: unknown) => {
        ignoreStoreError(error);
        // What is left is found by the process that takes over.
        if (error instanceof StoreError && error.isEnd) this.#waiting = [];
      });
    }
  }
}
