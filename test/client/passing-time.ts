/** Time that passes as soon as all that is under way waits for nothing else. */
import { setImmediate } from 'node:timers/promises';
import { HttpSender } from '../../src/client/http-sender.ts';
import type { ManualClock } from '../manual-clock.ts';

/** A sender of which a test knows whether a request is under way. */
export class WatchedSender extends HttpSender {
  #open = 0;
  #waiting: (() => void)[] = [];

  override async send(...exchange: Parameters<HttpSender['send']>): ReturnType<HttpSender['send']> {
    this.#open += 1;
    try {
      return await super.send(...exchange);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** Resolves when none is under way, and none follows at once. */
  async idle(): Promise<void> {
    do {
      if (this.#open > 0) await new Promise<void>((go) => this.#waiting.push(go));
      await setImmediate();
    } while (this.#open > 0);
  }
}

/** What `work` gives; whoever sleeps by `clock` wakes as soon as there is nothing else to wait for. */
export async function inPassingTime<T>(
  work: Promise<T>,
  { clock, sender }: { readonly clock: ManualClock; readonly sender: WatchedSender },
): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    await sender.idle();
    if (!isOver) clock.advanceToNext();
  }
  return work;
}
