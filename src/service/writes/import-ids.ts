/**
 * An index of transactions by import id, for one request. An import id is unique within its account, not within the
 * budget.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';

export class ImportIds {
  readonly #state: LedgerState;
  #index: Map<string, string[]> | undefined;

  constructor(state: LedgerState) {
    this.#state = state;
  }

  isTaken(importId: string, accountId: string): boolean {
    return this.find(importId).some(({ account_id }) => account_id === accountId);
  }

  /** The current transactions with an import id, on any account. */
  find(importId: string): TransactionRecord[] {
    const ids = this.#idsByImportId().get(importId) ?? [];
    return ids.flatMap((id) => this.#state.transactions.get(id) ?? []);
  }

  /** Adds a transaction that was imported after the index was built. */
  add(importId: string, id: string): void {
    const idsByImportId = this.#idsByImportId();
    idsByImportId.set(importId, [...new Set([...(idsByImportId.get(importId) ?? []), id])]);
  }

  #idsByImportId(): Map<string, string[]> {
    if (this.#index === undefined) {
      this.#index = new Map();
      for (const { import_id, id } of this.#state.transactions.values()) {
        if (import_id !== null) this.add(import_id, id);
      }
    }
    return this.#index;
  }
}
