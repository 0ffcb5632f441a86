/** The whole budget of a call, for tools that compute their answer from it. */
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { CallReplica } from '../session/call-result.ts';

/** Throws `budget_not_cached` if there is no cache or the budget is too large for it, or why it could not be loaded. */
export async function readWholeBudget(call: BudgetCall): Promise<CallReplica> {
  const found = await call.replica();
  if (found) return { ...found, replica: call.observed(found.replica) };
  throw await call.whyNotCached();
}

/** What `compute` makes of the budget. Where it throws, it may have become possible elsewhere: it is tried again with the newest. */
export async function computeFromBudget<Result>(
  call: BudgetCall,
  compute: (replica: BudgetReplica) => Result | Promise<Result>,
): Promise<Result> {
  const { replica } = await readWholeBudget(call);
  try {
    return await compute(replica);
  } catch {
    return compute(call.observed((await call.refresh(false)).replica));
  }
}
