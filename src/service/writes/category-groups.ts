/** The body of a new or renamed category group (docs/interface.md, Category). */

import { updateCategoryGroup } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { GroupRecord } from '../ledger/records.ts';
import { name, objectWithFields } from './fields.ts';
import { Problems } from './problems.ts';

export const categoryGroupBody = objectWithFields({ category_group: objectWithFields({ name: name(50) }) });

/** Throws 400 for another name of a group of the service itself. */
export function renameCategoryGroup(state: LedgerState, before: GroupRecord, newName: string): void {
  if (newName === before.name) return;
  const problems = new Problems();
  if (before.internal) problems.add(['name of this category group cannot be changed']);
  problems.throwIfAny();
  updateCategoryGroup(state, before.id, { name: newName });
}
