/** The whole budget of a call, for tools that compute their answer from it. */
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallReplica } from '../session/call-result.ts';

/** Throws `budget_not_cached` if there is no cache or the budget is too large for it, or why it could not be loaded. */
export async function readWholeBudget(call: BudgetCall): Promise<CallReplica> {
  const found = await call.replica();
  if (found) return found;
  throw call.whyNotCached;
}
