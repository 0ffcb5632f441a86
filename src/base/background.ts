/** Work that a server does again and again until it is closed. */
import type { Clock } from './clock.ts';
import { errorOf } from './errors.ts';

interface RepeatedWork {
  readonly work: () => Promise<unknown>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called if the work fails, which does not end it. */
  readonly onBug: (error: Error) => void;
}

export async function repeat({ work, everyMs, clock, signal, onBug }: RepeatedWork): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => onBug(errorOf(error)));
    await clock.sleep(everyMs, signal, true).catch(() => {});
  }
}
