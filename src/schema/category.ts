/** A category and its group: what money is set aside for (docs/interface.md, Category). */
import { z } from 'zod';
import { flag, integer, milliunits, orNull, text } from './fields.ts';

/**
 * The group of the service's own categories, such as what is ready to be assigned. In this version it is recognised by
 * its name alone. Its categories have no balance of their own: what comes into them is for all the others.
 */
export const INTERNAL_GROUP = 'Internal Master Category';

/** The group of the service's own whose categories gather what credit cards will be paid from. */
export const PAYMENT_GROUP = 'Credit Card Payments';

/** The category in `INTERNAL_GROUP` that stands for none. */
export const UNCATEGORIZED = 'Uncategorized';

export const category = z.object({
  id: text,
  category_group_id: text,
  category_group_name: orNull(text),
  name: text,
  hidden: flag,
  original_category_group_id: orNull(text),
  note: orNull(text),
  budgeted: milliunits,
  activity: milliunits,
  balance: milliunits,
  goal_type: orNull(text),
  goal_needs_whole_amount: orNull(flag),
  goal_day: orNull(integer),
  goal_cadence: orNull(integer),
  goal_cadence_frequency: orNull(integer),
  goal_creation_month: orNull(text),
  goal_target: orNull(milliunits),
  goal_target_month: orNull(text),
  goal_percentage_complete: orNull(integer),
  goal_months_to_budget: orNull(integer),
  goal_under_funded: orNull(milliunits),
  goal_overall_funded: orNull(milliunits),
  goal_overall_left: orNull(milliunits),
  goal_snoozed_at: orNull(text),
  deleted: flag,
});

export type Category = z.output<typeof category>;

const groupHead = { id: text, name: text, hidden: flag, deleted: flag };

export const categoryGroup = z.object(groupHead);

export const categoryGroupWithCategories = z.object({ ...groupHead, categories: z.array(category) });

export type CategoryGroup = z.output<typeof categoryGroup>;
