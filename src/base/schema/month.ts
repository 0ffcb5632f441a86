/** A month of a budget as a whole, and each category in it (docs/interface.md, Month). */
import { z } from 'zod';
import { category } from './category.ts';
import { dayText, flag, integer, milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

const summary = {
  month: dayText,
  note: orNull(text),
  income: milliunits,
  budgeted: milliunits,
  activity: milliunits,
  to_be_budgeted: milliunits,
  age_of_money: orNull(integer),
  deleted: flag,
};

export const monthSummary = z.object(summary).register(meanings, { row: 'month' });

export const monthDetail = z
  .object({ ...summary, categories: z.array(category) })
  .register(meanings, { row: 'month_with_categories' });
