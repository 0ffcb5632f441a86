/**
 * Changing categories and what is budgeted in them (specification, Category). Payment categories follow their
 * account and internal ones nobody: of these, only the note changes; a payment category can be budgeted.
 */
import type { z } from 'zod';
import { addMonths } from '../ledger/calendar.ts';
import { setBudgeted, updateCategory } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { CategoryRecord } from '../ledger/records.ts';
import { id, milliunits, name, object, text } from './fields.ts';
import { Problems } from './problems.ts';

/** A name or a target of null changes nothing. */
const category = object({
  name: name().nullable().exactOptional(),
  note: text().nullable().exactOptional(),
  category_group_id: id.exactOptional(),
  goal_target: milliunits
    .refine((target) => target >= 0, 'must not be negative')
    .nullable()
    .exactOptional(),
});

type Said = z.output<typeof category>;

export const categoryBody = object({ category });

export const monthCategoryBody = object({ category: object({ budgeted: milliunits }) });

/** Throws 400 naming what such a category does not allow. */
export function changeCategory(books: LedgerState, before: CategoryRecord, said: Said): void {
  const change = effective(books, before, said);
  const problems = new Problems();
  problems.add(problemsOf(books, before, change));
  problems.throwIfAny();
  const { category_group_id, goal_target, name: renamed, note } = change;
  updateCategory(books, before.id, {
    ...(renamed ? { name: renamed } : {}),
    ...(note === undefined ? {} : { note }),
    ...(category_group_id === undefined ? {} : { group_id: category_group_id }),
    ...(before.goal && typeof goal_target === 'number'
      ? { goal: { ...before.goal, target: goal_target } }
      : {}),
  });
}

/** Throws 400 for a category that money is not budgeted in. */
export function budget(
  books: LedgerState,
  { id, role }: CategoryRecord,
  month: string,
  amount: number,
): void {
  const problems = new Problems();
  if (role.kind === 'inflow' || role.kind === 'uncategorized') {
    problems.add(['budgeted cannot be set in an internal category']);
  }
  problems.throwIfAny();
  setBudgeted(books, id, month, amount);
}

/** The budget's own months, and a year from now, for who budgets ahead. */
export function canBudget(books: Pick<LedgerState, 'firstMonth' | 'currentMonth'>, month: string): boolean {
  return books.firstMonth <= month && month <= addMonths(books.currentMonth, 12);
}

/** Without what repeats how the category is served; a hidden one is served in another group than its own. */
function effective(books: LedgerState, before: CategoryRecord, said: Said): Said {
  const { name, category_group_id, ...rest } = said;
  const servedIn = before.hidden ? books.internal.hidden_group_id : before.group_id;
  return {
    ...rest,
    ...(typeof name !== 'string' || name === before.name ? {} : { name }),
    ...(category_group_id === undefined || category_group_id === servedIn ? {} : { category_group_id }),
  };
}

function* problemsOf(books: LedgerState, before: CategoryRecord, change: Said): Generator<string> {
  const { name: renamed, category_group_id, goal_target } = change;
  if (before.role.kind !== 'envelope') {
    if (renamed !== undefined) yield 'name of this category cannot be changed';
    if (category_group_id !== undefined) yield 'category_group_id of this category cannot be changed';
  }
  if (category_group_id !== undefined) {
    if (!books.groups.has(category_group_id)) yield 'category_group_id does not exist';
    else if (isInternal(books, category_group_id)) yield 'category_group_id is an internal group';
  }
  if (typeof goal_target === 'number' && before.goal === null) {
    yield 'goal_target cannot be set, because the category has no goal';
  }
}

function isInternal({ internal, categories }: LedgerState, groupId: string): boolean {
  const master = categories.get(internal.inflow_category_id)?.group_id;
  return [internal.payments_group_id, internal.hidden_group_id, master].includes(groupId);
}
