/** Finds the transactions that a write refers to, by id or import id. */
import type { Entry, EntryChange } from './entries.ts';
import type { SimulatedRegister } from './simulated-register.ts';

/** Identifies a transaction by its id, or by its import id, which is unique in its account. */
export interface EntryKey {
  readonly id?: string | undefined;
  readonly import_id?: string | undefined;
}

/** Whether a row of a write is about the transaction `found`. Neither needs to be parsed. */
export const refersTo = (
  { id, import_id }: { readonly id?: unknown; readonly import_id?: unknown },
  found: { readonly id?: unknown; readonly import_id?: unknown },
): boolean => (id === undefined ? import_id === found.import_id : id === found.id);

/** An import id that exists in several accounts needs the account too. */
export function findEntry(
  register: SimulatedRegister,
  { id, import_id = '', account_id }: EntryKey & EntryChange,
): Entry | undefined {
  if (id !== undefined) return register.get(id);
  const found = register.importedAs(import_id);
  return found.length > 1 ? found.find((each) => each.account_id === account_id) : found[0];
}
