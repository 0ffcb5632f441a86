/** Which categories of a budget are those of the service itself, and which are the user's own. */
import {
  type InternalRoles,
  isInternalCategory,
  isPaymentCategory,
  rolesOf,
} from '../bookkeeping/own-categories.ts';
import type { BudgetReplica, BudgetRows } from '../replica/budget-replica.ts';
import type { Category, CategoryGroup, Transaction } from '../replica/entities.ts';
import { linesOf } from './lines.ts';

export interface CategoryLists {
  readonly groups: readonly Pick<CategoryGroup, 'id' | 'name'>[];
  readonly categories: readonly Category[];
  /** Read where the names of the internal categories do not say what they are for. */
  transactions(): readonly Transaction[];
}

/** The parts of a budget by which its categories are told apart. */
export type CategorizedBudget = Pick<BudgetRows, 'groups' | 'categories' | 'transactions'>;

export const categoryKinds = ({ groups, categories, transactions }: CategorizedBudget) =>
  categoryKindsIn({
    groups: groups.list(),
    categories: categories.list(),
    transactions: () => transactions.list({}),
  });

/** The categories of some versions of the service lack the name of their group. */
export function categoryKindsIn({ groups, categories, transactions }: CategoryLists) {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const groupNameOf = ({ category_group_name, category_group_id }: Category) =>
    category_group_name ?? names.get(category_group_id) ?? null;
  const isInternal = (each: Category) => isInternalCategory(each, groupNameOf(each));
  const isPayment = (each: Category) => isPaymentCategory(each, groupNameOf(each));
  let found: InternalRoles<Category> | undefined;
  const roles = () =>
    (found ??= rolesOf(categories.filter(isInternal), (id) => inflowsIn(transactions()).get(id) ?? 0));
  return {
    groupNameOf,
    isInternal,
    isPayment,
    isOwn: (each: Category) => !isInternal(each) && !isPayment(each),
    isUncategorized: ({ id }: Pick<Category, 'id'>) => id === roles().uncategorized?.id,
    isReadyToAssign: ({ id }: Pick<Category, 'id'>) => id === roles().income?.id,
  };
}

export type CategoryKinds = ReturnType<typeof categoryKindsIn>;

const idsOf =
  (kind: 'isUncategorized' | 'isReadyToAssign') =>
  (budget: CategorizedBudget): ReadonlySet<string> => {
    const isWanted = categoryKinds(budget)[kind];
    return new Set(budget.categories.list().flatMap((each) => (isWanted(each) ? [each.id] : [])));
  };

/** Those of lines that have no category. Most versions of the service give such lines none at all. */
export const uncategorizedIds = idsOf('isUncategorized');

/** Empty if the category of income cannot be recognised. */
export const incomeIds = idsOf('isReadyToAssign');

/**
 * Returns a function that adds what is left to assign in a month to the category of income. `month` is a first day, or
 * `current`.
 */
export function withReadyToAssign(
  budget: CategorizedBudget & Pick<BudgetReplica, 'months'>,
  month = 'current',
): (row: Category) => Category {
  const { isReadyToAssign } = categoryKinds(budget);
  const summary = budget.months.has(month) ? budget.months.summary(month) : undefined;
  return (row) =>
    summary && isReadyToAssign(row) ? { ...row, to_be_budgeted: summary.to_be_budgeted } : row;
}

/** By the array of a replica, which is another one after each change. */
const inflows = new WeakMap<readonly Transaction[], ReadonlyMap<string, number>>();

/** What the lines of each category bring in altogether, in milliunits. */
function inflowsIn(transactions: readonly Transaction[]): ReadonlyMap<string, number> {
  const known = inflows.get(transactions);
  if (known) return known;
  const sums = new Map<string, number>();
  for (const transaction of transactions)
    for (const { category_id, amount } of linesOf(transaction))
      if (category_id !== null) sums.set(category_id, (sums.get(category_id) ?? 0) + amount);
  inflows.set(transactions, sums);
  return sums;
}
