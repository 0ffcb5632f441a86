/** The data that the view of `check_month` draws. */
import { z } from 'zod';

const amount = z.int();
const sum = z.object({ total: z.int(), sum: amount });

const category = z.object({
  id: z.string(),
  name: z.string(),
  isHidden: z.boolean().optional(),
  /** Whether it is for the payments of a credit card. Below zero, it is not counted as overspent. */
  isCard: z.boolean().optional(),
  budgeted: amount,
  activity: amount,
  left: amount,
  /** The amount that its goal lacks. */
  lacks: amount.optional(),
  goal: amount.optional(),
});

export const monthContent = z.object({
  kind: z.literal('month'),
  /** Such as `2026-11`, like `months`. */
  month: z.string(),
  /** The months that a person can pick. */
  months: z.array(z.string()),
  /** Missing for a month that the budget does not have yet. */
  categories: z
    .object({
      toBeAssigned: amount,
      overspent: sum,
      underfunded: sum,
      goals: z.int(),
      left: sum,
      groups: z.array(z.object({ name: z.string(), categories: z.array(category) })),
      /** The number of categories that are left out. */
      omitted: z.int(),
    })
    .optional(),
  uncoveredCards: z.array(z.object({ name: z.string(), owed: amount, setAside: amount, lacks: amount })),
  scheduled: z.object({
    payments: sum,
    income: sum,
    rows: z.array(
      z.object({
        /** The first and the last day, which may be the same. */
        first: z.string(),
        last: z.string(),
        times: z.int(),
        payee: z.string().nullable(),
        category: z.string().nullable(),
        amount,
      }),
    ),
  }),
  withoutCategory: z.int(),
  withoutApproval: z.int(),
});

export type MonthContent = z.output<typeof monthContent>;
