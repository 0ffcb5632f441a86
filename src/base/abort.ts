/** Waits that end before the work that is waited for: when the caller gives up, or after a time. The work itself continues. */
import type { Clock } from './clock.ts';
import { BudgetError } from './errors.ts';

/** The reason of an abort that only cleans up. Without a reason, each abort makes an error with the stack of calls. */
export const OVER = 'over';

export const cancelledError = () => new BudgetError('cancelled', 'The call was cancelled.');

/** For the `catch` of a sleep, which fails only if its signal is aborted. */
export function throwCancelled(): never {
  throw cancelledError();
}

/**
 * Calls `listener` when `signal` is aborted, or at once if it is. The returned function ends that. The option `signal` of
 * `addEventListener` cannot be used for it: Node.js may lose the removal while another listener of that kind is added.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  signal?.addEventListener('abort', listener);
  return () => signal?.removeEventListener('abort', listener);
}

/** Rejects with `cancelled` as soon as `signal` is aborted. */
export async function withCancellation<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stopListening = () => {};
  const cancellation = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(cancelledError()));
  });
  return Promise.race([work, cancellation]).finally(stopListening);
}

/** What `late` returns, if the work takes longer than `milliseconds`. `isBackground` is that of `Clock.sleep`. */
export async function withTimeLimit<Result>(
  clock: Clock,
  milliseconds: number,
  work: Promise<Result>,
  late: () => Result,
  isBackground = false,
): Promise<Result> {
  const settled = new AbortController();
  const limit = clock.sleep(milliseconds, settled.signal, isBackground).then(late);
  return Promise.race([work, limit]).finally(() => settled.abort(OVER));
}
