/**
 * Where the transactions of a budget are found: all of them in order, and for each account, payee and category those
 * that mention it, themselves or in a leg. It is made of rows at once, and then follows each change at its own cost.
 */
import type { Transaction } from './join.ts';
import { compareNewestFirst, NewestFirstList } from './newest-first.ts';

export class TransactionIndex {
  readonly all: NewestFirstList<Transaction>;
  readonly #mentioning: Map<string, NewestFirstList<Transaction>>;

  constructor(rows: Iterable<Transaction>) {
    const all = [...rows].sort(compareNewestFirst);
    const mentioning = new Map<string, Transaction[]>();
    for (const row of all) {
      for (const id of referencedIdsOf(row)) {
        const list = mentioning.get(id);
        if (list) list.push(row);
        else mentioning.set(id, [row]);
      }
    }
    this.all = new NewestFirstList(all);
    this.#mentioning = new Map([...mentioning].map(([id, rows]) => [id, new NewestFirstList(rows)]));
  }

  /** Those of an account, or with a payee or category, in a leg or themselves; undefined for none. */
  mentioning(id: string): NewestFirstList<Transaction> | undefined {
    return this.#mentioning.get(id);
  }

  /** A row as it was, undefined where it is new, becomes what it is, undefined where it is gone. */
  replace(id: string, before: Transaction | undefined, after: Transaction | undefined): void {
    if (!before && !after) return;
    this.all.replace(id, before, after);
    const from = before ? referencedIdsOf(before) : [];
    const to = after ? referencedIdsOf(after) : [];
    for (const mentioned of to)
      this.#listOf(mentioned).replace(id, from.includes(mentioned) ? before : undefined, after);
    for (const mentioned of from) {
      if (to.includes(mentioned)) continue;
      const list = this.#listOf(mentioned);
      list.replace(id, before, undefined);
      if (list.size === 0) this.#mentioning.delete(mentioned);
    }
  }

  #listOf(mentioned: string): NewestFirstList<Transaction> {
    const known = this.#mentioning.get(mentioned);
    if (known) return known;
    const list = new NewestFirstList<Transaction>();
    this.#mentioning.set(mentioned, list);
    return list;
  }
}

/** The category of a split itself is internal and stands for nothing. */
function referencedIdsOf(row: Transaction): readonly string[] {
  const ids = [row.account_id];
  if (row.payee_id !== null) ids.push(row.payee_id);
  if (row.subtransactions.length === 0) {
    if (row.category_id !== null) ids.push(row.category_id);
    return ids;
  }
  for (const { payee_id, category_id } of row.subtransactions) {
    if (payee_id !== null) ids.push(payee_id);
    if (category_id !== null) ids.push(category_id);
  }
  return [...new Set(ids)];
}
