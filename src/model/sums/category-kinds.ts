/** Which categories of a budget are those of the service itself, and which are the user's own. */
import {
  isInternalCategory,
  isPaymentCategory,
  isReadyToAssign,
  isUncategorized,
} from '../bookkeeping/own-categories.ts';
import type { BudgetRows } from '../replica/budget-replica.ts';
import type { Category, CategoryGroup } from '../replica/entities.ts';

/** The categories of some versions of the service lack the name of their group. */
export function categoryKinds(groups: readonly Pick<CategoryGroup, 'id' | 'name'>[]) {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const groupNameOf = ({ category_group_name, category_group_id }: Category) =>
    category_group_name ?? names.get(category_group_id) ?? null;
  const isInternal = (each: Category) => isInternalCategory(each, groupNameOf(each));
  const isPayment = (each: Category) => isPaymentCategory(each, groupNameOf(each));
  return {
    groupNameOf,
    isInternal,
    isPayment,
    isOwn: (each: Category) => !isInternal(each) && !isPayment(each),
    isUncategorized: (each: Category) => isUncategorized(each, groupNameOf(each)),
    isReadyToAssign: (each: Category) => isReadyToAssign(each, groupNameOf(each)),
  };
}

export type CategoryKinds = ReturnType<typeof categoryKinds>;

const idsOf =
  (kind: 'isUncategorized' | 'isReadyToAssign') =>
  ({ categories, groups }: Pick<BudgetRows, 'categories' | 'groups'>): ReadonlySet<string> => {
    const isWanted = categoryKinds(groups.list())[kind];
    return new Set(categories.list().flatMap((each) => (isWanted(each) ? [each.id] : [])));
  };

/** Those of lines that have no category. Most versions of the service give such lines none at all. */
export const uncategorizedIds = idsOf('isUncategorized');

export const incomeIds = idsOf('isReadyToAssign');
