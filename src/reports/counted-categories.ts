/**
 * Which categories count as spending, and which as income. Payment categories repeat what was spent with a card, and the
 * other categories of the service itself hold no spending (docs/interface.md, Category). Hidden categories count. Pure.
 */
import {
  isInternalCategory,
  isPaymentCategory,
  isReadyToAssign,
  isUncategorized,
} from '../bookkeeping/own-categories.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Category } from '../replica/entities.ts';
import { groupNamesOf } from './group-names.ts';

export type Flow = 'spending' | 'income';

export interface CountedCategories {
  readonly categories: readonly Category[];
  /** The service's own category of transactions without one. They refer to it, or to no category. */
  readonly uncategorizedIds: ReadonlySet<string>;
  /** Whether lines without a category count. */
  readonly countsUncategorized: boolean;
}

/** With `only`, the id of a category or of a group, only that category or the categories of that group. */
export function countedCategories(replica: BudgetReplica, flow: Flow, only?: string): CountedCategories {
  const uncategorizedIds = new Set<string>();
  const categories: Category[] = [];
  const groupNameOf = groupNamesOf(replica.groups.list());
  for (const category of replica.categories.list()) {
    const group = groupNameOf(category);
    if (isUncategorized(category, group)) uncategorizedIds.add(category.id);
    else if (isCounted(category, group, flow) && isWithin(category, only)) categories.push(category);
  }
  const countsUncategorized = flow === 'spending' && (only === undefined || uncategorizedIds.has(only));
  return { categories, uncategorizedIds, countsUncategorized };
}

const isCounted = (category: Category, group: string | null, flow: Flow) =>
  flow === 'income'
    ? isReadyToAssign(category, group)
    : !isInternalCategory(category, group) && !isPaymentCategory(category, group);

const isWithin = ({ id, category_group_id }: Category, only: string | undefined) =>
  only === undefined || id === only || category_group_id === only;
