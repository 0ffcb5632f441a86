/** One load or sync that any number of callers wait for. It is cancelled when the last of them is gone. */
import { unlessCancelled } from '../cancellation.ts';

/** Told of the bytes that have come so far. */
export type OnBytes = (received: number) => void;

export interface FlightPlan {
  /** The count of writes when it was asked for. */
  readonly writes: number;
  /** Whether it asks for the whole budget. */
  readonly isWhole: boolean;
}

export class Flight<Landed> implements FlightPlan {
  readonly writes: number;
  readonly isWhole: boolean;
  /** Rejects as soon as it is cancelled. */
  readonly landed: Promise<Landed>;
  readonly #controller = new AbortController();
  /** Those of the callers that want to know how far it is. */
  readonly #listeners = new Set<OnBytes>();
  #waiting = 0;

  constructor(
    { writes, isWhole }: FlightPlan,
    start: (signal: AbortSignal, tell: OnBytes) => Promise<Landed>,
  ) {
    this.writes = writes;
    this.isWhole = isWhole;
    const { signal } = this.#controller;
    const tell: OnBytes = (received) => {
      for (const listener of this.#listeners) listener(received);
    };
    this.landed = unlessCancelled(start(signal, tell), signal);
  }

  /** `forget` is called once nobody may board any more: when it has landed and, at once, when it is cancelled. */
  onOver(forget: () => void): void {
    this.landed.then(forget, forget);
    this.#controller.signal.addEventListener('abort', forget);
  }

  async board(signal?: AbortSignal, onBytes?: OnBytes): Promise<Landed> {
    this.#waiting += 1;
    if (onBytes) this.#listeners.add(onBytes);
    try {
      return await unlessCancelled(this.landed, signal);
    } finally {
      this.#waiting -= 1;
      if (onBytes) this.#listeners.delete(onBytes);
      if (this.#waiting === 0) this.#controller.abort();
    }
  }
}
