/** Changes to category groups, categories and what is budgeted. Input is valid already. */
import type { LedgerState } from './ledger-state.ts';
import type { CategoryRecord, Goal, GroupRecord } from './records.ts';

export interface NewCategory {
  readonly group_id: string;
  readonly name: string;
  readonly note?: string | null;
  readonly goal?: Goal | null;
}

export type CategoryChange = Partial<Pick<CategoryRecord, 'name' | 'note' | 'group_id' | 'hidden' | 'goal'>>;

export function createCategoryGroup(books: LedgerState, name: string): GroupRecord {
  const record = { id: books.newId(), name, hidden: false };
  books.putGroup(record);
  return record;
}

/**
 * What the user does in the app: no operation of this version changes a group, but deltas tell of it. For tests, which
 * need it done behind a client's back.
 */
export function updateCategoryGroup(
  books: LedgerState,
  id: string,
  change: Partial<Pick<GroupRecord, 'name' | 'hidden'>>,
): void {
  const before = books.groups.get(id);
  if (before) books.putGroup({ ...before, ...change });
}

export function createCategory(books: LedgerState, category: NewCategory): CategoryRecord {
  const record: CategoryRecord = {
    id: books.newId(),
    group_id: category.group_id,
    name: category.name,
    hidden: false,
    note: category.note ?? null,
    goal: category.goal ?? null,
    role: { kind: 'envelope' },
  };
  books.putCategory(record);
  return record;
}

/** A hidden category is served in `Hidden Categories` and returns to its group when it is shown again. */
export function updateCategory(books: LedgerState, id: string, change: CategoryChange): void {
  const before = books.categories.get(id);
  if (before) books.putCategory({ ...before, ...change });
}

/** Sets what is budgeted in a month, in milliunits. Ready to Assign is no envelope and cannot be filled. */
export function setBudgeted(books: LedgerState, categoryId: string, month: string, amount: number): void {
  const role = books.role(categoryId);
  if (role === undefined || role.kind === 'inflow') return;
  books.setBudgeted(categoryId, month, amount);
}
