/**
 * All transactions of a budget, joined once and kept in order, so that a list is found and not made: that of the
 * budget, and for each account, payee and category that of the transactions which mention it, themselves or in a leg.
 * It knows how a delta changes them; the cost follows the change and what mentions a changed name, not the size.
 */
import { DistrustError } from './distrust.ts';
import type { Subtransaction, TransactionSummary } from './entities.ts';
import { notFound } from './entity-table.ts';
import { joined, type Names, type Transaction } from './join.ts';
import { NewestFirst, newestFirst } from './newest-first.ts';
import { bytesOfTransaction } from './weight.ts';

export class TransactionRegister {
  readonly #names: Names;
  readonly #rows = new Map<string, Transaction>();
  #all = new NewestFirst<Transaction>();
  #mentioning = new Map<string, NewestFirst<Transaction>>();
  #bytes = 0;

  constructor(names: Names) {
    this.#names = names;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get all(): NewestFirst<Transaction> {
    return this.#all;
  }

  /** Those of an account, or with a payee or category, in a leg or themselves; undefined for none. */
  mentioning(id: string): NewestFirst<Transaction> | undefined {
    return this.#mentioning.get(id);
  }

  /** Throws `resource_not_found`. */
  get(id: string): Transaction {
    const row = this.#rows.get(id);
    if (row === undefined) throw notFound('transaction', id);
    return row;
  }

  /** `renamed` are accounts, payees and categories. Throws `DistrustError` where a reference leads nowhere. */
  merge(
    rows: readonly TransactionSummary[],
    legs: readonly Subtransaction[],
    renamed: Iterable<string>,
  ): void {
    // What is loaded is sorted once, not put in its place row by row.
    const isLoad = this.#rows.size === 0;
    const put = (id: string, row?: Transaction) => {
      const before = this.#store(id, row);
      if (!isLoad) this.#index(id, before, row);
    };
    const changedLegs = byTransaction(legs);
    for (const row of rows) {
      const changed = changedLegs.get(row.id);
      if (changed) changedLegs.delete(row.id);
      put(row.id, row.deleted ? undefined : this.#join(row, changed));
    }
    for (const [id, changed] of changedLegs) {
      const row = this.#rows.get(id);
      if (row) put(id, this.#join(row, changed));
      else if (changed.some(({ deleted }) => !deleted))
        throw new DistrustError(`A leg belongs to the unknown transaction ${id}.`);
    }
    for (const name of renamed) {
      for (const { id } of this.#mentioning.get(name)?.rows ?? []) {
        const row = this.#rows.get(id);
        if (row) put(id, this.#join(row));
      }
    }
    if (isLoad) this.#indexAll();
  }

  #join(row: TransactionSummary, changedLegs?: readonly Subtransaction[]): Transaction {
    const legs = this.#rows.get(row.id)?.subtransactions ?? [];
    return joined(row, changedLegs ? mergedLegs(legs, changedLegs) : legs, this.#names);
  }

  /** Gives the row from before. */
  #store(id: string, row: Transaction | undefined): Transaction | undefined {
    const before = this.#rows.get(id);
    if (row) this.#rows.set(id, row);
    else this.#rows.delete(id);
    this.#bytes += (row ? bytesOfTransaction(row) : 0) - (before ? bytesOfTransaction(before) : 0);
    return before;
  }

  #index(id: string, before: Transaction | undefined, after: Transaction | undefined): void {
    if (!before && !after) return;
    this.#all.replace(id, before, after);
    const from = before ? mentionsOf(before) : [];
    const to = after ? mentionsOf(after) : [];
    for (const mentioned of to)
      this.#listOf(mentioned).replace(id, from.includes(mentioned) ? before : undefined, after);
    for (const mentioned of from) {
      if (to.includes(mentioned)) continue;
      const list = this.#listOf(mentioned);
      list.replace(id, before, undefined);
      if (list.size === 0) this.#mentioning.delete(mentioned);
    }
  }

  #indexAll(): void {
    const all = [...this.#rows.values()].sort(newestFirst);
    const mentioning = new Map<string, Transaction[]>();
    for (const row of all) {
      for (const id of mentionsOf(row)) {
        const list = mentioning.get(id);
        if (list) list.push(row);
        else mentioning.set(id, [row]);
      }
    }
    this.#all = new NewestFirst(all);
    this.#mentioning = new Map([...mentioning].map(([id, rows]) => [id, new NewestFirst(rows)]));
  }

  #listOf(mentioned: string): NewestFirst<Transaction> {
    const list = this.#mentioning.get(mentioned) ?? new NewestFirst<Transaction>();
    if (list.size === 0) this.#mentioning.set(mentioned, list);
    return list;
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

/** The category of a split itself is internal and stands for nothing. */
function mentionsOf(row: Transaction): readonly string[] {
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
