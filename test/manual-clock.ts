import type { Clock } from '../src/clock.ts';

interface Sleeper {
  readonly wakesAt: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(start: number | string) {
    this.#now = new Date(start).getTime();
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { wakesAt: this.#now + milliseconds, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Moves the time on and wakes, in order, everybody whose time has come. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#sleepers.filter(({ wakesAt }) => wakesAt <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ wakesAt }) => wakesAt > this.#now);
    for (const { wake } of due.toSorted((a, b) => a.wakesAt - b.wakesAt)) wake();
  }
}

/** A clock whose sleepers wake at once: to sleep moves it on. For whoever waits only to be polite. */
export class HurriedClock extends ManualClock {
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.advance(milliseconds);
    return Promise.resolve();
  }
}
