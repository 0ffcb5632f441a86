/**
 * What data show of a category. The amounts and the goal of an internal category are left out, because they may be sums of
 * all time. `to_be_budgeted` says what is left to assign. `rows.ts` has the same for text.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { category } from '../base/schema/category.ts';
import { isInternalCategory } from '../model/bookkeeping/own-categories.ts';

const { budgeted, activity, balance, ...others } = category.shape;
const amounts = { budgeted: budgeted.optional(), activity: activity.optional(), balance: balance.optional() };

/** The schema of what is shown of `category`. */
export const shownCategorySchema = z.object({ ...others, ...amounts });

const recognised = category.pick({ name: true, internal: true, category_group_name: true });

/** `row` has the fields of `category`. */
export function shownCategory(row: JsonObject): JsonObject {
  if (!isInternalCategory(recognised.parse(row))) return row;
  const shown = Object.entries(row).filter(([name]) => !(name in amounts));
  return Object.fromEntries(shown.map(([name, value]) => [name, name.startsWith('goal_') ? null : value]));
}
