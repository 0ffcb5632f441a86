import { type Clock, yieldTurn } from '../src/base/clock.ts';

interface Sleeper {
  readonly wakesAt: number;
  readonly wake: () => void;
}

/** Lets all go on that does not wait for the time, in so many turns of the event loop. */
export async function yieldTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await yieldTurn();
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #sleepers: Sleeper[] = [];

  constructor(start: number | string) {
    this.#now = new Date(start).getTime();
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const sleeper = { wakesAt: this.#monotonic + milliseconds, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Advances the time and wakes, in order, all sleepers that are due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    this.#monotonic += milliseconds;
    const due = this.#sleepers.filter(({ wakesAt }) => wakesAt <= this.#monotonic);
    this.#sleepers = this.#sleepers.filter(({ wakesAt }) => wakesAt > this.#monotonic);
    for (const { wake } of due.toSorted((a, b) => a.wakesAt - b.wakesAt)) wake();
  }

  /** Milliseconds until the next sleeper wakes. Undefined if there is none. */
  get nextWakeIn(): number | undefined {
    if (this.#sleepers.length === 0) return undefined;
    return Math.max(0, Math.min(...this.#sleepers.map(({ wakesAt }) => wakesAt)) - this.#monotonic);
  }

  /** Advances the time to the next sleeper. Does nothing if there is none. */
  advanceToNext(): void {
    const next = Math.min(...this.#sleepers.map(({ wakesAt }) => wakesAt));
    if (Number.isFinite(next)) this.advance(next - this.#monotonic);
  }

  /** Sets the wall clock, like a person, a time server or the sleep of a laptop. Timers do not move. */
  setWallClock(milliseconds: number): void {
    this.#now = milliseconds;
  }
}

/** A clock on which sleeping advances the time and returns at once. */
export class AutoAdvanceClock extends ManualClock {
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.advance(milliseconds);
    return Promise.resolve();
  }
}

/** A clock on which delays before a retry end at once. Others, and sleeps of ten seconds or more, still wait for `clock`. */
export const unhurried = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: (milliseconds, signal, isBackground = false) =>
    milliseconds < 10_000 && !isBackground ? Promise.resolve() : clock.sleep(milliseconds, signal),
});
