/**
 * New categories, and changes to categories and their budgeted amounts (docs/interface.md, Category). For payment categories and
 * internal categories only the note can be changed. Payment categories can be budgeted, internal ones cannot.
 */
import type { z } from 'zod';
import type { InterfaceVersion } from '../interface-version.ts';
import { addMonths } from '../ledger/calendar.ts';
import { createCategory, updateCategory } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { assignMoney, type MovementOrigin } from '../ledger/money-movements.ts';
import { type CategoryRecord, isInternal } from '../ledger/records.ts';
import { id, milliunits, name, objectWithFields, text } from './fields.ts';
import { changedGoal, goalFields, goalProblems } from './goals.ts';
import { Problems } from './problems.ts';

/** A name of null changes nothing. */
const fields = {
  name: name().nullable().exactOptional(),
  note: text().nullable().exactOptional(),
  category_group_id: id.exactOptional(),
};

const newest = objectWithFields({ ...fields, ...goalFields['1.86'] });

type CategoryChange = z.output<typeof newest>;

const categories = {
  '1.77': objectWithFields({ ...fields, ...goalFields['1.77'] }),
  '1.85': objectWithFields({ ...fields, ...goalFields['1.85'] }),
  '1.86': newest,
};

export const categoryBody = (version: InterfaceVersion) =>
  objectWithFields({ category: categories[version] });

export const newCategoryBody = (version: InterfaceVersion) =>
  objectWithFields({ category: categories[version].extend({ name: name(), category_group_id: id }) });

type NewCategory = CategoryChange & { readonly name: string; readonly category_group_id: string };

export const monthCategoryBody = objectWithFields({ category: objectWithFields({ budgeted: milliunits }) });

/** Throws 400 with the changes that the category does not allow. */
export function changeCategory(
  state: LedgerState,
  before: CategoryRecord,
  requested: CategoryChange,
  version: InterfaceVersion,
): void {
  const change = withoutUnchanged(state, before, requested);
  const problems = new Problems();
  problems.add(problemsOf(state, before, change));
  problems.add(goalProblems(before, change, version));
  problems.throwIfAny();
  const { category_group_id, name: newName, note } = change;
  updateCategory(state, before.id, {
    ...(newName ? { name: newName } : {}),
    ...(note === undefined ? {} : { note }),
    ...(category_group_id === undefined ? {} : { group_id: category_group_id }),
    goal: changedGoal(state, before, change, version),
  });
}

/** Throws 400 for a group that does not exist or is internal, and for a goal that a new category cannot have. */
export function addCategory(
  state: LedgerState,
  fields: NewCategory,
  version: InterfaceVersion,
): CategoryRecord {
  const owner = { role: { kind: 'envelope' }, goal: null } as const;
  const problems = new Problems();
  problems.add(groupProblems(state, fields.category_group_id));
  problems.add(goalProblems(owner, fields, version));
  problems.throwIfAny();
  return createCategory(state, {
    group_id: fields.category_group_id,
    name: fields.name,
    note: fields.note ?? null,
    goal: changedGoal(state, owner, fields, version),
  });
}

/** Throws 400 for a category that cannot be budgeted. */
export function setMonthBudget(
  state: LedgerState,
  category: CategoryRecord,
  month: string,
  amount: number,
  origin: MovementOrigin,
): void {
  const problems = new Problems();
  if (isInternal(category)) problems.add(['budgeted cannot be set in an internal category']);
  problems.throwIfAny();
  assignMoney(state, category.id, month, amount, origin);
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
  const { name: newName, category_group_id } = change;
  if (before.role.kind !== 'envelope') {
    if (newName !== undefined) yield 'name of this category cannot be changed';
    if (category_group_id !== undefined) yield 'category_group_id of this category cannot be changed';
  }
  if (category_group_id !== undefined) yield* groupProblems(state, category_group_id);
}

function* groupProblems(state: LedgerState, groupId: string): Generator<string> {
  const group = state.groups.get(groupId);
  if (group === undefined) yield 'category_group_id does not exist';
  else if (group.internal) yield 'category_group_id is an internal group';
}
