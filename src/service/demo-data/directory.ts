/**
 * Ids by name, because the demo plans name accounts, categories and payees. A payee is created when it is first
 * used.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee } from '../ledger/payees.ts';

export class Directory {
  readonly #state: LedgerState;
  readonly #payees = new Map<string, string>();

  constructor(state: LedgerState) {
    this.#state = state;
  }

  account(name: string): string {
    return idOf(this.#state.accounts.values(), name);
  }

  category(name: string): string {
    return idOf(this.#state.categories.values(), name);
  }

  group(name: string): string {
    return idOf(this.#state.groups.values(), name);
  }

  payee(name: string): string {
    let id = this.#payees.get(name);
    if (id === undefined) {
      const existing = [...this.#state.payees.values()].find((payee) => payee.name === name);
      id = (existing ?? createPayee(this.#state, name)).id;
      this.#payees.set(name, id);
    }
    return id;
  }

  transferTo(account: string): string {
    return this.payee(`Transfer : ${account}`);
  }
}

function idOf(records: Iterable<{ id: string; name: string }>, name: string): string {
  for (const record of records) if (record.name === name) return record.id;
  throw new Error(`The demo data has nothing named ${name}`);
}
