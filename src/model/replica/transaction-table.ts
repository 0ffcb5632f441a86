/**
 * All transactions of a budget with joined names and legs. A delta costs time for its changes and for the rows with
 * a changed name, not for the size of the budget.
 */

import { atOnce, endsStep } from '../../base/turns.ts';
import type { Subtransaction, Transaction, TransactionSummary } from './entities.ts';
import { notFound } from './entity-table.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { joinTransaction, type NameLookup } from './join.ts';
import { estimateTransactionBytes } from './memory-estimate.ts';
import type { NewestFirstList } from './newest-first.ts';
import { TransactionIndex } from './transaction-index.ts';

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
    const changedLegs = byTransaction(legs);
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

function byTransaction(legs: readonly Subtransaction[]): Map<string, Subtransaction[]> {
  const groups = new Map<string, Subtransaction[]>();
  for (const leg of legs) {
    const siblings = groups.get(leg.transaction_id);
    if (siblings) siblings.push(leg);
    else groups.set(leg.transaction_id, [leg]);
  }
  return groups;
}

function mergedLegs(legs: readonly Subtransaction[], changed: readonly Subtransaction[]): Subtransaction[] {
  const merged = new Map(legs.map((leg) => [leg.id, leg]));
  for (const leg of changed) {
    if (leg.deleted) merged.delete(leg.id);
    else merged.set(leg.id, leg);
  }
  return [...merged.values()];
}
