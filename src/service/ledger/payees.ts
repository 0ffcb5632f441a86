/** Payees and their locations: what one stands for, and the changes to them. Input is valid already. */
import type { LedgerState } from './ledger-state.ts';
import type { PayeeLocationRecord, PayeeRecord } from './records.ts';

/** The account that money with this payee is transferred to; null for any other payee, and for none. */
export function transferAccountOf(books: LedgerState, payeeId: string | null | undefined): string | null {
  return (payeeId && books.payees.get(payeeId)?.transfer_account_id) || null;
}

export function createPayee(books: LedgerState, name: string): PayeeRecord {
  const record = { id: books.newId(), name, transfer_account_id: null };
  books.putPayee(record);
  return record;
}

export function renamePayee(books: LedgerState, id: string, name: string): void {
  const before = books.payees.get(id);
  if (before) books.putPayee({ ...before, name });
}

/**
 * What the user does in the app: no operation deletes a payee, but deltas tell of it. For tests, which need it done
 * behind a client's back. Its transactions stay, without a payee; its locations go. A transfer payee lives as long as
 * its account, and `Starting Balance` as long as the budget.
 */
export function deletePayee(books: LedgerState, id: string): void {
  const payee = books.payees.get(id);
  if (payee === undefined || payee.transfer_account_id !== null) return;
  if (id === books.internal.starting_balance_payee_id) return;
  const without = <T extends { payee_id: string | null }>(record: T): T =>
    record.payee_id === id ? { ...record, payee_id: null } : record;
  for (const transactionId of [...books.mentioning(id)]) {
    const record = books.transactions.get(transactionId);
    if (record) books.putTransaction({ ...without(record), legs: record.legs.map(without) });
  }
  for (const record of [...books.scheduled.values()]) {
    const mentions = [record, ...record.legs].some(({ payee_id }) => payee_id === id);
    if (mentions) books.putScheduled({ ...without(record), legs: record.legs.map(without) });
  }
  for (const location of [...books.locations.values()]) {
    if (location.payee_id === id) books.removeLocation(location.id);
  }
  books.removePayee(id);
}

export function addPayeeLocation(
  books: LedgerState,
  location: Omit<PayeeLocationRecord, 'id'>,
): PayeeLocationRecord {
  const record = { id: books.newId(), ...location };
  books.putLocation(record);
  return record;
}

/** Deleted in the app only, as a payee is. */
export function deletePayeeLocation(books: LedgerState, id: string): void {
  books.removeLocation(id);
}
