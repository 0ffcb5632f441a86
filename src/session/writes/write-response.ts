/**
 * What the response to a write shows: its entities, how a later response is recognised as one that contains the write, and the
 * delta after it. The delta is optional, because the write itself has succeeded.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Clock, type Moment, momentOf } from '../../base/clock.ts';
import { foundBy, undefinedIfExpected } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { BudgetExport } from '../../base/schema/budget.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import { transactionsIn } from '../../base/schema/reconcilable.ts';
import { idsWithSides, type ReconciledMove, reconciledMoves } from '../../model/bookkeeping/reconciled.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { getBudget } from '../../operations/budgets.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { WriteResult } from '../call-result.ts';
import type { Evidence } from '../freshness/watermarks.ts';
import type { CurrentReads } from './lost-write.ts';

export interface CompletedWrite {
  readonly budgetId: string;
  readonly kind: OperationKind;
  readonly data: JsonObject;
  /** The knowledge just before the write, or an earlier one. */
  readonly since: number;
  /** How many milliseconds the host still waits. Zero or less if no host waits, so that there is no hurry. */
  readonly remainingMs: number;
}

const MAX_READ_MS = 3_000;
const ATTEMPTS = 2;

/** With the time of its request. Undefined if the delta cannot be read in time, or does not contain the write. */
export async function readDeltaAfterWrite(
  reads: CurrentReads,
  clock: Clock,
  { budgetId, kind, data, since, remainingMs }: CompletedWrite,
): Promise<{ readonly delta: BudgetExport; readonly asOf: Moment } | undefined> {
  const asOf = momentOf(clock);
  const timeoutMs = remainingMs > 0 ? Math.min(remainingMs, MAX_READ_MS) : MAX_READ_MS;
  const options = { since, spending: 'read', timeoutMs } as const;
  const reading = reads.read(getBudget, { budget_id: budgetId }, options, ATTEMPTS);
  const delta = await reading.catch(undefinedIfExpected);
  return delta && containsWrite(delta, kind, data) ? { delta, asOf } : undefined;
}

/**
 * Whether the delta contains the write, because a copy of the service may lag. If the response to the write had a
 * knowledge, `CurrentReads` has already rejected responses from before it. Otherwise the created or deleted entities
 * must be in the delta.
 */
function containsWrite({ budget }: BudgetExport, kind: OperationKind, data: JsonObject): boolean {
  if (kind === 'update' || knowledgeOf(data) !== undefined) return true;
  const changed = new Set(creatableIn(budget).map(({ id }) => id));
  return idsIn(data).every((id) => changed.has(id));
}

/** The changed entities that a creation may have created. */
export const creatableIn = (budget: BudgetExport['budget']) => [
  ...budget.accounts,
  ...budget.category_groups,
  ...budget.categories,
  ...budget.payees,
  ...budget.transactions,
  ...budget.scheduled_transactions,
];

/** The entities in the response to a write, which has one entity or a list. */
export function rowsOf(data: JsonObject): JsonObject[] {
  return Object.values(data).flat().filter(isJsonObject);
}

/** The ids of the entities in the response to a write. */
export function idsIn(data: JsonObject): string[] {
  const ids = [...rowsOf(data).map(({ id }) => id), ...[data['transaction_ids'] ?? []].flat()];
  return [...new Set(ids.map(String))];
}

const row = z.looseObject({ id: z.string() });
const rows = z.object({
  account: row.optional(),
  scheduled_transaction: row.optional(),
  transaction_ids: z.array(z.string()).optional(),
});

/**
 * How a write has moved the reconciled balances of accounts. The response lacks other sides of transfers, which are in `changed`.
 * An import that was matched was there before.
 */
export function reconciledBy(
  kind: OperationKind,
  before: readonly JsonObject[] | undefined,
  { data, changed }: Pick<WriteResult, 'data' | 'changed'>,
): readonly ReconciledMove[] {
  if (kind !== 'create' && !before) return [];
  const known = transactionsIn(before ?? []);
  const isWritten = ({ matched_transaction_id: id }: JsonObject) => kind !== 'create' || id === null;
  const written = transactionsIn(rowsOf(data).filter(isWritten));
  const ids = idsWithSides([...known, ...written]);
  const others = changed?.transactions.filter(({ id }) => ids.has(id)) ?? [];
  return reconciledMoves(known, [...others, ...written]);
}

/** By the `server_knowledge`, or by the entities: accounts, scheduled transactions and imports have no knowledge. Undefined without either. */
export function evidenceOf(kind: OperationKind, data: unknown): Evidence | undefined {
  const knowledge = knowledgeOf(data);
  if (knowledge !== undefined) return { knowledge };
  const { account, scheduled_transaction, transaction_ids: imported = [] } = rows.parse(data);
  if (account) return evidenceByContent(kind, account, (replica) => replica.accounts);
  if (scheduled_transaction)
    return evidenceByContent(kind, scheduled_transaction, (replica) => replica.scheduledTransactions);
  if (imported.length === 0) return undefined;
  const isIn = (replica: BudgetReplica) => (id: string) =>
    foundBy(() => replica.transactions.get(id)) !== undefined;
  return { id: imported.join(' '), shows: (replica) => imported.every(isIn(replica)) };
}

/** A created entity may have been changed since. A changed entity must equal the one in the response. */
function evidenceByContent(
  kind: OperationKind,
  written: z.output<typeof row>,
  tableOf: (replica: BudgetReplica) => { get(id: string): object },
): Evidence {
  const { id } = written;
  return {
    id,
    shows: (replica) => {
      const found = foundBy(() => tableOf(replica).get(id));
      if (kind === 'delete') return found === undefined;
      return found !== undefined && (kind === 'create' || isDeepStrictEqual(found, written));
    },
  };
}

/** The parts of `data` that `evidenceOf` needs. */
export function evidenceIn(data: JsonObject): JsonObject {
  const server_knowledge = knowledgeOf(data);
  return server_knowledge === undefined ? rows.parse(data) : { server_knowledge };
}
