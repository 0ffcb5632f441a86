/**
 * How to recognise that a later response contains a write: by the `server_knowledge` in the response to the write. The
 * interface gives none for accounts, scheduled transactions and imports, so for these by the entities themselves.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { BudgetError } from '../../base/errors.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { Evidence } from '../freshness/watermarks.ts';

const row = z.looseObject({ id: z.string() });
const rows = z.object({
  account: row.optional(),
  scheduled_transaction: row.optional(),
  transaction_ids: z.array(z.string()).optional(),
});

/** `data` is from the response to a write. Undefined if it contains neither a knowledge nor such an entity. */
export function evidenceOf(kind: OperationKind, data: unknown): Evidence | undefined {
  const knowledge = knowledgeOf(data);
  if (knowledge !== undefined) return { knowledge };
  const { account, scheduled_transaction, transaction_ids: imported = [] } = rows.parse(data);
  if (account) return evidenceByContent(kind, account, ({ accounts }, id) => accounts.get(id));
  if (scheduled_transaction)
    return evidenceByContent(kind, scheduled_transaction, (replica, id) =>
      replica.scheduledTransactions.get(id),
    );
  if (imported.length === 0) return undefined;
  const isIn = (replica: BudgetReplica) => (id: string) =>
    undefinedIfNotFound(() => replica.transactions.get(id)) !== undefined;
  return { id: imported.join(' '), shows: (replica) => imported.every(isIn(replica)) };
}

/** A created entity may have been changed since. A changed entity must equal the one in the response. */
function evidenceByContent(
  kind: OperationKind,
  written: z.output<typeof row>,
  find: (replica: BudgetReplica, id: string) => object,
): Evidence {
  const { id } = written;
  return {
    id,
    shows: (replica) => {
      const found = undefinedIfNotFound(() => find(replica, id));
      if (kind === 'delete') return found === undefined;
      return found !== undefined && (kind === 'create' || isDeepStrictEqual(found, written));
    },
  };
}

function undefinedIfNotFound<Found>(find: () => Found): Found | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}
