/**
 * Sends the writes of an undo, one after another. What the service takes in one request is sent in one, and what an hour's requests
 * do not suffice for is left for the next call.
 */
import { sendableNow } from '../../answers/requests-left.ts';
import { areReadOnce, type SentSteps, type Step, sendSteps } from '../../answers/send-steps.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Reversal } from '../../operations/reversal.ts';
import { ROWS_PER_REQUEST } from '../../operations/row-batches.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
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

const stepOf = (reversal: Reversal): Step => {
  const { followUps } = reversal;
  return {
    ...operationOf(reversal),
    ...(followUps && { followUps: (data) => joined(followUps(data)).map(stepOf) }),
  };
};

/** Without a cache, each thing is compared by a request of its own. */
const canReadOnce = (reversals: readonly Reversal[], isCached: boolean): boolean =>
  isCached && areReadOnce(reversals.map(stepOf));

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
  const areOnce = canReadOnce(all, isCached);
  const costs = all.map((each) => (areOnce ? 1 : costOf(each, isCached)));
  return all.slice(0, await sendableNow(call, costs, areOnce ? 1 : 0, 'undid nothing'));
}

/** Whether an hour can never have enough requests for all. */
export async function needsParts(call: BudgetCall, reversals: readonly Reversal[]): Promise<boolean> {
  const { limit } = (await call.status()).requests;
  return joined(reversals).length + 2 > limit;
}

/** Throws `partly_written` or `outcome_unknown` with what stands if one fails after another one. */
export const carryOut = (
  steps: WriteSteps,
  { cachedReplica }: BudgetCall,
  reversals: readonly Reversal[],
): Promise<SentSteps> =>
  sendSteps(steps, reversals.map(stepOf), {
    replica: canReadOnce(reversals, true) ? cachedReplica : undefined,
    interrupted: ({ done, open }) =>
      done.length > 0
        ? [
            `${done.length} of ${done.length + 1 + open.length} writes of it are undone, and then:`,
            'undo with the same id goes on with the rest.',
          ]
        : undefined,
  });
