/** How whoever waits for work that others wait for too can leave it. */
import { BudgetError } from '../errors.ts';

export const cancelledError = () => new BudgetError('cancelled', 'The call was cancelled.');

/** The same, but `cancelled` as soon as `signal` is aborted; the work itself goes on. */
export async function withCancellation<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const over = new AbortController();
  const cancellation = new Promise<never>((_, reject) => {
    const cancel = () => reject(cancelledError());
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { signal: over.signal });
  });
  return Promise.race([work, cancellation]).finally(() => over.abort());
}
