/** Advances time as soon as no request and no reading of a file is in progress and everything else waits for the clock. */
import { setImmediate } from 'node:timers/promises';
import { bankThread } from '../../src/features/reconcile/bank-thread.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import type { ManualClock } from '../manual-clock.helper.ts';

/** A sender whose requests in progress a test can observe. */
export class WatchedSender extends HttpSender {
  #open = 0;
  #waiting: (() => void)[] = [];

  override async exchange(
    ...exchange: Parameters<HttpSender['exchange']>
  ): ReturnType<HttpSender['exchange']> {
    this.#open += 1;
    try {
      return await super.exchange(...exchange);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** Resolves when no request is in progress and none follows at once. */
  async idle(): Promise<void> {
    do {
      if (this.#open > 0) await new Promise<void>((go) => this.#waiting.push(go));
      await setImmediate();
    } while (this.#open > 0);
  }
}

/** The result of `work`. The clock advances to the next timer as soon as nothing else is in progress. */
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
    let last: Promise<unknown>;
    do {
      last = bankThread.lastTask;
      await last;
      await sender.idle();
    } while (last !== bankThread.lastTask);
    if (!isOver) clock.advanceToNext();
  }
  return work;
}
