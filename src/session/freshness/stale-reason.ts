/** The text that says why a result is older than it should be. */
import type { BudgetError } from '../../base/errors.ts';

export interface StaleCauses {
  /** The error of the attempt to get newer data. */
  readonly error?: BudgetError | undefined;
  /** The service answered from an older state than before. */
  readonly isLagging?: boolean;
  /** The end of the known write that may be missing, in milliseconds since the epoch. */
  readonly writeAt?: number | undefined;
}

/** Undefined if there is no cause. */
export function formatStaleReason({ error, isLagging = false, writeAt }: StaleCauses): string | undefined {
  const reasons = [
    error?.message,
    !error && isLagging && 'The service answered from an older state than before.',
    writeAt !== undefined && `A write of ${new Date(writeAt).toISOString()} may be missing from it.`,
  ].filter(Boolean);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}
