/**
 * Which categories count as spending, and which as income. Payment categories repeat what was spent with a card, and the
 * other categories of the service itself hold no spending (docs/interface.md, Category). Hidden categories count. Pure.
 */
import {
  isInternalCategory,
  isPaymentCategory,
  isReadyToAssign,
  isUncategorized,
} from '../../model/bookkeeping/own-categories.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Category } from '../../model/replica/entities.ts';
import { groupNamesOf } from '../../model/sums/group-names.ts';

export type Flow = 'spending' | 'income';

export interface CountedCategories {
  readonly categories: readonly Category[];
  /** The service's own category of transactions without one. They refer to it, or to no category. */
  readonly uncategorizedIds: ReadonlySet<string>;
  /** Whether lines without a category count. */
  readonly countsUncategorized: boolean;
}

/** With `only`, ids of categories or of groups, only those categories and the categories of those groups. */
export function countedCategories(
  replica: BudgetReplica,
  flow: Flow,
  only?: readonly string[],
): CountedCategories {
  const uncategorizedIds = new Set<string>();
  const categories: Category[] = [];
  const groupNameOf = groupNamesOf(replica.groups.list());
  for (const category of replica.categories.list()) {
    const group = groupNameOf(category);
    if (isUncategorized(category, group)) uncategorizedIds.add(category.id);
    else if (isCounted(category, group, flow) && isWithin(category, only)) categories.push(category);
  }
  const countsUncategorized =
    flow === 'spending' && (only === undefined || only.some((id) => uncategorizedIds.has(id)));
  return { categories, uncategorizedIds, countsUncategorized };
}

const isCounted = (category: Category, group: string | null, flow: Flow) =>
  flow === 'income'
    ? isReadyToAssign(category, group)
    : !isInternalCategory(category, group) && !isPaymentCategory(category, group);

const isWithin = ({ id, category_group_id }: Category, only: readonly string[] | undefined) =>
  only === undefined || only.includes(id) || only.includes(category_group_id);
