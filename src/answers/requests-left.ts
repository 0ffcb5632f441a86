/** Whether the hour has enough requests for several writes. They are not begun if they could not be completed. */

import { BudgetError } from '../base/errors.ts';
import type { BudgetCall } from '../session/budget-call.ts';

/** `nothingDone` says in words that nothing was done. Throws `rate_budget_spent`. */
export async function checkRequestsLeft(
  call: Pick<BudgetCall, 'status'>,
  needed: number,
  nothingDone: string,
): Promise<void> {
  const { left, returnsAt, allBackAt } = (await call.status()).requests;
  if (needed <= left) return;
  const at = new Date(returnsAt[needed - left - 1] ?? allBackAt).toISOString();
  throw new BudgetError(
    'rate_budget_spent',
    `This call ${nothingDone}: it needs ${needed} requests, and ${left} are left. That many are free at ${at}.`,
  );
}
