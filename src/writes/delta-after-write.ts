/** What a write has changed around it, read once it is done. It is told beside the write, and can be done without. */

import { getBudget } from '../operations/budgets.ts';
import type { OperationKind } from '../operations/operation.ts';
import { type Clock, type Moment, momentOf } from '../platform/clock.ts';
import type { BudgetExport } from '../schema/budget.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import { type CurrentReads, quietly } from './current-reads.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What has changed in a budget since just before a write, each whole. */
export interface Aftermath {
  readonly delta: BudgetExport;
  /** The knowledge that it starts from. */
  readonly since: number;
  /** When it was asked for. */
  readonly asOf: Moment;
}

export interface Done {
  readonly budgetId: string;
  readonly effect: OperationKind;
  /** What the service answered. */
  readonly data: Fields;
  /** The knowledge of just before. */
  readonly since: number;
  /** How many milliseconds somebody still waits; where nobody does there is time enough. */
  readonly timeLeft: number;
}

const LONGEST_MS = 3_000;
const ATTEMPTS = 2;

/** Undefined where it cannot be read in time, or only as it was before the write. */
export async function readAftermath(
  reads: CurrentReads,
  clock: Clock,
  { budgetId, effect, data, since, timeLeft }: Done,
): Promise<Aftermath | undefined> {
  const asOf = momentOf(clock);
  const timeoutMs = timeLeft > 0 ? Math.min(timeLeft, LONGEST_MS) : LONGEST_MS;
  const options = { since, spending: 'read', timeoutMs } as const;
  const delta = await quietly(reads.read(getBudget, { budget_id: budgetId }, options, ATTEMPTS));
  return delta && isAfter(delta, effect, data) ? { delta, since, asOf } : undefined;
}

/**
 * Copies of the service may lag. Where the answer to the write told its knowledge, the read has taken care of that;
 * else what was created or deleted has to be there.
 */
function isAfter({ budget }: BudgetExport, effect: OperationKind, data: Fields): boolean {
  if (effect === 'update' || knowledgeOf(data) !== undefined) return true;
  const { accounts, transactions, scheduled_transactions } = budget;
  const changed = new Set([...accounts, ...transactions, ...scheduled_transactions].map(({ id }) => id));
  const ids = [...rowsOf(data).map(({ id }) => id), ...[data['transaction_ids'] ?? []].flat()];
  return ids.every((id) => changed.has(String(id)));
}

/** What came back, be it one or many. */
export function rowsOf(data: Fields): Fields[] {
  return Object.values(data)
    .flat()
    .filter((value): value is Fields => typeof value === 'object' && value !== null);
}
