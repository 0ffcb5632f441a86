/** Sends the steps of a write one after another. Their changes are read once after the last one, where that is safe. */

import { BudgetError, foundBy, undefinedIfExpected } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { knowledgeOf } from '../base/schema/knowledge.ts';
import { transactionsIn } from '../base/schema/reconcilable.ts';
import {
  idsWithSides,
  type ReconciledMove,
  reconciledMoves,
  summedMoves,
} from '../model/bookkeeping/reconciled.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { Operation } from '../operations/operation.ts';
import type { ChangedEntities, WriteResult } from '../session/call-result.ts';
import type { WriteSteps } from '../session/call-writes.ts';
import type { JournalStep } from '../session/writes/journal.ts';

/** One request of a write. */
export interface Step {
  readonly operation: Operation;
  /** In milliunits. */
  readonly input: JsonObject;
  /** The things that it changes, as they are before. By default `Operation.stateBefore`. */
  readonly rows?: readonly JsonObject[];
  /** Steps that have to follow it at once. `data` is that of its response. */
  readonly followUps?: ((data: JsonObject) => readonly Step[]) | undefined;
}

/** How far a write has got when one of its steps fails. */
export interface Progress {
  /** The steps that were carried out, also by an earlier call that this one goes on with. */
  readonly done: readonly JournalStep[];
  readonly failed: Step;
  /** True if the step that failed may have been carried out. */
  readonly isUnknown: boolean;
  /** The steps that were not begun. */
  readonly open: readonly Step[];
}

/** The steps that were sent. Without balances if they could not be read. */
export interface SentSteps extends Omit<WriteResult, 'data'> {
  /** With those of the earlier call. */
  readonly done: readonly JournalStep[];
  /** The budget after the last step, if it could be read. */
  readonly current: BudgetReplica | undefined;
  /** Something else may have been changed just before one of the steps, which would then have replaced it. */
  readonly mayHaveReplaced: boolean;
}

interface Sending {
  /** The budget as it is before the first step. Without it, each step reads what it needs. */
  readonly replica: BudgetReplica | undefined;
  /** The steps of an earlier call that this one goes on with. */
  readonly earlier?: readonly JournalStep[];
  /** The steps that are left in a budget in which something else has changed. */
  again?(replica: BudgetReplica, done: readonly JournalStep[]): readonly Step[];
  /** Called after each step. Throws if the service has not carried it out as a whole. */
  check?(done: readonly JournalStep[]): void;
  /** Says what stands, and how the rest is done, in sentences. Undefined if the error says all. */
  interrupted(progress: Progress): Interruption | undefined;
}

export type Interruption = readonly [stands: string, howToGoOn: string];

/** After an entry, changes are read at once: the network may have delivered it twice. A step that follows from another one needs them too. */
export const areReadOnce = (steps: readonly Step[]): boolean =>
  steps.every(({ operation, followUps }) => !followUps && operation.kind !== 'create');

/** Throws `partly_written` or `outcome_unknown` with what stands if a step fails after another one. */
export async function sendSteps(
  { write, update }: Pick<WriteSteps, 'write' | 'update'>,
  steps: readonly Step[],
  { replica, earlier = [], again, check, interrupted }: Sending,
): Promise<SentSteps> {
  const known = replica && areReadOnce(steps) ? replica : undefined;
  const balances = known && balancesOf(known);
  let { knowledge = 0 } = known ?? {};
  let open = [...steps];
  const done = [...earlier];
  const rises: number[] = [];
  const results: WriteResult[] = [];
  for (let step = open.shift(); step; step = open.shift()) {
    const { operation, input, followUps } = step;
    const failed = step;
    const failing = (isSent: boolean) => (error: unknown) => {
      if (!(error instanceof BudgetError)) throw error;
      const isUnknown = !isSent && error.code === 'outcome_unknown';
      const mayStand = done.length > 0 || isUnknown;
      const sentences = mayStand ? interrupted({ done, failed, isUnknown, open }) : undefined;
      throw sentences ? partlyWritten(error, sentences) : error;
    };
    const before = step.rows ?? (known && (foundBy(() => operation.stateBefore?.(known, input)) ?? []));
    const noted = known && before && { rows: before, knowledge };
    const result = await write(operation, input, noted).catch(failing(false));
    results.push(result);
    done.push({ operation: operation.name, input, ...(before && { before }), data: result.data });
    check?.(done);
    const rise = (knowledgeOf(result.data) ?? knowledge) - knowledge;
    rises.push(rise);
    knowledge += rise;
    if (again && open.length > 0 && (rise !== 1 || result.outcome !== 'written')) {
      // Something else has changed, and it may concern the steps to come.
      const left = update().then((now) => {
        knowledge = now.knowledge;
        return again(now, done);
      });
      open = [...(await left.catch(failing(true)))];
    }
    open.unshift(...(followUps?.(result.data) ?? []));
  }
  const current = replica && (await update().catch(undefinedIfExpected));
  const sent = { done, current, outcome: outcomeOf(results), mayHaveReplaced: mayHaveReplaced(rises) };
  const ofEach = together(results);
  if (!known || !current || !balances) return { ...sent, ...(known ? { reconciled: [] } : ofEach) };
  const reconciled = reconciledSince(done.slice(earlier.length), current);
  return { ...sent, changed: changedSince(balances, current), reconciled };
}

const outcomeOf = (results: readonly Pick<WriteResult, 'outcome'>[]): WriteResult['outcome'] =>
  results.some(({ outcome }) => outcome === 'confirmed_afterwards') ? 'confirmed_afterwards' : 'written';

const partlyWritten = (error: BudgetError, [stands, howToGoOn]: Interruption): BudgetError =>
  new BudgetError(
    error.code === 'outcome_unknown' ? 'outcome_unknown' : 'partly_written',
    [stands, error.message, howToGoOn].filter(Boolean).join(' '),
    { cause: error },
  );

/**
 * Tells whether something else may have been changed between a read and the step that was computed from it. The knowledge then
 * rises by more than one. A service that always counts more would raise it equally for two equal writes.
 */
function mayHaveReplaced(rises: readonly number[]): boolean {
  const isSteady = rises.length > 1 && rises.every((rise) => rise === rises[0]);
  return !isSteady && rises.some((rise) => rise > 1);
}

function together(results: readonly WriteResult[]): Omit<WriteResult, 'data' | 'outcome'> {
  const changes = results.flatMap(({ changed }) => changed ?? []);
  return {
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

/** A row that is not in the budget any more was deleted. */
function reconciledSince(
  steps: readonly JournalStep[],
  { transactions }: BudgetReplica,
): readonly ReconciledMove[] {
  const before = transactionsIn(steps.flatMap((step) => step.before ?? []));
  const written = transactionsIn(steps.flatMap(({ data }) => Object.values(data).flat()));
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
