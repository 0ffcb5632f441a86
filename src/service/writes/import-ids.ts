/** Transactions by import id, for one request: an import id is unique within its account, not within the budget. */
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';

export class ImportIds {
  readonly #books: LedgerState;
  #transactions: Map<string, string[]> | undefined;

  constructor(books: LedgerState) {
    this.#books = books;
  }

  isTaken(importId: string, accountId: string): boolean {
    return this.find(importId).some(({ account_id }) => account_id === accountId);
  }

  /** As they are now, in whichever accounts. */
  find(importId: string): TransactionRecord[] {
    const ids = this.#known().get(importId) ?? [];
    return ids.flatMap((id) => this.#books.transactions.get(id) ?? []);
  }

  /** Takes note of a transaction that was imported after the first question. */
  add(importId: string, id: string): void {
    const known = this.#known();
    known.set(importId, [...new Set([...(known.get(importId) ?? []), id])]);
  }

  #known(): Map<string, string[]> {
    if (this.#transactions === undefined) {
      this.#transactions = new Map();
      for (const { import_id, id } of this.#books.transactions.values()) {
        if (import_id !== null) this.add(import_id, id);
      }
    }
    return this.#transactions;
  }
}
