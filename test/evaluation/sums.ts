/**
 * Arithmetic over the export, for what tasks expect: sums of lines, and what a category has left. The sums of the service (the
 * balances and activities of accounts, categories and months) are not used. Amounts are in milliunits.
 */
import { budgetedTo, type Change } from './changes.ts';
import { categoryNamed, type Export, linesOf } from './export.ts';

/** A transaction, or a line of a split one, by names. */
export interface Posting {
  /** Of the transaction. */
  readonly id: string;
  readonly date: string;
  readonly account: string;
  readonly payee: string | null;
  readonly category: string | null;
  readonly amount: number;
  readonly flag_color: string | null;
  readonly cleared: string;
}

/** All postings for which `isWanted`. */
export function postings(budget: Export, isWanted: (posting: Posting) => boolean): Posting[] {
  const [account, payee] = [nameIn(budget.accounts), nameIn(budget.payees)];
  const category = nameIn(budget.categories);
  const split = new Set(budget.subtransactions.map(({ transaction_id }) => transaction_id));
  return budget.transactions
    .flatMap((transaction) => {
      const lines = split.has(transaction.id) ? linesOf(budget, transaction) : [transaction];
      return lines.map(({ amount, category_id, payee_id }) => ({
        id: transaction.id,
        date: transaction.date,
        account: account(transaction.account_id) ?? '',
        payee: payee(payee_id ?? transaction.payee_id),
        category: category(category_id),
        amount,
        flag_color: transaction.flag_color,
        cleared: transaction.cleared,
      }));
    })
    .filter(isWanted);
}

const nameIn = (rows: readonly { readonly id: string; readonly name: string }[]) => {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id: string | null) => (id === null ? null : (names.get(id) ?? null));
};

export const sum = (rows: readonly { readonly amount: number }[]) =>
  rows.reduce((total, { amount }) => total + amount, 0);

/** What was spent in the postings for which `isWanted`, refunds taken off. */
export const spent = (budget: Export, isWanted: (posting: Posting) => boolean) =>
  0 - sum(postings(budget, isWanted));

/** What a category has left now: from month to month what is above zero goes on, and what is below zero does not. */
export function available(budget: Export, category: string): number {
  const rows = postings(budget, (posting) => posting.category === category);
  return budget.months
    .toSorted((a, b) => a.month.localeCompare(b.month))
    .reduce((carried, { month, categories }) => {
      const budgeted = categories.find(({ name }) => name === category)?.budgeted ?? 0;
      const activity = sum(rows.filter(({ date }) => date.startsWith(month.slice(0, 7))));
      return Math.max(0, carried) + budgeted + activity;
    }, 0);
}

/** In currency units, as answers have it. */
export const units = (milliunits: number) => milliunits / 1_000;

/** The forms of an amount where a person may say it with or without a sign. */
export const eitherSign = (milliunits: number) => [`${units(milliunits)}`, `${units(-milliunits)}`];

const CURRENT_MONTH = '2026-11';

/** The change by which a category has more budgeted this month, or less if `more` is below zero. */
export const budgetedMore = (budget: Export, category: string, more: number): Change =>
  budgetedTo(budget, CURRENT_MONTH, category, categoryNamed(budget, category, CURRENT_MONTH).budgeted + more);
