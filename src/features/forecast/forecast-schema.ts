/** The answer of `forecast` and the data that its view draws, in milliunits. The views import the types. */
import { z } from 'zod';
import { leftOut } from '../../answers/view-data/left-out.ts';
import { integer, milliunits, text } from '../../base/schema/fields.ts';

const day = z.object({ date: text, balance: milliunits });

const balances = z.object({
  /** Null for all accounts together. */
  account_id: text.nullable(),
  name: text.nullable(),
  balance: milliunits,
  /** On the last day, and the lowest by the end of a day. */
  certain: z.object({ balance: milliunits, lowest: day }),
  /** Null without history, or with `spending: false`. `low` and `high` are null with less than three months of it. */
  likely: z
    .object({ middle: milliunits, low: milliunits.nullable(), high: milliunits.nullable(), lowest: day })
    .nullable(),
});

const categoryRow = z.object({
  category_id: text,
  name: text,
  left: milliunits,
  months: z.array(
    z.object({
      month: text,
      budgeted: milliunits,
      scheduled: milliunits,
      usual: milliunits,
      certain: milliunits,
      likely: milliunits,
    }),
  ),
  /** The first month that ends below zero, by what is certain and by what is likely. */
  below_zero: z.object({ certain: text.nullable(), likely: text.nullable() }),
});

export const forecastSchema = z.object({
  today: text,
  until: text,
  /** All accounts together, or the only one. */
  total: balances.optional(),
  accounts: z.array(balances).optional(),
  categories: z.array(categoryRow).optional(),
  supposed: z.object({ changes: integer, amount: milliunits }).optional(),
  /** The history that the likely part rests on. */
  history: z.object({ months: integer, transactions: integer, recurring: integer }).optional(),
  scheduled: integer,
  left_out: z.array(leftOut).optional(),
});

export type Forecast = z.output<typeof forecastSchema>;

export type Balances = NonNullable<Forecast['total']>;
export type CategoryRow = NonNullable<Forecast['categories']>[number];

const drawnBalances = balances.omit({ account_id: true });
const line = z.array(milliunits).readonly();

/** Balances day by day, or what categories will have left month by month. */
export const forecastContent = z.object({
  kind: z.literal('forecast'),
  today: text,
  until: text,
  total: drawnBalances.optional(),
  accounts: z.array(drawnBalances),
  /** A balance for each day from today on, of all accounts together. */
  days: z
    .object({ certain: line, middle: line.optional(), low: line.optional(), high: line.optional() })
    .optional(),
  categories: z.array(categoryRow.pick({ name: true, left: true, months: true })),
  /** The names of what the sums leave out, because it is not known when or whether it counts. */
  leftOut: z.array(text),
});

export type ForecastContent = z.output<typeof forecastContent>;
