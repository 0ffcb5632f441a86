/**
 * How much memory a row takes, in bytes: an estimate that was measured on V8 with 8-byte pointers and is cheap enough
 * to be kept up to date with every change.
 */

import type { Immutable } from '../schema/immutable.ts';
import type { Transaction } from '../schema/transaction.ts';

const POINTER = 8;
const OBJECT_HEADER = 24;
const MAP_ENTRY = 36;

/** An entity of a table: its object, its texts, and its entry in the table. */
export function estimateBytes(row: object): number {
  let bytes = OBJECT_HEADER + MAP_ENTRY;
  for (const value of Object.values(row)) bytes += POINTER + (typeof value === 'string' ? text(value) : 0);
  return bytes;
}

/** Object, id, entries by id and in the lists that it is in. Ids of others and dates are not its own texts. */
const TRANSACTION = 340;
const LEG = 200;

/** A transaction with its legs, by what varies from one to the next: a hundred thousand of them are weighed at once. */
export function estimateTransactionBytes(row: Immutable<Transaction>): number {
  let bytes =
    TRANSACTION +
    text(row.memo) +
    text(row.transfer_transaction_id) +
    text(row.matched_transaction_id) +
    text(row.import_id) +
    text(row.import_payee_name) +
    text(row.import_payee_name_original);
  for (const leg of row.subtransactions) bytes += LEG + text(leg.memo) + text(leg.transfer_transaction_id);
  return bytes;
}

/**
 * Header, padding, and its characters: two bytes for each where there is one beyond Latin. Two of them are looked at,
 * which tells scripts apart; to look at all would make loading a budget a tenth slower.
 */
function text(value: string | null): number {
  if (value === null) return 0;
  const isWide = value.charCodeAt(0) > 0xff || value.charCodeAt(value.length >> 1) > 0xff;
  return 20 + (isWide ? 2 * value.length : value.length);
}
