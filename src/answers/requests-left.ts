/** Whether the hour has enough requests for several writes. They are not begun if they could not be completed. */

import { BudgetError } from '../base/errors.ts';
import type { RateStatus } from '../session/rate-budget/rate-usage.ts';

/** `nothingDone` says in words that nothing was done. Throws `rate_budget_spent`. */
export async function checkRequestsLeft(
  { requests }: { requests(): Promise<RateStatus> },
  needed: number,
  nothingDone: string,
): Promise<void> {
  const { left, returnsAt, allBackAt } = await requests();
  if (needed <= left) return;
  const at = new Date(returnsAt[needed - left - 1] ?? allBackAt).toISOString();
  throw new BudgetError(
    'rate_budget_spent',
    `This call ${nothingDone}: it needs ${needed} requests, and ${left} are left. That many are free at ${at}.`,
  );
}
