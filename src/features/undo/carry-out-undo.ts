/**
 * Sends the writes of an undo, one after another. What the service takes in one request is sent in one, and what an hour's requests
 * do not suffice for is left for the next call.
 */
import { sendableNow } from '../../answers/requests-left.ts';
import { outcomeOf, partlyWritten } from '../../answers/write-together.ts';
import { BudgetError, foundBy, undefinedIfExpected } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { transactionsIn } from '../../base/schema/reconcilable.ts';
import {
  idsWithSides,
  type ReconciledMove,
  reconciledMoves,
  summedMoves,
} from '../../model/bookkeeping/reconciled.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Reversal } from '../../operations/reversal.ts';
import { ROWS_PER_REQUEST } from '../../operations/row-batches.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { ChangedEntities, WriteResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import { operationNamed, operationOf, targetsOf } from './take-back.ts';

/** Consecutive writes of several rows become one, in the same order. */
function joined(reversals: readonly Reversal[]): readonly Reversal[] {
  const groups: { readonly parts: Reversal[]; rows: number }[] = [];
  for (const each of reversals) {
    const rows = rowsOf(each).length;
    const last = groups.at(-1);
    const isSame = last?.parts[0]?.operation === each.operation;
    if (last && isSame && rows > 0 && last.rows + rows <= ROWS_PER_REQUEST) {
      last.parts.push(each);
      last.rows += rows;
    } else groups.push({ parts: [each], rows });
  }
  return groups.flatMap(({ parts }) => joinedGroup(parts));
}

function joinedGroup(group: readonly Reversal[]): readonly Reversal[] {
  const [first] = group;
  if (!first || group.length === 1) return group;
  const hasFollowUps = group.some(({ followUps }) => followUps);
  return [
    {
      operation: first.operation,
      input: { transactions: group.flatMap(rowsOf) },
      targets: targetsOf(group),
      ...(hasFollowUps && { followUps: (data) => followUpsOf(group, data) }),
    },
  ];
}

/** Rows without an id are new, and are in the response in the order in which they were sent. */
function followUpsOf(part: readonly Reversal[], data: JsonObject): readonly Reversal[] {
  const { transactions } = data;
  const written = Array.isArray(transactions) ? transactions.filter(isJsonObject) : [];
  let at = 0;
  return part.flatMap((each) => {
    const rows = rowsOf(each);
    at += rows.length;
    const isNew = rows.every(({ id }) => id === undefined);
    return each.followUps?.(isNew ? { transactions: written.slice(at - rows.length, at) } : data) ?? [];
  });
}

const rowsOf = ({ input: { transactions } }: Reversal): readonly JsonObject[] =>
  Array.isArray(transactions) ? transactions.filter(isJsonObject) : [];

/**
 * Whether the changes are read once after all writes. After an entry they are read at once, since the network may have delivered it
 * twice, and before what follows from a write, which needs them.
 */
const areReadOnce = (reversals: readonly Reversal[], isCached: boolean): boolean =>
  isCached && reversals.every((each) => !each.followUps && operationNamed(each.operation).kind !== 'create');

/** The requests that a write and what follows from it need: the write, the delta after it, and what a deletion reads before. */
function costOf({ operation, followUps, targets }: Reversal, isCached: boolean): number {
  const own = operationNamed(operation).kind === 'delete' ? 3 : 2;
  // Without a cache, each thing is compared by a request of its own.
  return own + (followUps ? 2 : 0) + (isCached ? 0 : targets.length);
}

/** Those of the reversals that are sent now: all, unless an hour never has enough requests for all. Throws `rate_budget_spent`. */
export async function sentNow(
  call: BudgetCall,
  reversals: readonly Reversal[],
): Promise<readonly Reversal[]> {
  const isCached = call.cachedReplica !== undefined;
  const all = joined(reversals);
  const areOnce = areReadOnce(all, isCached);
  const costs = all.map((each) => (areOnce ? 1 : costOf(each, isCached)));
  return all.slice(0, await sendableNow(call, costs, areOnce ? 1 : 0, 'undid nothing'));
}

/** Whether an hour can never have enough requests for all. */
export async function needsParts(call: BudgetCall, reversals: readonly Reversal[]): Promise<boolean> {
  const { limit } = (await call.status()).requests;
  return joined(reversals).length + 2 > limit;
}

/** Throws `partly_written` or `outcome_unknown` with what stands if one fails after another one. */
export async function carryOut(
  { write, update }: Pick<WriteSteps, 'write' | 'update'>,
  call: BudgetCall,
  reversals: readonly Reversal[],
): Promise<WriteResult<JsonObject>> {
  const replica = call.cachedReplica;
  const known = replica && areReadOnce(reversals, true) ? replica : undefined;
  const before = known && balancesOf(known);
  let knowledge = known?.knowledge ?? 0;
  const open = [...reversals];
  const results: WriteResult<JsonObject>[] = [];
  const earlier: JsonObject[] = [];
  for (let next = open.shift(); next; next = open.shift()) {
    const { operation, input } = operationOf(next);
    try {
      const rows = known && (foundBy(() => operation.stateBefore?.(known, input)) ?? []);
      const result: WriteResult<JsonObject> = await write(operation, input, rows && { rows, knowledge });
      results.push(result);
      earlier.push(...(rows ?? []));
      const { server_knowledge: after } = result.data;
      if (typeof after === 'number') knowledge = after;
      open.unshift(...joined(next.followUps?.(result.data) ?? []));
    } catch (error) {
      if (!(error instanceof BudgetError) || results.length === 0) throw error;
      const done = `${results.length} of ${results.length + 1 + open.length} writes of it are undone`;
      throw partlyWritten(
        error,
        `${done}, and then: ${error.message} undo with the same id goes on with the rest.`,
      );
    }
  }
  if (!before) return together(results);
  const after = await update().catch(undefinedIfExpected);
  return {
    ...together(results),
    ...(after && {
      changed: changedSince(before, after),
      reconciled: reconciledSince(earlier, results, after),
    }),
  };
}

function together(results: readonly WriteResult<JsonObject>[]): WriteResult<JsonObject> {
  const changes = results.flatMap(({ changed }) => changed ?? []);
  return {
    data: {},
    outcome: outcomeOf(results),
    ...(changes.length === results.length && { changed: latest(changes) }),
    possibleDuplicates: results.flatMap(({ possibleDuplicates = [] }) => possibleDuplicates),
    reconciled: summedMoves(results.flatMap(({ reconciled = [] }) => reconciled)),
  };
}

/** The last state of each thing. */
function latest(changes: readonly ChangedEntities[]): ChangedEntities {
  const last = <Row extends { readonly id: string }>(list: (each: ChangedEntities) => readonly Row[]) => [
    ...new Map(changes.flatMap(list).map((row) => [row.id, row])).values(),
  ];
  return {
    accounts: last(({ accounts }) => accounts),
    categories: last(({ categories }) => categories),
    transactions: last(({ transactions }) => transactions),
    scheduled_transactions: last(({ scheduled_transactions }) => scheduled_transactions),
  };
}

/** `earlier` are the things before each write. A row that is not in the budget any more was deleted. */
function reconciledSince(
  earlier: readonly JsonObject[],
  results: readonly WriteResult<JsonObject>[],
  { transactions }: BudgetReplica,
): readonly ReconciledMove[] {
  const before = transactionsIn(earlier);
  const written = transactionsIn(results.flatMap(({ data }) => Object.values(data).flat()));
  const byId = new Map(before.map((row) => [row.id, row]));
  const after = [...idsWithSides([...before, ...written])].flatMap((id) => {
    const row = byId.get(id);
    return foundBy(() => transactions.get(id)) ?? (row ? { ...row, deleted: true } : []);
  });
  return reconciledMoves(before, after);
}

/** By id. The replica changes in place. */
const balancesOf = ({ accounts, categories }: BudgetReplica): ReadonlyMap<string, number> =>
  new Map([...accounts.list(), ...categories.list()].map(({ id, balance }) => [id, balance]));

const changedSince = (
  before: ReadonlyMap<string, number>,
  { accounts, categories }: BudgetReplica,
): ChangedEntities => ({
  accounts: accounts.list().filter(({ id, balance }) => before.get(id) !== balance),
  categories: categories.list().filter(({ id, balance }) => before.get(id) !== balance),
  transactions: [],
  scheduled_transactions: [],
});
