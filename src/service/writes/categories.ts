/**
 * Changes to categories and their budgeted amounts (docs/interface.md, Category). For payment categories and
 * internal categories only the note can be changed. Payment categories can be budgeted, internal ones cannot.
 */
import type { z } from 'zod';
import { addMonths } from '../ledger/calendar.ts';
import { setBudgeted, updateCategory } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { CategoryRecord } from '../ledger/records.ts';
import { id, milliunits, name, objectWithFields, text } from './fields.ts';
import { Problems } from './problems.ts';

/** A name or target of null changes nothing. */
const category = objectWithFields({
  name: name().nullable().exactOptional(),
  note: text().nullable().exactOptional(),
  category_group_id: id.exactOptional(),
  goal_target: milliunits
    .refine((target) => target >= 0, 'must not be negative')
    .nullable()
    .exactOptional(),
});

type CategoryChange = z.output<typeof category>;

export const categoryBody = objectWithFields({ category });

export const monthCategoryBody = objectWithFields({ category: objectWithFields({ budgeted: milliunits }) });

/** Throws 400 with the changes that the category does not allow. */
export function changeCategory(state: LedgerState, before: CategoryRecord, requested: CategoryChange): void {
  const change = withoutUnchanged(state, before, requested);
  const problems = new Problems();
  problems.add(problemsOf(state, before, change));
  problems.throwIfAny();
  const { category_group_id, goal_target, name: newName, note } = change;
  updateCategory(state, before.id, {
    ...(newName ? { name: newName } : {}),
    ...(note === undefined ? {} : { note }),
    ...(category_group_id === undefined ? {} : { group_id: category_group_id }),
    ...(before.goal && typeof goal_target === 'number'
      ? { goal: { ...before.goal, target: goal_target } }
      : {}),
  });
}

/** Throws 400 for a category that cannot be budgeted. */
export function setMonthBudget(
  state: LedgerState,
  { id, role }: CategoryRecord,
  month: string,
  amount: number,
): void {
  const problems = new Problems();
  if (role.kind === 'inflow' || role.kind === 'uncategorized') {
    problems.add(['budgeted cannot be set in an internal category']);
  }
  problems.throwIfAny();
  setBudgeted(state, id, month, amount);
}

/** Whether a month can be budgeted: the months of the budget, and up to a year from now. */
export function canBudget(state: Pick<LedgerState, 'firstMonth' | 'currentMonth'>, month: string): boolean {
  return state.firstMonth <= month && month <= addMonths(state.currentMonth, 12);
}

/** Removes fields that repeat the current response. The response shows a hidden category in `Hidden Categories`. */
function withoutUnchanged(
  state: LedgerState,
  before: CategoryRecord,
  requested: CategoryChange,
): CategoryChange {
  const { name, category_group_id, ...rest } = requested;
  const servedGroupId = before.hidden ? state.internal.hidden_group_id : before.group_id;
  return {
    ...rest,
    ...(typeof name !== 'string' || name === before.name ? {} : { name }),
    ...(category_group_id === undefined || category_group_id === servedGroupId ? {} : { category_group_id }),
  };
}

function* problemsOf(state: LedgerState, before: CategoryRecord, change: CategoryChange): Generator<string> {
  const { name: newName, category_group_id, goal_target } = change;
  if (before.role.kind !== 'envelope') {
    if (newName !== undefined) yield 'name of this category cannot be changed';
    if (category_group_id !== undefined) yield 'category_group_id of this category cannot be changed';
  }
  if (category_group_id !== undefined) {
    if (!state.groups.has(category_group_id)) yield 'category_group_id does not exist';
    else if (isInternal(state, category_group_id)) yield 'category_group_id is an internal group';
  }
  if (typeof goal_target === 'number' && before.goal === null) {
    yield 'goal_target cannot be set, because the category has no goal';
  }
}

function isInternal({ internal, categories }: LedgerState, groupId: string): boolean {
  const internalGroupId = categories.get(internal.inflow_category_id)?.group_id;
  return [internal.payments_group_id, internal.hidden_group_id, internalGroupId].includes(groupId);
}
