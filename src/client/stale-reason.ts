/** Why an answer is older than it should be, in words. */
import type { BudgetError } from '../errors.ts';

export interface StaleCauses {
  /** What a newer one failed with. */
  readonly error?: BudgetError | undefined;
  /** The service answered from an older state than before. */
  readonly isLagging?: boolean;
  /** When the write of ours ended that it may lack, in milliseconds since the epoch. */
  readonly writeAt?: number | undefined;
}

/** Undefined where there is none. */
export function formatStaleReason({ error, isLagging: isBehind = false, writeAt }: StaleCauses): string | undefined {
  const reasons = [
    error?.message,
    !error && isBehind && 'The service answered from an older state than before.',
    writeAt !== undefined && `A write of ${new Date(writeAt).toISOString()} may be missing from it.`,
  ].filter(Boolean);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}
