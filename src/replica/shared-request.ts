/** One load or sync that any number of callers wait for. It is cancelled when the last of them is gone. */
import { withCancellation } from '../platform/abort.ts';

/** Told of the bytes that have come so far. */
export type OnProgress = (received: number) => void;

export interface SharedRequestScope {
  /** The count of writes when it was asked for. */
  readonly writes: number;
  /** Whether it asks for the whole budget. */
  readonly isFullLoad: boolean;
}

export class SharedRequest<Landed> implements SharedRequestScope {
  readonly writes: number;
  readonly isFullLoad: boolean;
  /** Rejects as soon as it is cancelled. */
  readonly result: Promise<Landed>;
  readonly #controller = new AbortController();
  /** Those of the callers that want to know how far it is. */
  readonly #listeners = new Set<OnProgress>();
  #waiting = 0;

  constructor(
    { writes, isFullLoad }: SharedRequestScope,
    start: (signal: AbortSignal, tell: OnProgress) => Promise<Landed>,
  ) {
    this.writes = writes;
    this.isFullLoad = isFullLoad;
    const { signal } = this.#controller;
    const tell: OnProgress = (received) => {
      for (const listener of this.#listeners) listener(received);
    };
    this.result = withCancellation(start(signal, tell), signal);
  }

  /** `forget` is called once nobody may board any more: when it has landed and, at once, when it is cancelled. */
  onSettled(forget: () => void): void {
    this.result.then(forget, forget);
    this.#controller.signal.addEventListener('abort', forget);
  }

  async join(signal?: AbortSignal, onBytes?: OnProgress): Promise<Landed> {
    this.#waiting += 1;
    if (onBytes) this.#listeners.add(onBytes);
    try {
      return await withCancellation(this.result, signal);
    } finally {
      this.#waiting -= 1;
      if (onBytes) this.#listeners.delete(onBytes);
      if (this.#waiting === 0) this.#controller.abort();
    }
  }
}
