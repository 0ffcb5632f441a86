/**
 * Assigns money by one write for each category. What is lowered comes first, so that the budget never shows more than there is.
 * The plan of an assignment is kept before the first write: after an interruption, an equal call goes on with it, and repeats nothing.
 */

import { checkRequestsLeft } from '../../answers/requests-left.ts';
import { firstOf, present, quote } from '../../answers/text.ts';
import type { Money } from '../../answers/units.ts';
import { outcomeOf } from '../../answers/write-together.ts';
import { BudgetError, undefinedIfExpected } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { updateMonthCategory } from '../../operations/categories.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import { type AssignedChange, type AssignedMoney, assignedMoney } from './assigned-money.ts';
import { decideAgain, planAssignment, type RequestedAssignment } from './plan-assignment.ts';

interface WritingDeps extends Pick<WriteSteps, 'write' | 'update'>, Pick<BudgetCall, 'status'> {
  readonly money: Money;
}

export interface AssignmentDeps extends WritingDeps {
  /** Keeps the plan before the first write, and that all of it is done after the last one. */
  keep(plan: AssignedMoney, isComplete: boolean): Promise<void>;
  /** Throws if the plan is not what the user has confirmed. */
  checkConfirmed(plan: AssignedMoney): void;
}

/** A plan of an earlier equal call that did not get to its end. */
export interface OpenPlan {
  readonly plan: AssignedMoney;
  /** When its call began, in ISO 8601. */
  readonly call: string;
  /** What it has assigned to the categories that it has written, by id. */
  readonly done: ReadonlyMap<string, number>;
}

interface Changes {
  readonly month: string;
  /** All of them, also those that are written. */
  readonly changes: readonly AssignedChange[];
  /** What is still to be written, as the budget is now. */
  decide(replica: BudgetReplica, open: readonly AssignedChange[]): ReturnType<typeof decideAgain>;
  /** Called before the first write. */
  begin?(): Promise<void>;
  /** What the user can do when only a part is written, as a sentence. */
  readonly howToGoOn: string;
}

/**
 * `done` is what was assigned to the categories that are written. `current` is the budget after the last write, if it could be read.
 * `answered` is what the responses say.
 */
export interface WrittenChanges {
  readonly done: ReadonlyMap<string, number>;
  readonly answered: ReadonlyMap<string, { readonly budgeted: number; readonly balance: number }>;
  readonly current: BudgetReplica | undefined;
  /** Something else may have been changed just before one of the writes, which would then have replaced it. */
  readonly mayHaveReplaced: boolean;
  readonly outcome: WriteResult<unknown>['outcome'];
}

const MAX_NAMES = 20;

/** Throws `partly_written` or `outcome_unknown` with what stands and what does not, if it is interrupted after a write. */
export async function carryOutAssignment(
  deps: AssignmentDeps,
  requested: RequestedAssignment,
  earlier: OpenPlan | undefined,
): Promise<WriteResult<JsonObject>> {
  const replica = await deps.update();
  const plan = earlier?.plan ?? planAssignment(replica, requested);
  deps.checkConfirmed(plan);
  if (plan.changes.length === 0) return { data: plan, outcome: 'written' };
  const changes: Changes = {
    ...plan,
    decide: (now, open) => decideAgain(now, requested, plan, open),
    begin: () => deps.keep(plan, false),
    howToGoOn: 'The same call goes on with the rest, and undo takes back what is written.',
  };
  const { call, done: before } = earlier ?? { done: new Map<string, number>() };
  const written = await writeChanges(deps, replica, changes, before);
  // Last of all: a call that had nothing left to send may be given up until then, and its host makes it again.
  await deps.keep(plan, true);
  const data = {
    ...amountsNow(plan, written),
    ...(call !== undefined && {
      rest_of: { call, written_before: before.size, written_now: written.done.size - before.size },
    }),
    ...(written.mayHaveReplaced && { may_have_replaced: true }),
  };
  return { data, outcome: written.outcome };
}

/** `earlier` is what was assigned to the categories that are written already. Throws as above. */
export async function writeChanges(
  deps: WritingDeps,
  replica: BudgetReplica,
  planned: Changes,
  earlier: ReadonlyMap<string, number> = new Map(),
): Promise<WrittenChanges> {
  const { month, changes } = planned;
  const done = new Map(earlier);
  let decided = planned.decide(
    replica,
    changes.filter(({ id }) => !done.has(id)),
  );
  // One for each category, and one for the changes.
  await checkRequestsLeft(deps, decided.length + 1, 'budgeted nothing');
  await planned.begin?.();
  let { knowledge } = replica;
  const rises: number[] = [];
  const results: WriteResult<unknown>[] = [];
  const answered = new Map<string, { readonly budgeted: number; readonly balance: number }>();
  for (let next = decided.shift(); next; next = decided.shift()) {
    const { change, row, amount } = next;
    const budgeted = row.budgeted + amount;
    try {
      const input = { month, category_id: change.id, budgeted };
      const result = await deps.write(updateMonthCategory, input, { rows: [row], knowledge });
      results.push(result);
      done.set(change.id, amount);
      answered.set(change.id, result.data.category);
      const rise = (result.data.server_knowledge ?? knowledge) - knowledge;
      rises.push(rise);
      knowledge += rise;
      if (decided.length === 0 || (rise === 1 && result.outcome === 'written')) continue;
      // Something else has changed, and it may concern the categories to come.
      const now = await deps.update();
      knowledge = now.knowledge;
      const rest = decided.map((each) => each.change);
      decided = planned.decide(now, rest);
    } catch (error) {
      throw interrupted(deps, planned, { done, answered }, error, {
        ...change,
        budgeted,
        before: row.budgeted,
      });
    }
  }
  const current = await deps.update().catch(undefinedIfExpected);
  return { done, answered, current, mayHaveReplaced: mayHaveReplaced(rises), outcome: outcomeOf(results) };
}

export function amountsNow(
  plan: AssignedMoney,
  { done, answered, current }: Pick<WrittenChanges, 'done' | 'answered' | 'current'>,
): AssignedMoney {
  const { month } = plan;
  const rowOf = (id: string) => current?.months.category(month, id);
  const changes = plan.changes.map(({ left_after: _, changed_meanwhile: __, ...each }): AssignedChange => {
    const now = rowOf(each.id) ?? answered.get(each.id);
    const isChanged = now ? now.budgeted !== each.budgeted_after : !done.has(each.id);
    return {
      ...each,
      amount: done.get(each.id) ?? 0,
      ...(now && { budgeted_after: now.budgeted, left_after: now.balance }),
      ...(isChanged && { changed_meanwhile: true }),
    };
  });
  const { ready_after: _, ...rest } = plan;
  return assignedMoney.parse({
    ...rest,
    changes,
    ...(current && { ready_after: current.months.summary(month).to_be_budgeted }),
    cards_below_zero: plan.cards_below_zero.map((each) => ({
      ...each,
      ...(current && { left_after: rowOf(each.id)?.balance }),
    })),
  });
}

/** With what stands and what does not. An error before the first write stays as it is, unless that one may have been made. */
function interrupted(
  { money }: WritingDeps,
  { month, changes, howToGoOn }: Changes,
  { done, answered }: Pick<WrittenChanges, 'done' | 'answered'>,
  error: unknown,
  failed: { readonly id: string; readonly name: string; readonly budgeted: number; readonly before: number },
): unknown {
  if (!(error instanceof BudgetError)) return error;
  const isUnknown = error.code === 'outcome_unknown' && !done.has(failed.id);
  if (done.size === 0 && !isUnknown) return error;
  const list = (each: readonly AssignedChange[], describe: (each: AssignedChange) => string) =>
    each.length === 0 ? 'none' : firstOf(each.map(describe), MAX_NAMES).join(', ');
  const written = changes.filter(({ id }) => done.has(id));
  const open = changes.filter(({ id }) => !done.has(id) && !(isUnknown && id === failed.id));
  const budgetedIn = ({ id, budgeted_after }: AssignedChange) => answered.get(id)?.budgeted ?? budgeted_after;
  const isOne = changes.length === 1;
  const sentences = present([
    !isOne &&
      `${written.length} of ${changes.length} categories of ${month.slice(0, 7)} are written: ${list(written, (each) => `${quote(each.name)} ${money(budgetedIn(each))}`)}.`,
    isUnknown &&
      `It is not known whether ${quote(failed.name)} has ${money(failed.budgeted)} budgeted, or still ${money(failed.before)}.`,
    !isOne && `Not written: ${list(open, ({ name }) => quote(name))}.`,
    error.message,
    !isUnknown && howToGoOn,
  ]);
  return new BudgetError(isUnknown ? 'outcome_unknown' : 'partly_written', sentences.join(' '), {
    cause: error,
  });
}

/**
 * Whether something else may have been changed between a read and the write that was computed from it. The knowledge then
 * rises by more than one. A service that always counts more would raise it equally for two equal writes.
 */
function mayHaveReplaced(rises: readonly number[]): boolean {
  const isSteady = rises.length > 1 && rises.every((rise) => rise === rises[0]);
  return !isSteady && rises.some((rise) => rise > 1);
}
