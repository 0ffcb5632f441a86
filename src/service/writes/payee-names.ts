/**
 * Payees by name, for one request: the payee of the same name, in capitals or not, else a new one. Names that the
 * service gives itself are nobody else's. There are no rename rules: nothing in the interface makes one.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee } from '../ledger/payees.ts';

const OWN_NAMES = [
  'Transfer : ',
  'Starting Balance',
  'Manual Balance Adjustment',
  'Reconciliation Balance Adjustment',
];

/** The beginning of a payee's name that only the service uses; undefined for any other name. */
export function ownNameIn(name: string): string | undefined {
  return OWN_NAMES.find((own) => name.trimStart().toLowerCase().startsWith(own.toLowerCase()));
}

export class PayeeNames {
  readonly #books: LedgerState;
  #ids: Map<string, string> | undefined;

  constructor(books: LedgerState) {
    this.#books = books;
  }

  /** The id of the payee with that name, who is created if there is none. */
  idOf(name: string): string {
    this.#ids ??= this.#known();
    const id = this.#ids.get(keyOf(name)) ?? createPayee(this.#books, name.trim()).id;
    this.#ids.set(keyOf(name), id);
    return id;
  }

  /** Of several with one name, the one who was there first. */
  #known(): Map<string, string> {
    const payees = [...this.#books.payees.values()].reverse();
    return new Map(payees.map(({ id, name }) => [keyOf(name), id]));
  }
}

const keyOf = (name: string) => name.trim().normalize().toLowerCase();
