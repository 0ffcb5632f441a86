/** Lets one caller stop waiting for work that other callers wait for too. */
import { BudgetError } from './errors.ts';

export const cancelledError = () => new BudgetError('cancelled', 'The call was cancelled.');

/** Rejects with `cancelled` as soon as `signal` is aborted. The work itself continues. */
export async function withCancellation<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const settled = new AbortController();
  const cancellation = new Promise<never>((_, reject) => {
    const cancel = () => reject(cancelledError());
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { signal: settled.signal });
  });
  return Promise.race([work, cancellation]).finally(() => settled.abort());
}
