/**
 * Which categories count as spending, and which as income. Payment categories repeat what was spent with a card, and the
 * other categories of the service itself hold no spending (docs/interface.md, Category). Hidden categories count. Pure.
 */
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Category } from '../../model/replica/entities.ts';
import { categoryKinds } from '../../model/sums/category-kinds.ts';
import { type GroupingId, groupingOf } from './groupings.ts';

export type Flow = 'spending' | 'income';

/** With `only`, ids of categories or of groups, only those categories and the categories of those groups. */
export function countedCategories(replica: BudgetReplica, flow: Flow, only?: readonly string[]) {
  /** The service's own category of transactions without one. They refer to it, or to no category. */
  const uncategorizedIds = new Set<string>();
  const categories: Category[] = [];
  const kinds = categoryKinds(replica);
  const isCounted = flow === 'income' ? kinds.isReadyToAssign : kinds.isOwn;
  for (const category of replica.categories.list()) {
    if (kinds.isUncategorized(category)) uncategorizedIds.add(category.id);
    else if (isCounted(category) && isWithin(category, only)) categories.push(category);
  }
  /** Whether lines without a category count. */
  const countsUncategorized =
    flow === 'spending' && (only === undefined || only.some((id) => uncategorizedIds.has(id)));
  return { categories, uncategorizedIds, countsUncategorized };
}

/** The keys of rows by the ids of categories: these ids, those of their groups, or the same for all. */
export function keysOf(categories: readonly Category[], by: GroupingId): Map<string, string> {
  const { ofCategory } = groupingOf(by);
  return new Map(categories.map((category) => [category.id, ofCategory?.(category) ?? NONE]));
}

/** The key of what belongs to no row. No id is empty. */
export const NONE = '';

const isWithin = ({ id, category_group_id }: Category, only: readonly string[] | undefined) =>
  only === undefined || only.includes(id) || only.includes(category_group_id);
