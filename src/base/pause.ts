/** A wait before the program stops. The next signal of the system ends the wait instead of ending the process. */
import type { Clock } from './clock.ts';

export class Pause {
  #ended: AbortController | undefined;

  /** Resolves after `milliseconds`, or when `end` is called. */
  async wait(clock: Clock, milliseconds: number): Promise<void> {
    const ended = new AbortController();
    this.#ended = ended;
    await clock.sleep(milliseconds, ended.signal).catch(() => {});
    if (this.#ended === ended) this.#ended = undefined;
  }

  /** Returns whether a wait was in progress. */
  end(): boolean {
    const ended = this.#ended;
    this.#ended = undefined;
    ended?.abort();
    return ended !== undefined;
  }
}
