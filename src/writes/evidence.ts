/**
 * How later answers are recognised to be from after a write: by the `server_knowledge` that it told or, where the
 * interface tells none (accounts, scheduled transactions), by what it says that there is now.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { OperationKind } from '../operations/operation.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Evidence } from '../replica/watermarks.ts';
import { knowledgeOf } from '../schema/knowledge.ts';

const row = z.looseObject({ id: z.string() });
const rows = z.object({ account: row.optional(), scheduled_transaction: row.optional() });

/** `data` is the answer to a write. Undefined where nothing in it can be recognised. */
export function evidenceOf(effect: OperationKind, data: unknown): Evidence | undefined {
  const knowledge = knowledgeOf(data);
  if (knowledge !== undefined) return { knowledge };
  const { account, scheduled_transaction } = rows.parse(data);
  if (account) return shownBy(effect, account, ({ accounts }, id) => accounts.get(id));
  if (scheduled_transaction)
    return shownBy(effect, scheduled_transaction, (replica, id) => replica.scheduledTransactions.get(id));
  return undefined;
}

/** What was created may have been changed since; what was changed must be as the answer showed it. */
function shownBy(
  effect: OperationKind,
  sent: z.output<typeof row>,
  find: (replica: BudgetReplica, id: string) => object,
): Evidence {
  const { id } = sent;
  return {
    id,
    shows: (replica) => {
      const found = orUndefined(() => find(replica, id));
      if (effect === 'delete') return found === undefined;
      return found !== undefined && (effect === 'create' || isDeepStrictEqual(found, sent));
    },
  };
}

function orUndefined<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}
