/**
 * The matching of an import to what a person entered before. The two are one transaction of the books: the entered
 * one stays, with its id, its date and what the person said, takes over the import's id and payee names, and names
 * in `matched_transaction_id` the import that it absorbed, which never stands in the register by itself. So the
 * amount counts once.
 */

import { addDays, daysBetween, monthOf } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';
import { type TransactionInput, updateTransaction } from '../ledger/transactions.ts';

const DAYS = 10;

type Wanted = Pick<TransactionRecord, 'account_id' | 'amount' | 'date'>;

/** The entered transaction that is nearest by date, among those on the account with the amount within ten days. */
export function enteredBefore(books: LedgerState, wanted: Wanted): TransactionRecord | undefined {
  const months = new Set([-DAYS, 0, DAYS].map((days) => monthOf(addDays(wanted.date, days))));
  let nearest: TransactionRecord | undefined;
  for (const month of months) {
    for (const id of books.mentioning(month)) {
      const record = books.transactions.get(id);
      if (record === undefined || !fits(record, wanted)) continue;
      if (nearest === undefined || distance(record, wanted) < distance(nearest, wanted)) nearest = record;
    }
  }
  return nearest;
}

/** Fills in what the person left open. */
export function match(books: LedgerState, entered: TransactionRecord, imported: TransactionInput): void {
  const { import_id = null, import_payee_name = null, import_payee_name_original = null } = imported;
  updateTransaction(books, entered.id, {
    import_id,
    import_payee_name,
    import_payee_name_original,
    matched_transaction_id: books.newId(),
    payee_id: entered.payee_id ?? imported.payee_id ?? null,
    category_id: entered.category_id ?? imported.category_id ?? null,
    memo: entered.memo ?? imported.memo ?? null,
    cleared: entered.cleared === 'uncleared' ? (imported.cleared ?? 'uncleared') : entered.cleared,
    approved: entered.approved || (imported.approved ?? false),
  });
}

function fits(record: TransactionRecord, { account_id, amount, date }: Wanted): boolean {
  return (
    record.account_id === account_id &&
    record.amount === amount &&
    record.import_id === null &&
    Math.abs(daysBetween(record.date, date)) <= DAYS
  );
}

const distance = (record: TransactionRecord, { date }: Wanted) => Math.abs(daysBetween(record.date, date));
