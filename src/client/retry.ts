/**
 * Decides whether a failed read is repeated, and after which delay. Pure function. Writes are never repeated
 * (`ExactlyOnceWriter`).
 */
import { BudgetError, type ErrorCode } from '../errors.ts';

/**
 * Failures after which a repetition may succeed soon (docs/interface.md, Errors, 500 and 503). Not a time-out, because the
 * caller has already waited long. Not a used rate budget, because a caller does not wait that long.
 */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'connection_lost',
  'internal_server_error',
  'service_unavailable',
]);

const DELAYS_MS = [250, 1_000] as const;

/**
 * The delay in milliseconds after `attempt` (from 1) failed with `error`. Undefined if there is no further attempt.
 * `random`, in [0, 1), varies the delay by up to half of it, so that clients that failed together do not repeat together.
 */
export function delayBeforeRetry(error: unknown, attempt: number, random = 0.5): number | undefined {
  if (!(error instanceof BudgetError) || !RETRYABLE.has(error.code)) return undefined;
  const delay = DELAYS_MS[attempt - 1];
  return delay && delay * (0.5 + random);
}
