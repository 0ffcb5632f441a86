/** What can be answered with no request: from a replica, or from the small things that are held by themselves. */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { listBudgets } from '../operations/budgets.ts';
import type { DataOf, Immutable, Operation } from '../operations/operation.ts';
import { getUser } from '../operations/user.ts';
import { withCancellation } from '../platform/abort.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { AccountSession } from './session.ts';

type Input = Readonly<Record<string, unknown>>;

/** Undefined for an id that is not held: it may have come since, and if not, the service says so better. */
export function readFromReplica<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  replica: BudgetReplica,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
): Immutable<DataOf<Output>> | undefined {
  try {
    return operation.readLocally?.(replica, input);
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}

/** What is not of one budget, changes seldom, and is held by itself: who the user is, and which budgets there are. */
export async function readCachedUserOrBudgets(
  { directory, freshness, user }: AccountSession,
  operation: Operation,
  input: Input,
  signal?: AbortSignal,
) {
  if (!freshness) return undefined;
  if (operation.name === getUser.name) return withCancellation(user(), signal);
  if (operation.name !== listBudgets.name || input['include_accounts']) return undefined;
  let { list, readAt } = await directory.current(signal);
  let budgets = await freshness.withCachedHeads(list.budgets, readAt, signal);
  if (!budgets) {
    // One of them is gone, and not held any more.
    ({ list, readAt } = await directory.currentAnew(signal));
    budgets = (await freshness.withCachedHeads(list.budgets, readAt, signal)) ?? list.budgets;
  }
  const default_budget = budgets.find(({ id }) => id === list.default_budget?.id) ?? list.default_budget;
  return { asOf: readAt, data: { budgets, default_budget } };
}
