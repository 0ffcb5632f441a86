/** The answer of `report` and the data that its view draws, in milliunits. The views import the types. */
import { z } from 'zod';
import { leftOut } from '../../answers/view-data/left-out.ts';
import { category } from '../../base/schema/category.ts';
import { flag, integer, milliunits, orNull, text } from '../../base/schema/fields.ts';
import { groupings } from './groupings.ts';

export const reportKinds = z.enum(['spending', 'income', 'both', 'net_worth']);

/** `total` is what was spent or earned, income less spending, or the net worth at the end. */
const totals = {
  total: milliunits,
  transactions: integer.optional(),
  income: milliunits.optional(),
  spending: milliunits.optional(),
  /** The parts of the income for which no money came in: they set the balances of accounts. */
  starting_balances: milliunits.optional(),
  adjustments: milliunits.optional(),
  owned: milliunits.optional(),
  owed: milliunits.optional(),
  /** Of spending in whole months, if the report is limited to categories. */
  budgeted: milliunits.optional(),
  /** In these categories at the end. */
  left: milliunits.optional(),
};

/** A month such as `2026-11`, or a year such as `2026`. */
const reportPeriod = z.object({ period: text, ...totals });

/** One amount for each period. */
const amounts = z.array(milliunits);

const reportRow = z.object({
  /** The key of the row (`groupings.ts`). Null for lines without a category, payee or flag. For a weekday, `1` for Monday to `7`. */
  id: orNull(text),
  name: text,
  total: milliunits,
  transactions: integer.optional(),
  /** In the range that is compared. */
  before: milliunits.optional(),
  budgeted: totals.budgeted,
  left: totals.left,
  amounts,
});

export const goal = category.pick({
  id: true,
  name: true,
  goal_type: true,
  goal_target: true,
  goal_cadence: true,
  goal_cadence_frequency: true,
  goal_day: true,
  goal_target_date: true,
  goal_target_month: true,
  goal_percentage_complete: true,
  goal_under_funded: true,
  goal_snoozed_at: true,
});

const facts = {
  /** Of the accounts that the report is limited to, at the end of the range. */
  balance: milliunits.optional(),
  /** To and from these accounts, in the range. */
  transferred_in: milliunits.optional(),
  transferred_out: milliunits.optional(),
  /** Of the groups that the report is limited to, if its rows are categories. */
  groups: z.array(z.object({ id: text, name: text, total: milliunits })).optional(),
  /** This month, of the categories that the report is limited to. */
  goals: z.array(goal).optional(),
  /** Names of categories and accounts in which the words occur. All of their lines contain them. */
  names_with_words: z.array(text).optional(),
  /** The number of payees in the rows in whose names not all words occur. */
  payees_without_words: integer.optional(),
};

const limit = z.object({
  kind: z.enum(['account', 'category', 'category_group', 'payee']),
  id: text,
  name: text,
});

export const reportSchema = z.object({
  of: reportKinds,
  by: groupings,
  since: text,
  until: text,
  /** Whether the caller gave no dates. */
  is_default_range: flag.optional(),
  only: z.array(limit),
  text: text.optional(),
  flag_color: text.optional(),
  ...totals,
  /** The change of the net worth within the range. */
  change: milliunits.optional(),
  /** The part of the spending that is transfers to tracking accounts, less those from them. */
  to_tracking_accounts: milliunits.optional(),
  /** Whether the category of income could not be recognised, so that no income was found. */
  is_income_unknown: flag.optional(),
  left_out: z.array(leftOut).optional(),
  /** What the spending was reduced by. */
  refunds: z.object({ amount: milliunits, transactions: integer }).optional(),
  ...facts,
  versus: z.object({ since: text, until: text, ...totals }).optional(),
  periods: z.array(reportPeriod),
  rows: z.array(reportRow),
  /** The rows after these. */
  more: z
    .object({ rows: integer, total: milliunits, before: milliunits.optional(), amounts, next_cursor: text })
    .optional(),
  /** Set if the range was to begin before the first transaction. */
  first_transaction: text.optional(),
});

export type Report = z.output<typeof reportSchema>;
export type ReportRow = Report['rows'][number];
export type Totals = Pick<Report, keyof typeof totals>;
export type Facts = Pick<Report, keyof typeof facts>;

/** What the view draws: the report without what only a model needs. */
export const reportContent = reportSchema
  .omit({ groups: true, goals: true, names_with_words: true, left_out: true })
  .extend({
    kind: z.literal('report'),
    /** The names of accounts of which something is left out. */
    leftOut: z.array(text),
    /** Whether the periods were asked for as columns. */
    monthly: flag,
    /** The months, or years, of the chart. A person can pick one. */
    periods: z.array(reportPeriod.extend({ isShown: flag })),
    rows: z.array(reportRow.pick({ id: true, name: true, total: true, transactions: true, budgeted: true })),
    more: z.object({ rows: integer, total: milliunits }).optional(),
  });

export type ReportContent = z.output<typeof reportContent>;
