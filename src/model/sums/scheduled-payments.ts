/** The scheduled transactions that are due in a month, each with its dates there. */
import { compareTexts } from '../../base/compare.ts';
import type { ScheduledTransaction } from '../replica/entities.ts';
import { type BudgetAccounts, changeOf } from './budget-accounts.ts';
import { amountOf, firstRows } from './first-rows.ts';
import { linesOf } from './lines.ts';
import { dueDatesIn } from './occurrences.ts';
import { sumOf } from './sum.ts';

/**
 * `month` is a first day. The soonest comes first. Transfers are those between accounts of the budget, with the amount that the
 * account of the transaction gets or gives.
 */
export function duePayments(
  month: string,
  scheduled: readonly ScheduledTransaction[],
  budgetAccounts: BudgetAccounts,
  max: number,
) {
  const dueOf = (rows: readonly ScheduledTransaction[], amount: (row: ScheduledTransaction) => number) =>
    rows
      .map((row) => duePayment(row, dueDatesIn(month, row), amount(row)))
      .filter(({ dates }) => dates.length > 0)
      .toSorted((a, b) => compareTexts(a.dates[0], b.dates[0]) || compareTexts(a.name ?? '', b.name ?? ''));
  const first = (rows: ReturnType<typeof dueOf>) => firstRows(rows, max, amountOf);
  const due = dueOf(scheduled, (row) => scheduledChange(row, budgetAccounts));
  const transfers = scheduled.filter((row) => isOwnTransfer(row, budgetAccounts));
  return {
    payments: first(due.filter(({ each }) => each < 0)),
    income: first(due.filter(({ each }) => each > 0)),
    transfers: first(dueOf(transfers, amountOf)),
  };
}

const isOwnTransfer = (row: ScheduledTransaction, budgetAccounts: BudgetAccounts) =>
  budgetAccounts.has(row.account_id) && budgetAccounts.isWithin(row);

/** What a scheduled transaction changes in the money of the budget each time, in milliunits. */
export function scheduledChange(row: ScheduledTransaction, budgetAccounts: BudgetAccounts): number {
  return sumOf(linesOf(row), (line) => changeOf(line, row.account_id, budgetAccounts));
}

/** `each` is what each date changes in the money of the budget, and `amount` what all of them do. Negative is spent. */
function duePayment(row: ScheduledTransaction, dates: string[], each: number) {
  const legs = row.subtransactions;
  const isSplit = legs.length > 0;
  return {
    scheduled_transaction_id: row.id,
    account_id: row.account_id,
    account_name: row.account_name,
    payee_id: row.payee_id,
    name: row.payee_name,
    category_id: isSplit ? null : row.category_id,
    category_name: isSplit ? null : row.category_name,
    legs: legs.map(({ category_id, category_name, amount }) => ({
      category_id,
      category_name,
      each: amount,
    })),
    frequency: row.frequency,
    dates,
    each,
    amount: each * dates.length,
  };
}
