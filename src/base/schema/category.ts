/** A category and its group: what money is set aside for (docs/interface.md, Category). */
import { z } from 'zod';
import { flag, integer, milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

/** Whether it is one of the service's own. Versions before 1.85 leave it out. */
const internal = flag.optional();

export const category = z
  .object({
    id: text,
    category_group_id: text,
    category_group_name: orNull(text),
    name: text,
    internal,
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
    goal_target_date: orNull(text),
    goal_percentage_complete: orNull(integer),
    goal_months_to_budget: orNull(integer),
    goal_under_funded: orNull(milliunits),
    goal_overall_funded: orNull(milliunits),
    goal_overall_left: orNull(milliunits),
    goal_snoozed_at: orNull(text),
    deleted: flag,
    /**
     * What is left to assign in the month. The service has no such field: it is added to the category of income, whose own
     * amounts are sums of all time.
     */
    to_be_budgeted: milliunits.optional(),
  })
  .register(meanings, { row: 'category' });

export type Category = z.output<typeof category>;

const groupHead = { id: text, name: text, internal, hidden: flag, deleted: flag };

export const categoryGroup = z.object(groupHead).register(meanings, { row: 'category_group' });

export const categoryGroupWithCategories = z
  .object({ ...groupHead, categories: z.array(category) })
  .register(meanings, { row: 'category_group_with_categories' });
