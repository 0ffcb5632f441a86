/**
 * All transactions of a budget with joined names and legs. A delta costs time for its changes and for the rows with
 * a changed name, not for the size of the budget.
 */

import { groupBy } from '../../base/group-by.ts';
import { atOnce, endsStep } from '../../base/turns.ts';
import type { Subtransaction, Transaction, TransactionSummary } from './entities.ts';
import { estimateTransactionBytes, InconsistentReplicaError, notFound } from './entity-table.ts';
import { joinTransaction, type NameLookup } from './join.ts';
import { compareNewestFirst, NewestFirstList } from './newest-first.ts';

export class TransactionTable {
  readonly #names: NameLookup;
  readonly #rows = new Map<string, Transaction>();
  #index: TransactionIndex | undefined;
  #bytes = 0;

  constructor(names: NameLookup) {
    this.#names = names;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** In no order. Other than `all`, it does not build the lists. */
  get unordered(): Iterable<Transaction> {
    return this.#rows.values();
  }

  get all(): NewestFirstList<Transaction> {
    return this.#indexed.all;
  }

  /** The transactions that refer to an account, payee or category, legs included. Undefined if there are none. */
  referencing(id: string): NewestFirstList<Transaction> | undefined {
    return this.#indexed.referencing(id);
  }

  /** Built on the first read of a list if it was not built before, and then updated. */
  get #indexed(): TransactionIndex {
    this.#index ??= atOnce(TransactionIndex.build(this.#rows.values()));
    return this.#index;
  }

  /** Yields after each step. The rows must not change meanwhile. */
  *buildLists(): Generator<void> {
    this.#index = yield* TransactionIndex.build(this.#rows.values());
  }

  /** Throws `resource_not_found`. */
  get(id: string): Transaction {
    const row = this.#rows.get(id);
    if (row === undefined) throw notFound('transaction', id);
    return row;
  }

  /**
   * `renamed` are ids of accounts, payees and categories. Yields after each step. Throws `InconsistentReplicaError` for
   * an unknown reference.
   */
  *merge(
    rows: readonly TransactionSummary[],
    legs: readonly Subtransaction[],
    renamed: Iterable<string>,
  ): Generator<void> {
    const changedLegs = groupBy(legs, (leg) => leg.transaction_id);
    for (const [at, row] of rows.entries()) {
      if (endsStep(at + 1)) yield;
      const before = this.#rows.get(row.id);
      const changed = changedLegs.get(row.id);
      changedLegs.delete(row.id);
      this.#replace(row.id, before, row.deleted ? undefined : this.#join(row, before, changed));
    }
    for (const [id, changed] of changedLegs) {
      const row = this.#rows.get(id);
      if (row) this.#replace(id, row, this.#join(row, row, changed));
      else if (changed.some(({ deleted }) => !deleted))
        throw new InconsistentReplicaError(`A leg belongs to the unknown transaction ${id}.`);
    }
    for (const name of renamed)
      for (const row of this.referencing(name)?.rows ?? []) this.#replace(row.id, row, this.#join(row, row));
  }

  #join(
    row: TransactionSummary,
    before: Transaction | undefined,
    changedLegs?: readonly Subtransaction[],
  ): Transaction {
    const legs = before?.subtransactions ?? [];
    return joinTransaction(row, changedLegs ? mergedLegs(legs, changedLegs) : legs, this.#names);
  }

  #replace(id: string, before: Transaction | undefined, after: Transaction | undefined): void {
    if (after) this.#rows.set(id, after);
    else this.#rows.delete(id);
    this.#bytes +=
      (after ? estimateTransactionBytes(after) : 0) - (before ? estimateTransactionBytes(before) : 0);
    this.#index?.replace(id, before, after);
  }
}

function mergedLegs(legs: readonly Subtransaction[], changed: readonly Subtransaction[]): Subtransaction[] {
  const merged = new Map(legs.map((leg) => [leg.id, leg]));
  for (const leg of changed) {
    if (leg.deleted) merged.delete(leg.id);
    else merged.set(leg.id, leg);
  }
  return [...merged.values()];
}

/**
 * All transactions in order, and those of each account, payee and category, legs included. They are sorted once and then
 * updated with each change.
 */
class TransactionIndex {
  readonly all: NewestFirstList<Transaction>;
  readonly #byReference: Map<string, NewestFirstList<Transaction>>;

  private constructor(all: readonly Transaction[], byReference: Map<string, NewestFirstList<Transaction>>) {
    this.all = new NewestFirstList(all.slice());
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
      new Map([...byReference].map(([id, rows]) => [id, new NewestFirstList(rows.slice())])),
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
