/**
 * The data that the view of `find_transactions`, `review_transactions` and `reconcile_account` draws: one page of the list. Names are in lists of
 * their own and rows have positions in them, so that a page of 500 rows is small.
 */
import { z } from 'zod';
import { findingKinds } from '../../model/review/finding-kinds.ts';

const named = z.array(z.object({ id: z.string(), name: z.string() }));

/** The facts of a row in addition to its amount and names. */
export const rowMarks = z.enum([
  ...['split', 'part', 'transfer', 'uncleared', 'unapproved'],
  // What a review has found.
  ...findingKinds,
  // What a comparison with a bank has found.
  ...['missing_in_account', 'not_at_bank', 'perhaps_mistyped'],
] as const);

export type RowMark = z.output<typeof rowMarks>;

export const transactionsContent = z.object({
  kind: z.literal('transactions'),
  /** The account that was compared with its bank. Missing for a search, which can be narrowed. */
  title: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  /** The other conditions of the search, such as the name of a payee or the smallest amount. */
  conditions: z.array(
    z.object({ label: z.string(), value: z.string().optional(), amount: z.int().optional() }),
  ),
  total: z.int(),
  /** Of all rows, not only of this page. In milliunits. */
  sum: z.int(),
  /** Whether there are rows before this page. */
  isContinued: z.boolean(),
  next_cursor: z.string().nullable(),
  accounts: named,
  payees: named,
  categories: named,
  rows: z.array(
    z.object({
      date: z.string(),
      /** The matching part of the transaction, in milliunits. */
      amount: z.int(),
      account: z.int(),
      payee: z.int().optional(),
      category: z.int().optional(),
      memo: z.string().optional(),
      flag: z.string().optional(),
      marks: z.array(rowMarks).optional(),
    }),
  ),
});

export type TransactionsContent = z.output<typeof transactionsContent>;
