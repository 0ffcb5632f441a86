/** Operations on categories and their budgeted amounts (docs/interface.md, Category). */
import { z } from 'zod';
import { foundBy, undefinedIfNotFound } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import {
  type Category,
  category,
  categoryGroup,
  categoryGroupWithCategories,
} from '../base/schema/category.ts';
import {
  amountSize,
  budgetId,
  categoryGroupId,
  categoryId,
  clearable,
  date,
  flag,
  integer,
  month,
  nameText,
  text,
} from '../base/schema/fields.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import {
  budgetedProblems,
  categoryProblems,
  renamedGroupProblems,
} from '../model/bookkeeping/category-refusals.ts';
import { goalFrequencies } from '../model/bookkeeping/goal-rhythm.ts';
import { isUpdated, matches } from '../model/bookkeeping/matching.ts';
import { carriedOver, type InMonth } from '../model/sums/categories-of-month.ts';
import { withReadyToAssign } from '../model/sums/category-kinds.ts';
import { goalFields, restoreCategory, withRhythm } from './goal-reversal.ts';
import { EXAMPLE_ID, idsIn, operation, type ReadDelta } from './operation.ts';
import { cannotDelete, rowIn, takeBackFields, takeBackUpdateOf } from './reversal.ts';

export const listCategories = operation({
  name: 'list_categories',
  description:
    'Every category by group, with the money budgeted, spent and still left in it this month, and goals. For other months: get_month.',
  route: 'GET /budgets/{budget_id}/categories',
  input: { budget_id: budgetId },
  output: { category_groups: z.array(categoryGroupWithCategories), server_knowledge: integer },
  rows: { key: 'category_groups', order: 'as sent' },
  readLocally(replica) {
    const withAmount = withReadyToAssign(replica);
    return {
      category_groups: replica
        .categoryGroups()
        .map((group) => ({ ...group, categories: group.categories.map(withAmount) })),
      server_knowledge: replica.knowledge,
    };
  },
  inMonth: (data, of) => ({
    ...data,
    category_groups: data.category_groups.map((group) => ({
      ...group,
      categories: group.categories.map(of),
    })),
  }),
});

const inMonth = <Data extends { readonly category: Immutable<Category> }>(data: Data, of: InMonth): Data => ({
  ...data,
  category: of(data.category),
});

export const getCategory = operation({
  name: 'get_category',
  description:
    'One category this month: what we set aside (budgeted), spent and have left in it, how much is left, still to spend, how far along its goal is and what we can afford.',
  route: 'GET /budgets/{budget_id}/categories/{category_id}',
  input: { budget_id: budgetId, category_id: categoryId },
  output: { category },
  readLocally: (replica, { category_id }) => ({
    category: withReadyToAssign(replica)(replica.categories.get(category_id)),
  }),
  inMonth,
  example: { category_id: EXAMPLE_ID },
});

export const getMonthCategory = operation({
  name: 'get_month_category',
  title: "Get a month's category",
  description: 'One category in another month: budgeted, spent, left, goal.',
  route: 'GET /budgets/{budget_id}/months/{month}/categories/{category_id}',
  input: { budget_id: budgetId, month, category_id: categoryId },
  output: { category },
  readLocally: (replica, { month, category_id }) => ({
    category: withReadyToAssign(replica, month)(replica.months.category(month, category_id)),
  }),
  example: { month: 'current', category_id: EXAMPLE_ID },
});

const saved = { category, server_knowledge: integer.optional() };

const categoriesIn = <Row>(groups: readonly { readonly categories: readonly Row[] }[]): readonly Row[] =>
  groups.flatMap(({ categories }) => categories);

/** Older services ignore them. */
const goalDetails = {
  goal_target_date: date.optional(),
  goal_needs_whole_amount: flag.optional(),
  goal_frequency: z.enum(goalFrequencies).optional(),
};

export const createCategory = operation({
  name: 'create_category',
  description:
    'Adds or makes a category in a group. goal_target gives it a goal: monthly, or by goal_frequency or goal_target_date. It cannot be hidden or deleted here.',
  route: 'POST /budgets/{budget_id}/categories',
  addedIn: '1.85',
  input: {
    budget_id: budgetId,
    category_group_id: categoryGroupId,
    name: nameText(),
    note: text.optional(),
    goal_target: amountSize.optional(),
    ...goalDetails,
  },
  output: saved,
  body: (category) => ({ category }),
  readBefore: idsIn(listCategories, ({ category_groups }) => categoriesIn(category_groups)),
  recover: async (readDelta, { name, category_group_id }, idsBefore) => {
    // A delta would lack the categories of a group that this program has just created.
    const { category_groups, server_knowledge } = await readDelta(listCategories, { isWhole: true });
    const category = categoriesIn(category_groups).find(
      (candidate) => !idsBefore.has(candidate.id) && matches({ name, category_group_id }, candidate),
    );
    return category && { category, server_knowledge };
  },
  simulate: async (readCurrent, sent, rules) => {
    const { category_groups } = await readCurrent(listCategories);
    return { problems: [...categoryProblems(rules, sent, category_groups)] };
  },
  inMonth,
  takeBack: cannotDelete('a category'),
  example: { category_group_id: EXAMPLE_ID, name: 'Bicycle' },
});

export const updateCategory = operation({
  name: 'update_category',
  description:
    'Renames a category, puts a note on it, moves it under another group, or sets, changes or drops its goal or target ("I want 900 for a bike by next May").',
  route: 'PATCH /budgets/{budget_id}/categories/{category_id}',
  input: {
    budget_id: budgetId,
    category_id: categoryId,
    name: nameText().optional(),
    note: clearable(text),
    category_group_id: categoryGroupId.optional(),
    goal_target: clearable(amountSize),
    ...goalDetails,
  },
  output: saved,
  body: (category) => ({ category }),
  recover: async (readDelta, { budget_id: _, category_id, ...sent }) => {
    const { category_groups, server_knowledge } = await readDelta(listCategories);
    const category = categoriesIn(category_groups).find((candidate) => candidate.id === category_id);
    if (!category || !isUpdated([{ sent, found: category }])) return undefined;
    return { category, server_knowledge };
  },
  simulate: async (readCurrent, sent, rules) => {
    const { category } = await readCurrent(getCategory);
    const { category_groups } = sent.category_group_id
      ? await readCurrent(listCategories)
      : { category_groups: [] };
    return { current: { category }, problems: [...categoryProblems(rules, sent, category_groups, category)] };
  },
  inMonth,
  stateBefore: ({ categories }, { category_id }) => [categories.get(category_id)],
  readStateBefore: async (read) => [(await read(getCategory)).category],
  takeBack: takeBackUpdateOf({
    kind: 'category',
    operation: 'update_category',
    fields: ['name', 'note', 'category_group_id', ...goalFields],
    contentOf: withRhythm,
    restore: restoreCategory,
    readBy: 'get_category',
  }),
  example: { category_id: EXAMPLE_ID, note: 'Markets first' },
});

/** The delta of a budget with the changed categories of all months. No smaller delta contains other months. */
const changedMonths = operation({
  name: 'changed_months',
  description: 'The categories that have changed, by month.',
  route: 'GET /budgets/{budget_id}',
  input: { budget_id: budgetId },
  output: {
    budget: z.object({ months: z.array(z.object({ month: text, categories: z.array(category) })) }),
    server_knowledge: integer,
  },
  collections: 'budget',
});

export const updateMonthCategory = operation({
  name: 'update_month_category',
  title: "Budget a month's category",
  description:
    'Sets the amount budgeted for a category in a month (next month too): "start over at zero". The new total, not the difference.',
  route: 'PATCH /budgets/{budget_id}/months/{month}/categories/{category_id}',
  input: { budget_id: budgetId, month, category_id: categoryId, budgeted: amountSize },
  output: saved,
  body: (category) => ({ category }),
  recover: async (readDelta, { month, category_id, budgeted }) => {
    const { budget, server_knowledge } = await readDelta(changedMonths);
    const category = budget.months
      .find((candidate) => candidate.month === month)
      ?.categories.find((candidate) => candidate.id === category_id && candidate.budgeted === budgeted);
    return category && { category, server_knowledge };
  },
  simulate: async (readCurrent, { budgeted, ...target }, rules) => {
    const problems = [...budgetedProblems(rules, target)];
    if (problems.length > 0) return { problems };
    const { category } = await readCurrent(getMonthCategory);
    const amount = budgeted - category.budgeted;
    return { current: { category }, category, postings: [{ category_id: category.id, amount }] };
  },
  budgeted: ({ month, category_id, budgeted }) => ({ month, category_id, budgeted }),
  // Nothing is budgeted in a month that the budget does not have yet.
  stateBefore: ({ months, categories }, { month, category_id }) => [
    foundBy(() => months.category(month, category_id)) ?? carriedOver(categories.get(category_id)),
  ],
  readStateBefore: async (read) => {
    const found = await read(getMonthCategory).catch(undefinedIfNotFound);
    return [found?.category ?? carriedOver((await read(getCategory)).category)];
  },
  takeBack: takeBackUpdateOf({
    kind: 'category',
    operation: 'update_month_category',
    fields: ['budgeted'],
    readBy: 'get_month_category',
  }),
  example: { month: 'current', category_id: EXAMPLE_ID, budgeted: 120 },
});

const name = nameText(50);

const savedGroup = { category_group: categoryGroup, server_knowledge: integer.optional() };

export const createCategoryGroup = operation({
  name: 'create_category_group',
  description:
    'Creates an empty group of categories ("I need a group called Fun"). It cannot be deleted here.',
  route: 'POST /budgets/{budget_id}/category_groups',
  addedIn: '1.85',
  input: { budget_id: budgetId, name },
  output: savedGroup,
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
  output: savedGroup,
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
  readStateBefore: async (read, { category_group_id }) =>
    (await read(listCategories)).category_groups.filter(({ id }) => id === category_group_id),
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
