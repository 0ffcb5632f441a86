/** Ids by name, for plans that speak of accounts, categories and payees as people do. A payee is made when first named. */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee } from '../ledger/payees.ts';

export class Directory {
  readonly #books: LedgerState;
  readonly #payees = new Map<string, string>();

  constructor(books: LedgerState) {
    this.#books = books;
  }

  account(name: string): string {
    return idOf(this.#books.accounts.values(), name);
  }

  category(name: string): string {
    return idOf(this.#books.categories.values(), name);
  }

  group(name: string): string {
    return idOf(this.#books.groups.values(), name);
  }

  payee(name: string): string {
    let id = this.#payees.get(name);
    if (id === undefined) {
      const known = [...this.#books.payees.values()].find((payee) => payee.name === name);
      id = (known ?? createPayee(this.#books, name)).id;
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
