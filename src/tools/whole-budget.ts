/** The whole budget of a call, for tools that compute their answer from it. */
import type { BudgetCall } from '../client/budget-call.ts';
import type { Freshness } from '../client/freshness.ts';
import { BudgetError } from '../errors.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';

export interface WholeBudget {
  readonly replica: BudgetReplica;
  readonly freshness: Freshness;
}

/** Throws `budget_not_cached` if there is no cache, or if the budget is too large for it. */
export async function readWholeBudget(call: BudgetCall): Promise<WholeBudget> {
  const found = await call.replica();
  if (found) return found;
  throw new BudgetError(
    'budget_not_cached',
    'This needs the whole budget in the cache, and the budget is too large for it, or the cache is off.',
  );
}
