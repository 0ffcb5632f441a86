/** A small budget for tests of the bookkeeping. */
import {
  ChartOfAccounts,
  type Entry,
  type Leg,
  type Posting,
} from '../../../src/model/bookkeeping/entries.ts';

const account = (id: string, on_budget = true, closed = false) => ({
  id,
  name: id,
  on_budget,
  closed,
  transfer_payee_id: `to ${id}`,
});

/**
 * Only the account `pension` is a tracking account, and only `old` is closed. The categories `groceries` and `rent` are
 * ordinary ones.
 */
export const chart = new ChartOfAccounts(
  [
    account('checking'),
    account('savings'),
    account('wallet'),
    account('pension', false),
    account('old', true, true),
  ],
  {
    all: new Set(['groceries', 'rent', 'card payments', 'uncategorized']),
    internal: new Set(['uncategorized']),
    payment: new Set(['card payments']),
    uncategorized: new Set(['uncategorized']),
  },
  new Set(['baker']),
);

/** A payment of 10 from the account `checking`. */
export const entry = (fields: Partial<Entry> = {}): Entry => ({
  id: 't',
  account_id: 'checking',
  date: '2026-11-21',
  amount: -10_000,
  payee_id: null,
  category_id: null,
  import_id: null,
  cleared: 'uncleared',
  transfer_transaction_id: null,
  subtransactions: [],
  ...fields,
});

export const leg = (amount: number, fields: Partial<Leg> = {}): Leg => ({
  amount,
  payee_id: null,
  category_id: null,
  transfer_transaction_id: null,
  ...fields,
});

/** The sum for each account and category, without those whose sum is zero. */
export function sumsOf(postings: readonly Posting[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { account_id, category_id, amount } of postings)
    for (const id of [account_id, category_id])
      if (id !== undefined) sums.set(id, (sums.get(id) ?? 0) + amount);
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0));
}
