/**
 * What callers learn while the store of the server cannot be used, because another process blocks its file for example. The
 * reason is for the log only. Nothing is answered without the store: who has access, and as whom, is only known there.
 */
import { BudgetError } from '../errors.ts';
import { StoreError } from '../state/store-error.ts';

export const UNAVAILABLE = 'This server cannot use its storage now. Try again in a minute.';

export const UNAVAILABLE_STATUS = 503;

export const isUnavailable = (error: unknown): error is StoreError => error instanceof StoreError;

/** For tools. Throws `storage_unavailable` if the store cannot be used. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((cause: unknown) => {
    if (!isUnavailable(cause)) throw cause;
    throw new BudgetError('storage_unavailable', 'The storage of this server cannot be used now.', { cause });
  });
}
