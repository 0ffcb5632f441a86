/**
 * Merges an import with a transaction that the user entered before, so that the amount counts once. The existing
 * transaction keeps its id, its date and the user's values. It gets the import id and payee names of the import.
 * `matched_transaction_id` gets the id of the import, which does not exist as a transaction itself.
 */

import { addDays, daysBetween, monthOf } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';
import { type TransactionInput, updateTransaction } from '../ledger/transactions.ts';

const MATCHING_DAYS = 10;

type ImportKey = Pick<TransactionRecord, 'account_id' | 'amount' | 'date'>;

/** The existing transaction on the account with the same amount, within ten days and nearest by date. */
export function findMatch(state: LedgerState, imported: ImportKey): TransactionRecord | undefined {
  const months = new Set(
    [-MATCHING_DAYS, 0, MATCHING_DAYS].map((days) => monthOf(addDays(imported.date, days))),
  );
  let nearest: TransactionRecord | undefined;
  for (const month of months) {
    for (const id of state.transactionIdsOf(month)) {
      const record = state.transactions.get(id);
      if (record === undefined || !isCandidate(record, imported)) continue;
      if (nearest === undefined || distance(record, imported) < distance(nearest, imported)) nearest = record;
    }
  }
  return nearest;
}

/** Fills in the fields that the user left empty. */
export function mergeImport(
  state: LedgerState,
  existing: TransactionRecord,
  imported: TransactionInput,
): void {
  const { import_id = null, import_payee_name = null, import_payee_name_original = null } = imported;
  updateTransaction(state, existing.id, {
    import_id,
    import_payee_name,
    import_payee_name_original,
    matched_transaction_id: state.newId(),
    payee_id: existing.payee_id ?? imported.payee_id ?? null,
    category_id: existing.category_id ?? imported.category_id ?? null,
    memo: existing.memo ?? imported.memo ?? null,
    cleared: existing.cleared === 'uncleared' ? (imported.cleared ?? 'uncleared') : existing.cleared,
    approved: existing.approved || (imported.approved ?? false),
  });
}

function isCandidate(record: TransactionRecord, { account_id, amount, date }: ImportKey): boolean {
  return (
    record.account_id === account_id &&
    record.amount === amount &&
    record.import_id === null &&
    Math.abs(daysBetween(record.date, date)) <= MATCHING_DAYS
  );
}

const distance = (record: TransactionRecord, { date }: ImportKey) => Math.abs(daysBetween(record.date, date));
