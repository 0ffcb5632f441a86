/** What the view of `forecast` draws: balances day by day, or what categories will have left month by month. */
import { z } from 'zod';

const amount = z.int();
const day = z.object({ date: z.string(), balance: amount });
const part = z.object({ balance: amount, lowest: day });

const balances = z.object({
  /** Null for all accounts together. */
  name: z.string().nullable(),
  balance: amount,
  certain: part,
  likely: z.object({ ...part.shape, low: amount.nullable(), high: amount.nullable() }).nullable(),
});

export const forecastContent = z.object({
  kind: z.literal('forecast'),
  today: z.string(),
  until: z.string(),
  total: balances.optional(),
  accounts: z.array(balances),
  /** A balance for each day from today on, of all accounts together. */
  days: z
    .object({
      certain: z.array(amount),
      middle: z.array(amount).optional(),
      low: z.array(amount).optional(),
      high: z.array(amount).optional(),
    })
    .optional(),
  categories: z.array(
    z.object({
      name: z.string(),
      left: amount,
      months: z.array(
        z.object({
          month: z.string(),
          budgeted: amount,
          scheduled: amount,
          usual: amount,
          certain: amount,
          likely: amount,
        }),
      ),
    }),
  ),
});

export type ForecastContent = z.output<typeof forecastContent>;
