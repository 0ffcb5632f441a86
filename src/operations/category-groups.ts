/** Operations that create and rename category groups (docs/interface.md, Category). `list_categories` lists them. */

import type { JsonObject } from '../base/json.ts';
import { categoryGroup } from '../base/schema/category.ts';
import { budgetId, categoryGroupId, integer, nameText } from '../base/schema/fields.ts';
import { renamedGroupProblems } from '../model/bookkeeping/category-refusals.ts';
import { matches } from '../model/bookkeeping/matching.ts';
import { listCategories } from './categories.ts';
import { EXAMPLE_ID, idsIn, operation, type ReadDelta } from './operation.ts';
import { cannotDelete, rowIn, takeBackFields } from './reversal.ts';

const name = nameText(50);

const saved = { category_group: categoryGroup, server_knowledge: integer.optional() };

export const createCategoryGroup = operation({
  name: 'create_category_group',
  description: 'Creates an empty group of categories. It cannot be deleted here.',
  route: 'POST /budgets/{budget_id}/category_groups',
  addedIn: '1.85',
  input: { budget_id: budgetId, name },
  output: saved,
  body: (category_group) => ({ category_group }),
  readBefore: idsIn(listCategories, ({ category_groups }) => category_groups),
  recover: async (readDelta, { name }, idsBefore) => {
    const { groups, server_knowledge } = await changedGroups(readDelta);
    const category_group = groups.find((group) => !idsBefore.has(group.id) && matches({ name }, group));
    return category_group && { category_group, server_knowledge };
  },
  takeBack: cannotDelete('a category group'),
  example: { name: 'Hobbies' },
});

export const updateCategoryGroup = operation({
  name: 'update_category_group',
  title: 'Rename category group',
  description: 'Renames a group of categories.',
  route: 'PATCH /budgets/{budget_id}/category_groups/{category_group_id}',
  addedIn: '1.85',
  input: { budget_id: budgetId, category_group_id: categoryGroupId, name },
  output: saved,
  body: (category_group) => ({ category_group }),
  recover: async (readDelta, { category_group_id, name }) => {
    const { groups, server_knowledge } = await changedGroups(readDelta);
    const category_group = groups.find((group) => group.id === category_group_id && matches({ name }, group));
    return category_group && { category_group, server_knowledge };
  },
  simulate: async (readCurrent, { category_group_id, name }) => {
    const { category_groups } = await readCurrent(listCategories);
    const found = category_groups.find((group) => group.id === category_group_id);
    if (!found) return {};
    const { categories: _, ...category_group } = found;
    return { current: { category_group }, problems: renamedGroupProblems(found, name) };
  },
  stateBefore: ({ groups }, { category_group_id }) => [groups.get(category_group_id)],
  takeBack: (written) => {
    const after = rowIn(written.data, 'category_group');
    const update = {
      kind: 'category_group',
      operation: 'update_category_group',
      key: { category_group_id: after.id },
      label: after,
      fields: ['name'],
      source: {
        operation: 'list_categories',
        input: {},
        contentOf: (data: JsonObject) =>
          listCategories.output.parse(data).category_groups.find(({ id }) => id === after.id),
      },
    };
    return takeBackFields(update, written, after);
  },
  example: { category_group_id: EXAMPLE_ID, name: 'Every day' },
});

async function changedGroups(readDelta: ReadDelta) {
  const { category_groups, server_knowledge } = await readDelta(listCategories);
  return { groups: category_groups.map(({ categories: _, ...group }) => group), server_knowledge };
}
