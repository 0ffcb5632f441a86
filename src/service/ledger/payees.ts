/** Payees and their locations, and changes to them. The input must be valid. */
import type { LedgerState } from './ledger-state.ts';
import type { PayeeLocationRecord, PayeeRecord } from './records.ts';

/** The account of a transfer payee. Null for any other payee, or without a payee. */
export function transferAccountOf(state: LedgerState, payeeId: string | null | undefined): string | null {
  return (payeeId && state.payees.get(payeeId)?.transfer_account_id) || null;
}

export function createPayee(state: LedgerState, name: string): PayeeRecord {
  const record = { id: state.newId(), name, transfer_account_id: null };
  state.putPayee(record);
  return record;
}

export function renamePayee(state: LedgerState, id: string, name: string): void {
  const before = state.payees.get(id);
  if (before) state.putPayee({ ...before, name });
}

/**
 * Deletes a payee, with its locations. Its transactions stay, without a payee. Transfer payees and `Starting
 * Balance` cannot be deleted. No operation does it, but users can in the app, and deltas report it. For tests of
 * changes by other clients.
 */
export function deletePayee(state: LedgerState, id: string): void {
  const payee = state.payees.get(id);
  if (payee === undefined || payee.transfer_account_id !== null) return;
  if (id === state.internal.starting_balance_payee_id) return;
  const withoutPayee = <T extends { payee_id: string | null }>(record: T): T =>
    record.payee_id === id ? { ...record, payee_id: null } : record;
  for (const transactionId of [...state.transactionIdsOf(id)]) {
    const record = state.transactions.get(transactionId);
    if (record) state.putTransaction({ ...withoutPayee(record), legs: record.legs.map(withoutPayee) });
  }
  for (const record of [...state.scheduled.values()]) {
    const usesPayee = [record, ...record.legs].some(({ payee_id }) => payee_id === id);
    if (usesPayee) state.putScheduled({ ...withoutPayee(record), legs: record.legs.map(withoutPayee) });
  }
  for (const location of [...state.locations.values()]) {
    if (location.payee_id === id) state.removeLocation(location.id);
  }
  state.removePayee(id);
}

export function addPayeeLocation(
  state: LedgerState,
  location: Omit<PayeeLocationRecord, 'id'>,
): PayeeLocationRecord {
  const record = { id: state.newId(), ...location };
  state.putLocation(record);
  return record;
}

/** Like `deletePayee`, possible in the app only. */
export function deletePayeeLocation(state: LedgerState, id: string): void {
  state.removeLocation(id);
}
