/** The whole budget of a call, for tools that compute their answer from it. */

import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { Freshness } from '../session/call-result.ts';

export interface WholeBudget {
  readonly replica: BudgetReplica;
  readonly freshness: Freshness;
}

/** Throws `budget_not_cached` if there is no cache or the budget is too large for it, or why it could not be loaded. */
export async function readWholeBudget(call: BudgetCall): Promise<WholeBudget> {
  const found = await call.replica();
  if (found) return found;
  throw call.whyNotCached;
}
