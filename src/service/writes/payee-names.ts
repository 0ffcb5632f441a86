/**
 * Payees by name, for one request. A name refers to the existing payee of the same name, ignoring case, or to a new
 * payee. Names that the service itself assigns are reserved. There are no rename rules, because no operation creates
 * one.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee } from '../ledger/payees.ts';

const RESERVED_PREFIXES = [
  'Transfer : ',
  'Starting Balance',
  'Manual Balance Adjustment',
  'Reconciliation Balance Adjustment',
];

/** The reserved prefix that a payee's name begins with. Undefined for any other name. */
export function reservedPrefixOf(name: string): string | undefined {
  return RESERVED_PREFIXES.find((prefix) => name.trimStart().toLowerCase().startsWith(prefix.toLowerCase()));
}

export class PayeeNames {
  readonly #state: LedgerState;
  #ids: Map<string, string> | undefined;

  constructor(state: LedgerState) {
    this.#state = state;
  }

  /** The id of the payee with that name. Creates the payee if necessary. */
  idOf(name: string): string {
    this.#ids ??= this.#indexPayees();
    const id = this.#ids.get(keyOf(name)) ?? createPayee(this.#state, name.trim()).id;
    this.#ids.set(keyOf(name), id);
    return id;
  }

  /** If several payees have the same name, the oldest is used. */
  #indexPayees(): Map<string, string> {
    const payees = [...this.#state.payees.values()].reverse();
    return new Map(payees.map(({ id, name }) => [keyOf(name), id]));
  }
}

const keyOf = (name: string) => name.trim().normalize().toLowerCase();
