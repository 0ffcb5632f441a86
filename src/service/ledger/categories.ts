/** Changes to category groups, categories and budgeted amounts. The input must be valid. */
import type { LedgerState } from './ledger-state.ts';
import type { CategoryRecord, Goal, GroupRecord } from './records.ts';

export interface NewCategory {
  readonly group_id: string;
  readonly name: string;
  readonly note?: string | null;
  readonly goal?: Goal | null;
}

export type CategoryChange = Partial<Pick<CategoryRecord, 'name' | 'note' | 'group_id' | 'hidden' | 'goal'>>;

export function createCategoryGroup(state: LedgerState, name: string): GroupRecord {
  const record = { id: state.newId(), name, hidden: false, internal: false };
  state.putGroup(record);
  return record;
}

/**
 * Renames, hides or shows a group. No operation hides a group, but users can in the app, and deltas report it.
 */
export function updateCategoryGroup(
  state: LedgerState,
  id: string,
  change: Partial<Pick<GroupRecord, 'name' | 'hidden'>>,
): void {
  const before = state.groups.get(id);
  if (before) state.putGroup({ ...before, ...change });
}

export function createCategory(state: LedgerState, category: NewCategory): CategoryRecord {
  const record: CategoryRecord = {
    id: state.newId(),
    group_id: category.group_id,
    name: category.name,
    hidden: false,
    note: category.note ?? null,
    goal: category.goal ?? null,
    role: { kind: 'envelope' },
  };
  state.putCategory(record);
  return record;
}

/** A hidden category is shown in `Hidden Categories`. It returns to its group when it is no longer hidden. */
export function updateCategory(state: LedgerState, id: string, change: CategoryChange): void {
  const before = state.categories.get(id);
  if (before) state.putCategory({ ...before, ...change });
}

/**
 * Sets the budgeted amount of a month, in milliunits. Ignored for Ready to Assign, which cannot be budgeted. No money
 * movement is recorded, unlike with `assignMoney` of `money-movements`.
 */
export function setBudgeted(state: LedgerState, categoryId: string, month: string, amount: number): void {
  const role = state.role(categoryId);
  if (role === undefined || role.kind === 'inflow') return;
  state.setBudgeted(categoryId, month, amount);
}
