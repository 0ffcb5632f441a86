/** What an assignment would change, from the current budget. Refuses what cannot be budgeted. Pure. */

import { invalidInput } from '../../base/errors.ts';
import { monthProblems } from '../../model/bookkeeping/category-refusals.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Category } from '../../model/replica/entities.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { isSnoozed, lackingIn } from '../../model/sums/goals.ts';
import { type BudgetMonths, withMonth } from '../../model/sums/month-to-come.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { type AssignedChange, type AssignedMoney, amountsWith, changeOf } from './assigned-money.ts';
import { giveInOrder, type Supply, supplyOf } from './assignment.ts';
import { type BudgetedAmounts, budgetedAmounts } from './budgeted-amounts.ts';
import {
  type AssignmentRule,
  categoriesInOrder,
  goalsNotFunded,
  needsByRule,
  type RuleScope,
} from './category-needs.ts';
import { nameOf } from './planned-move.ts';

/** The month may be one that the budget does not have yet, and `from` may be Ready to Assign. */
export interface RequestedAssignment extends Omit<RuleScope, 'rule'> {
  readonly rule?: AssignmentRule | undefined;
  /** Milliunits that are added to what is budgeted. Without `rule`. */
  readonly amounts?: readonly { readonly category: string; readonly amount: number }[] | undefined;
  readonly limit?: number | undefined;
}

/** Throws `invalid_input` or `resource_not_found` if nothing can be budgeted there, and for what could not be read. */
export function planAssignment(budget: BudgetReplica, requested: RequestedAssignment): AssignedMoney {
  const { month, rule, limit, unit } = requested;
  checkMonth(budget, requested);
  const problem = budget.problemWith(month);
  if (problem !== undefined) throw invalidInput(`month: ${problem}.`);
  const replica = withMonth(budget, month);
  const from = giverOf(replica, requested);
  const kinds = categoryKinds(replica);
  for (const id of [...(requested.amounts ?? []).map(({ category }) => category), ...(from ? [from.id] : [])])
    checkBudgetable(budgetedAmounts(replica, month, id, kinds));
  const scope = rule && { ...requested, rule, from: from?.id };
  const needs = scope ? needsByRule(replica, scope) : [];
  const not_funded = (scope ? goalsNotFunded(replica, scope) : []).map((each) => ({
    id: each.id,
    name: each.name,
    lacking: lackingIn(each),
    ...(isSnoozed(each) && { is_snoozed: true }),
  }));
  const given = giveInOrder(needs, supplyOf(replica, month, from?.id), { limit, unit });
  const wanted =
    requested.amounts ?? given.map(({ need, given }) => ({ category: need.category.id, amount: given }));
  const total = sumOf(wanted, ({ amount }) => amount);
  const changes = [
    ...(from ? [changed(replica, month, from.id, -total)] : []),
    ...wanted.map(({ category, amount }) => changed(replica, month, category, amount)),
  ].filter((each) => changeOf(each) !== 0);
  const ready_before = replica.months.summary(month).to_be_budgeted;
  const ready_after = ready_before - (from ? 0 : total);
  const isLimited = limit !== undefined && limit - total < unit;
  const below_zero_later = requested.amounts
    ? belowZeroLater(changes, (id) => budgetedAmounts(replica, month, id, kinds))
    : [];
  return {
    month,
    ...(from && { from }),
    ready_before,
    ready_after,
    ...(isLimited && { is_limited: true }),
    ...(below_zero_later.length > 0 && { below_zero_later }),
    // What is lowered comes first, each in its order. None is 0.
    changes: changes.toSorted((a, b) => Math.sign(changeOf(a)) - Math.sign(changeOf(b))),
    lacking: given.flatMap(({ need: { category, amount }, given }) =>
      given === amount ? [] : [{ id: category.id, name: category.name, given, lacking: amount - given }],
    ),
    ...(not_funded.length > 0 && { not_funded }),
    cards_below_zero: rule === 'cover_overspent' ? cardsBelowZero(replica, month) : [],
  };
}

/** Categories that are not below zero in the month, but in a later one, because of what is taken from them. */
const belowZeroLater = (changes: readonly AssignedChange[], amountsOf: (id: string) => BudgetedAmounts) =>
  changes
    .filter((change) => {
      const [, ...left] = amountsOf(change.id).leftByMonth;
      const later = Math.min(...left.map(({ amount }) => amount));
      return changeOf(change) < 0 && (change.left_after ?? 0) >= 0 && later + changeOf(change) < 0;
    })
    .map(({ id, name }) => ({ id, name }));

/**
 * The changes of a plan that are still to be made, as the budget is now. A category that was changed elsewhere since it was planned
 * is decided again: by a rule, it gets what it needs now, and not more than was planned. What the money does not suffice for is
 * left out, unless amounts were asked for.
 */
export function decideAgain(
  budget: BudgetReplica,
  requested: RequestedAssignment,
  plan: AssignedMoney,
  open: readonly AssignedChange[],
): { readonly change: AssignedChange; readonly row: Category; readonly amount: number }[] {
  const { month, from } = plan;
  const { rule, unit } = requested;
  const replica = withMonth(budget, month);
  const needs = rule === undefined ? [] : needsByRule(replica, { ...requested, rule, from: from?.id });
  const current = new Map(needs.map((need) => [need.category.id, need]));
  const decided = open.map((change) => {
    const row = replica.months.category(month, change.id);
    const planned = changeOf(change);
    const need = current.get(change.id);
    const isChanged = row.budgeted !== change.budgeted_before;
    const isDone = isChanged && row.budgeted === change.budgeted_after;
    const isByRule = rule !== undefined && change.id !== from?.id;
    const amount = isDone ? 0 : isChanged && isByRule ? Math.min(planned, need?.amount ?? 0) : planned;
    return { change, row, amount, covering: Math.min(amount, need?.covering ?? 0), isByRule };
  });
  const byRule = decided.filter(({ isByRule }) => isByRule);
  const given = giveInOrder(byRule, supplyNow(replica, plan, open), { unit });
  const amounts = new Map(given.map(({ need, given }) => [need.change.id, given]));
  return decided
    .map(({ change, row, amount }) => ({ change, row, amount: amounts.get(change.id) ?? amount }))
    .filter(({ amount }) => amount !== 0);
}

/** What a category gave when it was lowered is ready to be assigned after that. */
function supplyNow(
  replica: BudgetMonths,
  { month, from, ready_before }: AssignedMoney,
  open: readonly AssignedChange[],
): Supply {
  if (!from || open.some(({ id }) => id === from.id)) return supplyOf(replica, month, from?.id);
  const now = replica.months.summary(month).to_be_budgeted - Math.min(ready_before, 0);
  return { now, later: Number.POSITIVE_INFINITY, notPaidLater: Number.POSITIVE_INFINITY };
}

/** The service makes a month to come with the first amount. Throws `invalid_input` if nothing can be planned for it. */
function checkMonth({ months }: BudgetReplica, { month, rule, today }: RequestedAssignment): void {
  const known = months.list();
  if (known.some((each) => each.month === month)) return;
  const name = month.slice(0, 7);
  const [problem] = known.some((each) => each.month < month)
    ? monthProblems(month, today)
    : [`month: the budget begins after ${name}`];
  if (problem !== undefined) throw invalidInput(`${problem}.`);
  if (rule !== 'fund_goals') return;
  throw invalidInput(
    `This budget does not have the month ${name} yet, and the service says what goals need only when it does. It makes the month with the first amount: assign some of it by amounts or another rule, then fund the goals.`,
  );
}

/** The category that gives the money. Undefined for Ready to Assign. */
function giverOf(replica: BudgetMonths, { from, month }: RequestedAssignment): AssignedMoney['from'] {
  if (from === undefined) return undefined;
  const { id, name, isReadyToAssign } = budgetedAmounts(replica, month, from);
  return isReadyToAssign ? undefined : { id, name };
}

function checkBudgetable(category: BudgetedAmounts): void {
  if (!category.isInternal && !category.isReadyToAssign) return;
  throw invalidInput(
    `${nameOf(category)} is a category of the service itself: nothing can be budgeted in it.`,
  );
}

/** Throws `invalid_input` if the amount would be too large to be exact. */
function changed(replica: BudgetMonths, month: string, id: string, amount: number): AssignedChange {
  const row = replica.months.category(month, id);
  if (!Number.isSafeInteger(row.budgeted + amount) || !Number.isSafeInteger(row.balance + amount))
    throw invalidInput('An amount is too large to be added exactly.');
  return { id, name: row.name, ...amountsWith(row, amount) };
}

function cardsBelowZero(replica: BudgetMonths, month: string): AssignedMoney['cards_below_zero'] {
  const { isPayment } = categoryKinds(replica);
  return categoriesInOrder(replica, month)
    .filter((each) => each.balance < 0 && isPayment(each))
    .map(({ id, name, balance }) => ({ id, name, left_before: balance }));
}
