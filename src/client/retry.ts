/**
 * When a read is asked again, and after what delay. Pure. It must not know writes, which are never repeated by this
 * rule but by `CarefulWriter`'s, and nothing of the rate budget: every attempt is paid for below it.
 */
import { BudgetError, type ErrorCode } from '../errors.ts';

/**
 * Failures that a moment may mend (specification, Errors, 500 and 503). A time-out has cost the caller enough; a 429,
 * like our own refusal, lasts longer than any caller waits.
 */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'connection_lost',
  'internal_server_error',
  'service_unavailable',
]);

const DELAYS_MS = [250, 1_000] as const;

/**
 * How long to wait, in milliseconds, before the attempt after `attempt` (from 1) that ended in `error`; undefined to
 * give up. `random`, in [0, 1), spreads the delay from half to one and a half, so that those who failed together do
 * not come back together.
 */
export function delayBeforeRetry(error: unknown, attempt: number, random = 0.5): number | undefined {
  if (!(error instanceof BudgetError) || !PASSING.has(error.code)) return undefined;
  const delay = DELAYS_MS[attempt - 1];
  return delay && delay * (0.5 + random);
}
