/** The answer of `check_month` and the data that its view draws, in milliunits. The views import the types. */
import { z } from 'zod';
import { leftOut } from '../../answers/view-data/left-out.ts';
import { flag, integer, milliunits, text } from '../../base/schema/fields.ts';

const sum = z.object({ total: integer, sum: milliunits });

const listOf = <Row extends z.ZodType>(row: Row) => sum.extend({ rows: z.array(row).readonly() });

/** What a category lacks or has left. Never negative. */
const categoryAmount = z.object({ category_id: text, name: text, hidden: flag, amount: milliunits });

const underfunded = categoryAmount.extend({
  goal_target: milliunits.nullable(),
  /** How often or when it is due, in words, such as `weekly by Friday`. Empty for a goal that is due at no time. */
  goal_due: text,
  goal_percentage_complete: integer.nullable(),
  /** A goal without a date lacks what is missing to its target, not what is missing this month. */
  has_date: flag,
});

/** A credit card that owes more than is set aside for it. */
const card = z.object({
  category_id: text,
  name: text,
  owed: milliunits,
  set_aside: milliunits,
  /** What is not covered. */
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
  /** Of a split, which has no category itself. */
  legs: z
    .array(z.object({ category_id: text.nullable(), category_name: text.nullable(), each: milliunits }))
    .readonly(),
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
      overspent: listOf(categoryAmount),
      /** Payment categories of credit cards. Covering what was overspent by card may mend them. */
      cards_below_zero: listOf(categoryAmount),
      underfunded: listOf(underfunded),
      /** The number of goals that are not hidden. */
      goals: integer,
      /** Goals that the person has put off, with what they lack. They are not underfunded. */
      snoozed: listOf(categoryAmount),
      left: listOf(categoryAmount),
      /** What is left in the payment categories of credit cards. */
      set_aside_for_cards: milliunits,
      uncovered_cards: z.array(card),
    })
    .optional(),
  scheduled: z.object({ payments: listOf(due), income: listOf(due), transfers: listOf(due) }),
  open,
  open_in_all_months: open,
  left_out: z.array(leftOut).optional(),
});

export type MonthCheck = z.output<typeof monthCheck>;
export type MonthCategories = NonNullable<MonthCheck['categories']>;
export type CategoryAmount = z.output<typeof categoryAmount>;
export type UnderfundedCategory = z.output<typeof underfunded>;
export type UncoveredCard = z.output<typeof card>;

const drawnCategory = z.object({
  id: text,
  name: text,
  isHidden: flag.optional(),
  /** Whether it is for the payments of a credit card. Below zero, it is not counted as overspent. */
  isCard: flag.optional(),
  budgeted: milliunits,
  activity: milliunits,
  left: milliunits,
  lacks: milliunits.optional(),
  isSnoozed: flag.optional(),
  goal: milliunits.optional(),
  /** In words, such as `weekly by Friday`. */
  goalDue: text.optional(),
});

export const monthContent = z.object({
  kind: z.literal('month'),
  /** Such as `2026-11`, like `months`. */
  month: text,
  /** The months that a person can pick. */
  months: z.array(text),
  /** Missing for a month that the budget does not have yet. */
  categories: z
    .object({
      toBeAssigned: milliunits,
      overspent: sum,
      underfunded: sum,
      goals: integer,
      left: sum,
      groups: z.array(z.object({ name: text, categories: z.array(drawnCategory) })),
      omitted: integer,
    })
    .optional(),
  uncoveredCards: z.array(card),
  scheduled: z.object({
    payments: sum,
    income: sum,
    rows: z.array(
      z.object({
        /** The first and the last day, which may be the same. */
        first: text,
        last: text,
        times: integer,
        payee: text.nullable(),
        category: text.nullable(),
        amount: milliunits,
      }),
    ),
  }),
  open,
  /** The names of what the sums leave out, because it is not known when or whether it counts. */
  leftOut: z.array(text),
});

export type MonthContent = z.output<typeof monthContent>;
