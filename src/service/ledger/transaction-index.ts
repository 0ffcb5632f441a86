/** An index of transactions by account, month, payee and category. Payees and categories of legs are included. */
import { monthOf } from './calendar.ts';
import type { TransactionRecord } from './records.ts';

const EMPTY: ReadonlySet<string> = new Set();

export class TransactionIndex {
  readonly #idsByKey = new Map<string, Set<string>>();

  /** The ids of the transactions that refer to an entity, or are in a month, which is given by its first day. */
  transactionIdsOf(id: string): ReadonlySet<string> {
    return this.#idsByKey.get(id) ?? EMPTY;
  }

  /** Replaces the entries of a transaction. `before` is undefined for a new one, `after` for a deleted one. */
  replace(before: TransactionRecord | undefined, after: TransactionRecord | undefined): void {
    if (before) this.#delete(before);
    if (after) this.#add(after);
  }

  #add(record: TransactionRecord): void {
    for (const id of indexKeysOf(record)) {
      const ids = this.#idsByKey.get(id);
      if (ids === undefined) this.#idsByKey.set(id, new Set([record.id]));
      else ids.add(record.id);
    }
  }

  #delete(record: TransactionRecord): void {
    for (const id of indexKeysOf(record)) this.#idsByKey.get(id)?.delete(record.id);
  }
}

function indexKeysOf(record: TransactionRecord): string[] {
  const ids = [record.account_id, monthOf(record.date)];
  for (const { payee_id, category_id } of [record, ...record.legs]) {
    if (payee_id !== null) ids.push(payee_id);
    if (category_id !== null) ids.push(category_id);
  }
  return ids;
}
