/** The name of a category's group, which the categories of some versions of the service lack. */
import type { Category, CategoryGroup } from '../replica/entities.ts';

export type GroupNameOf = (category: Category) => string | null;

export function groupNamesOf(groups: readonly CategoryGroup[]): GroupNameOf {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return ({ category_group_name, category_group_id }) =>
    category_group_name ?? names.get(category_group_id) ?? null;
}
