/** The scheduled transactions that are due in a month, each with its dates there. */
import type { ScheduledTransaction } from '../replica/entities.ts';
import { type AccountIds, changeOf } from './budget-accounts.ts';
import { amountOf, type FirstRows, firstRows } from './first-rows.ts';
import { linesOf } from './lines.ts';
import { dueDatesIn } from './occurrences.ts';
import { sumOf } from './sum.ts';

export interface DuePayment {
  readonly scheduled_transaction_id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly payee_id: string | null;
  /** The payee's name. */
  readonly name: string | null;
  /** Null for a split. */
  readonly category_id: string | null;
  readonly category_name: string | null;
  readonly frequency: string;
  readonly dates: readonly string[];
  /** What each date changes in the money of the budget, and what all of them do, in milliunits. Negative is spent. */
  readonly each: number;
  readonly amount: number;
}

export interface DuePayments {
  readonly payments: FirstRows<DuePayment>;
  readonly income: FirstRows<DuePayment>;
  /** Transfers between accounts of the budget, with the amount that the account of the transaction gets or gives. */
  readonly transfers: FirstRows<DuePayment>;
}

/** `month` is a first day. The soonest comes first. */
export function duePayments(
  month: string,
  scheduled: readonly ScheduledTransaction[],
  budgetAccounts: AccountIds,
  max: number,
): DuePayments {
  const dueOf = (rows: readonly ScheduledTransaction[], amount: (row: ScheduledTransaction) => number) =>
    rows
      .map((row) => duePayment(row, dueDatesIn(month, row), amount(row)))
      .filter(({ dates }) => dates.length > 0)
      .toSorted((a, b) => compareTexts(a.dates[0], b.dates[0]) || compareTexts(a.name ?? '', b.name ?? ''));
  const due = dueOf(scheduled, (row) => scheduledChange(row, budgetAccounts));
  const transfers = scheduled.filter((row) => isOwnTransfer(row, budgetAccounts));
  return {
    payments: firstRows(
      due.filter(({ each }) => each < 0),
      max,
      amountOf,
    ),
    income: firstRows(
      due.filter(({ each }) => each > 0),
      max,
      amountOf,
    ),
    transfers: firstRows(
      dueOf(transfers, ({ amount }) => amount),
      max,
      amountOf,
    ),
  };
}

const isOwnTransfer = (
  { account_id, transfer_account_id }: ScheduledTransaction,
  budgetAccounts: AccountIds,
) =>
  transfer_account_id !== null && budgetAccounts.has(account_id) && budgetAccounts.has(transfer_account_id);

/** What a scheduled transaction changes in the money of the budget each time, in milliunits. */
export function scheduledChange(row: ScheduledTransaction, budgetAccounts: AccountIds): number {
  return sumOf(linesOf(row), (line) => changeOf(line, row.account_id, budgetAccounts));
}

function duePayment(row: ScheduledTransaction, dates: string[], each: number): DuePayment {
  const isSplit = row.subtransactions.length > 0;
  return {
    scheduled_transaction_id: row.id,
    account_id: row.account_id,
    account_name: row.account_name,
    payee_id: row.payee_id,
    name: row.payee_name,
    category_id: isSplit ? null : row.category_id,
    category_name: isSplit ? null : row.category_name,
    frequency: row.frequency,
    dates,
    each,
    amount: each * dates.length,
  };
}

const compareTexts = (a = '', b = '') => (a === b ? 0 : a < b ? -1 : 1);
