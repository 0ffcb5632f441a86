/** Which transactions are in an account or a month, or name a payee or a category, themselves or in a leg. */
import { monthOf } from './calendar.ts';
import type { TransactionRecord } from './records.ts';

const NONE: ReadonlySet<string> = new Set();

export class TransactionIndex {
  readonly #transactions = new Map<string, Set<string>>();

  /** The ids of the transactions that mention an id, or a month by its first day. */
  of(id: string): ReadonlySet<string> {
    return this.#transactions.get(id) ?? NONE;
  }

  /** A transaction becomes another, or begins, or ends. */
  replace(before: TransactionRecord | undefined, after: TransactionRecord | undefined): void {
    if (before) this.#delete(before);
    if (after) this.#add(after);
  }

  #add(record: TransactionRecord): void {
    for (const id of mentioned(record)) {
      const mentioning = this.#transactions.get(id);
      if (mentioning === undefined) this.#transactions.set(id, new Set([record.id]));
      else mentioning.add(record.id);
    }
  }

  #delete(record: TransactionRecord): void {
    for (const id of mentioned(record)) this.#transactions.get(id)?.delete(record.id);
  }
}

function mentioned(record: TransactionRecord): string[] {
  const ids = [record.account_id, monthOf(record.date)];
  for (const { payee_id, category_id } of [record, ...record.legs]) {
    if (payee_id !== null) ids.push(payee_id);
    if (category_id !== null) ids.push(category_id);
  }
  return ids;
}
