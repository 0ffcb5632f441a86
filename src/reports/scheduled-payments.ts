/** The scheduled transactions that are due in a month, each with its dates there. */
import type { ScheduledTransaction } from '../replica/entities.ts';
import { type AccountIds, changeOf, type Movement } from './budget-accounts.ts';
import { amountOf, type FirstRows, firstRows } from './first-rows.ts';
import { dueDatesIn } from './occurrences.ts';
import { sumOf } from './sum.ts';

export interface DuePayment {
  readonly scheduled_transaction_id: string;
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
  /** The number of transfers between accounts of the budget. They change no category. */
  readonly transfers: number;
}

/** `month` is a first day. The soonest comes first. */
export function duePayments(
  month: string,
  scheduled: readonly ScheduledTransaction[],
  budgetAccounts: AccountIds,
  max: number,
): DuePayments {
  const due = scheduled
    .map((each) => duePayment(each, dueDatesIn(month, each), budgetAccounts))
    .filter(({ dates }) => dates.length > 0)
    .toSorted((a, b) => compareTexts(a.dates[0], b.dates[0]) || compareTexts(a.name ?? '', b.name ?? ''));
  const transfers = scheduled.filter((each) => isOwnTransfer(each, budgetAccounts));
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
    transfers: sumOf(transfers, (each) => dueDatesIn(month, each).length),
  };
}

const isOwnTransfer = (
  { account_id, transfer_account_id }: ScheduledTransaction,
  budgetAccounts: AccountIds,
) =>
  transfer_account_id !== null && budgetAccounts.has(account_id) && budgetAccounts.has(transfer_account_id);

function duePayment(row: ScheduledTransaction, dates: string[], budgetAccounts: AccountIds): DuePayment {
  const isSplit = row.subtransactions.length > 0;
  const lines: readonly Movement[] = isSplit ? row.subtransactions : [row];
  const each = sumOf(lines, (line) => changeOf(line, row.account_id, budgetAccounts));
  return {
    scheduled_transaction_id: row.id,
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
