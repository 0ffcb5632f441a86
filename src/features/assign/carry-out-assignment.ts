/**
 * Assigns money by one write for each category. What is lowered comes first, so that the budget never shows more than there is.
 * The plan is kept before the first write: after an interruption, an equal call goes on with it, and repeats nothing.
 */

import { firstOf, present, quote } from '../../answers/text.ts';
import type { Money } from '../../answers/units.ts';
import { checkRequestsLeft } from '../../answers/write-together.ts';
import { BudgetError, undefinedIfExpected } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { updateMonthCategory } from '../../operations/categories.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import { type AssignedChange, type AssignedMoney, assignedMoney } from './assigned-money.ts';
import { mayHaveReplaced } from './moved-money.ts';
import { decideAgain, planAssignment, type RequestedAssignment } from './plan-assignment.ts';

export interface AssignmentDeps extends Pick<WriteSteps, 'write' | 'update'>, Pick<BudgetCall, 'status'> {
  readonly money: Money;
  /** Keeps the plan before the first write, and that all of it is done after the last one. */
  keep(plan: AssignedMoney, isComplete: boolean): Promise<void>;
  /** Throws if the plan is not what the user has confirmed. */
  checkConfirmed(plan: AssignedMoney): void;
}

/** A plan of an earlier equal call that did not get to its end. */
export interface OpenPlan {
  readonly plan: AssignedMoney;
  /** The ids of the categories that it has written. */
  readonly done: readonly string[];
}

const MAX_NAMES = 20;

/** Throws `partly_written` or `outcome_unknown` with what stands and what does not, if it is interrupted after a write. */
export async function carryOutAssignment(
  deps: AssignmentDeps,
  requested: RequestedAssignment,
  earlier: OpenPlan | undefined,
): Promise<WriteResult<JsonObject>> {
  let replica = await deps.update();
  const plan = earlier?.plan ?? planAssignment(replica, requested);
  deps.checkConfirmed(plan);
  const done = new Set(earlier?.done);
  const open = plan.changes.filter(({ id }) => !done.has(id));
  let decided = decideAgain(replica, requested, plan, open);
  if (decided.length === 0 && !earlier) return { data: plan, outcome: 'written' };
  // One for each category, and one for the changes.
  await checkRequestsLeft(deps, decided.length + 1, 'assigned nothing');
  await deps.keep(plan, false);
  let knowledge = replica.knowledge;
  const rises: { readonly rise: number }[] = [];
  const lefts = new Map<string, number>();
  let isConfirmed = false;
  for (let next = decided.shift(); next; next = decided.shift()) {
    const { change, row, amount } = next;
    const budgeted = row.budgeted + amount;
    try {
      const input = { month: plan.month, category_id: change.id, budgeted };
      const { data, outcome } = await deps.write(updateMonthCategory, input, { rows: [row], knowledge });
      done.add(change.id);
      lefts.set(change.id, data.category.balance);
      isConfirmed ||= outcome === 'confirmed_afterwards';
      const rise = (data.server_knowledge ?? knowledge) - knowledge;
      rises.push({ rise });
      knowledge += rise;
      if (rise === 1 && outcome === 'written') continue;
      // Something else has changed, and it may concern the categories to come.
      replica = await deps.update();
      knowledge = replica.knowledge;
      const rest = decided.map((each) => each.change);
      decided = decideAgain(replica, requested, plan, rest);
    } catch (error) {
      throw interrupted(deps, plan, done, error, { change, budgeted });
    }
  }
  const current = await deps.update().catch(undefinedIfExpected);
  // Last of all: a call that had nothing left to send may be given up until then, and its host makes it again.
  await deps.keep(plan, true);
  const data = {
    ...amountsNow(plan, done, lefts, current),
    ...(mayHaveReplaced(rises) && { may_have_replaced: true }),
  };
  return { data, outcome: isConfirmed ? 'confirmed_afterwards' : 'written' };
}

export function amountsNow(
  plan: AssignedMoney,
  done: ReadonlySet<string>,
  lefts: ReadonlyMap<string, number>,
  current: BudgetReplica | undefined,
): AssignedMoney {
  const { month } = plan;
  const rowOf = (id: string) => current?.months.category(month, id);
  const changes = plan.changes.map(({ left_after: _, changed_meanwhile: __, ...each }): AssignedChange => {
    const now = rowOf(each.id);
    const left = now?.balance ?? lefts.get(each.id);
    const isChanged = now ? now.budgeted !== each.budgeted_after : !done.has(each.id);
    return {
      ...each,
      ...(now && { budgeted_after: now.budgeted }),
      ...(left !== undefined && { left_after: left }),
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
  { money }: AssignmentDeps,
  { month, changes }: AssignedMoney,
  done: ReadonlySet<string>,
  error: unknown,
  failed: { readonly change: AssignedChange; readonly budgeted: number },
): unknown {
  if (!(error instanceof BudgetError)) return error;
  const isUnknown = error.code === 'outcome_unknown' && !done.has(failed.change.id);
  if (done.size === 0 && !isUnknown) return error;
  const list = (each: readonly AssignedChange[], describe: (each: AssignedChange) => string) =>
    each.length === 0 ? 'none' : firstOf(each.map(describe), MAX_NAMES).join(', ');
  const written = changes.filter(({ id }) => done.has(id));
  const open = changes.filter(({ id }) => !done.has(id) && !(isUnknown && id === failed.change.id));
  const sentences = present([
    `${written.length} of ${changes.length} categories of ${month.slice(0, 7)} are written: ${list(written, (each) => `${quote(each.name)} ${money(each.budgeted_after)}`)}.`,
    isUnknown &&
      `It is not known whether ${quote(failed.change.name)} has ${money(failed.budgeted)} budgeted, or still ${money(failed.change.budgeted_before)}.`,
    `Not written: ${list(open, ({ name }) => quote(name))}.`,
    error.message,
    'The same call goes on with the rest, and undo takes back what is written.',
  ]);
  return new BudgetError(isUnknown ? 'outcome_unknown' : 'partly_written', sentences.join(' '), {
    cause: error,
  });
}
