/** The data that the view of `report` draws. */
import { z } from 'zod';

const amount = z.int();

/** As in the answer of `report`: `total` is what was spent or earned, income less spending, or the net worth. */
const totals = {
  total: amount,
  income: amount.optional(),
  spending: amount.optional(),
  owned: amount.optional(),
  owed: amount.optional(),
};

export const reportContent = z.object({
  kind: z.literal('report'),
  of: z.enum(['spending', 'income', 'both', 'net_worth']),
  by: z.enum(['category', 'group', 'payee', 'account', 'weekday', 'none']),
  /** Whether the periods were asked for as columns. */
  monthly: z.boolean(),
  since: z.string(),
  until: z.string(),
  only: z.array(
    z.object({
      kind: z.enum(['account', 'category', 'category_group', 'payee']),
      id: z.string(),
      name: z.string(),
    }),
  ),
  /** The words that a transaction has to contain. */
  text: z.string().optional(),
  ...totals,
  transactions: z.int().optional(),
  /** The same in the range that this one is compared with. */
  versus: z.object({ since: z.string(), until: z.string(), ...totals }).optional(),
  /** The change of the net worth. */
  change: amount.optional(),
  /** The part of the spending that went to tracking accounts. */
  to_tracking_accounts: amount.optional(),
  /** The months, or years, of the chart. A person can pick one. */
  periods: z.array(z.object({ period: z.string(), isShown: z.boolean(), ...totals })),
  rows: z.array(
    z.object({
      id: z.string().nullable(),
      name: z.string(),
      total: amount,
      transactions: z.int().optional(),
      /** Of a category or a group in whole months. */
      budgeted: amount.optional(),
    }),
  ),
  /** The rows that are left out. */
  more: z.object({ rows: z.int(), total: amount }).optional(),
});

export type ReportContent = z.output<typeof reportContent>;
