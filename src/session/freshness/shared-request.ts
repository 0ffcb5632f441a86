/** A load or sync that any number of callers wait for. It is cancelled when the last of them stops waiting. */
import { OVER, withCancellation } from '../../base/abort.ts';

/** Called with the number of bytes received so far. */
export type OnProgress = (received: number) => void;

export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export class SharedRequest<Result> {
  /** The number of writes when it was started. */
  readonly writes: number;
  readonly isFullLoad: boolean;
  /** Rejects immediately when it is cancelled. */
  readonly result: Promise<Result>;
  readonly #controller = new AbortController();
  readonly #listeners = new Set<OnProgress>();
  #waiting = 0;

  constructor(
    { writes, isFullLoad }: Pick<SharedRequest<Result>, 'writes' | 'isFullLoad'>,
    start: (signal: AbortSignal, onProgress: OnProgress) => Promise<Result>,
  ) {
    this.writes = writes;
    this.isFullLoad = isFullLoad;
    const { signal } = this.#controller;
    const onProgress: OnProgress = (received) => {
      for (const listener of this.#listeners) listener(received);
    };
    this.result = withCancellation(start(signal, onProgress), signal);
  }

  /** `onEnd` is called when no more callers may join: when the request has settled, or as soon as it is cancelled. */
  onSettled(onEnd: () => void): void {
    this.result.then(onEnd, onEnd);
    this.#controller.signal.addEventListener('abort', onEnd);
  }

  async join({ signal, onProgress }: Waiting = {}): Promise<Result> {
    this.#waiting += 1;
    if (onProgress) this.#listeners.add(onProgress);
    try {
      return await withCancellation(this.result, signal);
    } finally {
      this.#waiting -= 1;
      if (onProgress) this.#listeners.delete(onProgress);
      if (this.#waiting === 0) this.#controller.abort(OVER);
    }
  }
}
