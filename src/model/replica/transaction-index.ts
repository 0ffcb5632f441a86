/**
 * Indexes of transactions: all of them in order, and those of each account, payee and category, legs included. They
 * are built once and then updated with each change.
 */
import { endsStep } from '../../base/turns.ts';
import type { Transaction } from './entities.ts';
import { compareNewestFirst, NewestFirstList } from './newest-first.ts';

export class TransactionIndex {
  readonly all: NewestFirstList<Transaction>;
  readonly #byReference: Map<string, NewestFirstList<Transaction>>;

  private constructor(all: readonly Transaction[], byReference: Map<string, NewestFirstList<Transaction>>) {
    this.all = new NewestFirstList(all);
    this.#byReference = byReference;
  }

  /** Yields after each step. Sorting the rows of each day is faster than sorting all of them. */
  static *build(rows: Iterable<Transaction>): Generator<void, TransactionIndex> {
    const byDate = new Map<string, Transaction[]>();
    let dated = 0;
    for (const row of rows) {
      add(byDate, row.date, row);
      dated += 1;
      if (endsStep(dated)) yield;
    }
    const all: Transaction[] = [];
    const byReference = new Map<string, Transaction[]>();
    for (const date of [...byDate.keys()].sort().reverse())
      for (const row of (byDate.get(date) ?? []).sort(compareNewestFirst)) {
        all.push(row);
        for (const id of referencedIdsOf(row)) add(byReference, id, row);
        if (endsStep(all.length)) yield;
      }
    return new TransactionIndex(
      all,
      new Map([...byReference].map(([id, rows]) => [id, new NewestFirstList(rows)])),
    );
  }

  /** The transactions that refer to an account, payee or category, legs included. Undefined if there are none. */
  referencing(id: string): NewestFirstList<Transaction> | undefined {
    return this.#byReference.get(id);
  }

  /** `before` is undefined for a new row, `after` for a deleted one. */
  replace(id: string, before: Transaction | undefined, after: Transaction | undefined): void {
    if (!before && !after) return;
    this.all.replace(id, before, after);
    const from = before ? referencedIdsOf(before) : [];
    const to = after ? referencedIdsOf(after) : [];
    for (const referencedId of to)
      this.#listOf(referencedId).replace(id, from.includes(referencedId) ? before : undefined, after);
    for (const referencedId of from) {
      if (to.includes(referencedId)) continue;
      const list = this.#listOf(referencedId);
      list.replace(id, before, undefined);
      if (list.size === 0) this.#byReference.delete(referencedId);
    }
  }

  #listOf(referencedId: string): NewestFirstList<Transaction> {
    const existing = this.#byReference.get(referencedId);
    if (existing) return existing;
    const list = new NewestFirstList<Transaction>();
    this.#byReference.set(referencedId, list);
    return list;
  }
}

function add(lists: Map<string, Transaction[]>, key: string, row: Transaction): void {
  const list = lists.get(key);
  if (list) list.push(row);
  else lists.set(key, [row]);
}

/** The category of a split itself is internal and is not indexed. */
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
