/** The answer of `check_month`. Amounts are in milliunits. */
import { z } from 'zod';
import { flag, integer, milliunits, text } from '../../base/schema/fields.ts';

const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ total: integer, sum: milliunits, rows: z.array(row).readonly() });

const categoryFields = { category_id: text, name: text, hidden: flag, amount: milliunits };

const underfundedFields = {
  ...categoryFields,
  goal_target: milliunits.nullable(),
  goal_target_month: text.nullable(),
  goal_percentage_complete: integer.nullable(),
  has_date: flag,
};

const card = z.object({
  category_id: text,
  name: text,
  owed: milliunits,
  set_aside: milliunits,
  amount: milliunits,
});

const due = z.object({
  scheduled_transaction_id: text,
  account_id: text,
  account_name: text,
  payee_id: text.nullable(),
  name: text.nullable(),
  category_id: text.nullable(),
  category_name: text.nullable(),
  frequency: text,
  dates: z.array(text).readonly(),
  each: milliunits,
  amount: milliunits,
});

const open = z.object({ need_category: integer, need_approval: integer });

export const monthCheck = z.object({
  month: text,
  /** Missing for a month that the budget does not have yet. */
  categories: z
    .object({
      to_be_assigned: milliunits,
      overspent: listOf(z.object(categoryFields)),
      cards_below_zero: listOf(z.object(categoryFields)),
      underfunded: listOf(z.object(underfundedFields)),
      goals: integer,
      left: listOf(z.object(categoryFields)),
      set_aside_for_cards: milliunits,
      uncovered_cards: z.array(card),
    })
    .optional(),
  scheduled: z.object({ payments: listOf(due), income: listOf(due), transfers: listOf(due) }),
  open,
  open_in_all_months: open,
});

export type MonthCheck = z.output<typeof monthCheck>;
