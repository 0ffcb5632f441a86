/**
 * All transactions of a budget with joined names and legs, and one list of them, newest first. A delta joins only its
 * changes and the rows with a changed name, and the list is brought in order when it is next read.
 */

import { compareTexts } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import { atOnce, endsStep } from '../../base/turns.ts';
import type { Subtransaction, Transaction, TransactionSummary } from './entities.ts';
import { estimateTransactionBytes, notFound } from './entity-table.ts';
import { joinTransaction } from './join.ts';
import type { Names } from './names.ts';

/** Sorting all rows takes less time than moving more than these. */
const MOVED_AT_MOST = 1_000;

export class TransactionTable {
  readonly #names: Names;
  readonly #rows = new Map<string, Transaction>();
  /** Undefined if all rows have to be sorted. */
  #sorted: readonly Transaction[] | undefined;
  /** The rows that `#sorted` has as they were, by id. Undefined for one that it lacks. */
  readonly #changed = new Map<string, Transaction | undefined>();
  /** The legs whose transaction is unknown, by id. They are in no list. */
  readonly orphans = new Map<string, Subtransaction>();
  #bytes = 0;

  constructor(names: Names) {
    this.#names = names;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** In no order. Other than `all`, it does not sort. */
  get unordered(): Iterable<Transaction> {
    return this.#rows.values();
  }

  /** Newest first. A read moves the rows that have changed before it, in a copy: a returned array never changes. */
  get all(): readonly Transaction[] {
    if (this.#changed.size > MOVED_AT_MOST) this.#sorted = undefined;
    if (this.#sorted && this.#changed.size > 0) {
      const rows = [...this.#sorted];
      for (const [id, before] of this.#changed) {
        const after = this.#rows.get(id);
        if (before) rows.splice(placeOf(before, rows), 1);
        if (after) rows.splice(placeOf(after, rows), 0, after);
      }
      this.#sorted = rows;
    }
    this.#changed.clear();
    this.#sorted ??= atOnce(sortedInSteps(this.#rows.values()));
    return this.#sorted;
  }

  /** Those of `all` from one date to another, both included. Undefined means no limit. */
  between(since: string | undefined, until: string | undefined): readonly Transaction[] {
    const { all } = this;
    if (since === undefined && until === undefined) return all;
    return all.slice(
      until === undefined ? 0 : firstIndexWhere(all, ({ date }) => date <= until),
      since === undefined ? all.length : firstIndexWhere(all, ({ date }) => date < since),
    );
  }

  /** Yields after each step. The rows must not change meanwhile. */
  *sort(): Generator<void> {
    this.#sorted = yield* sortedInSteps(this.#rows.values());
  }

  /** Throws `resource_not_found`. */
  get(id: string): Transaction {
    const row = this.#rows.get(id);
    if (row === undefined) throw notFound('transaction', id);
    return row;
  }

  /** `renamed` are ids of accounts, payees and categories. Yields after each step. */
  *merge(
    rows: readonly TransactionSummary[],
    legs: readonly Subtransaction[],
    renamed: ReadonlySet<string>,
  ): Generator<void> {
    for (const { id } of legs) this.orphans.delete(id);
    const changedLegs = groupBy([...this.orphans.values(), ...legs], (leg) => leg.transaction_id);
    this.orphans.clear();
    for (const [at, row] of rows.entries()) {
      if (endsStep(at + 1)) yield;
      if (changedLegs.has(row.id)) this.#names.learn(row.id);
      const before = this.#rows.get(row.id);
      const changed = changedLegs.get(row.id);
      changedLegs.delete(row.id);
      this.#replace(row.id, before, row.deleted ? undefined : this.#join(row, before, changed));
    }
    for (const [id, changed] of changedLegs) {
      const row = this.#rows.get(id);
      if (row) this.#replace(id, row, this.#join(row, row, changed));
      else for (const leg of changed) if (!leg.deleted) this.#orphan(leg);
    }
    if (renamed.size === 0) return;
    for (const row of this.#rows.values())
      if (refersToAny(row, renamed)) this.#replace(row.id, row, this.#join(row, row));
  }

  #orphan(leg: Subtransaction): void {
    this.#names.unknown('transaction', leg.transaction_id);
    this.orphans.set(leg.id, leg);
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
    if (this.#sorted && (before || after) && !this.#changed.has(id)) this.#changed.set(id, before);
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

/** By date, latest first, and by id within a day. The order of two rows does not depend on other rows. */
export function compareNewestFirst(
  a: Pick<Transaction, 'id' | 'date'>,
  b: Pick<Transaction, 'id' | 'date'>,
): number {
  return compareTexts(b.date, a.date) || compareTexts(a.id, b.id);
}

const placeOf = (row: Transaction, rows: readonly Transaction[]) =>
  firstIndexWhere(rows, (each) => compareNewestFirst(each, row) >= 0);

/** The first index from which `isThere` is true, by binary search. */
export function firstIndexWhere<Row>(rows: readonly Row[], isThere: (row: Row) => boolean): number {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const row = rows[middle];
    if (row !== undefined && isThere(row)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Newest first, and by id within a day. Yields after each step. Sorting the rows of each day is faster than sorting all of them. */
export function* sortedInSteps<Row extends Pick<Transaction, 'id' | 'date'>>(
  rows: Iterable<Row>,
): Generator<void, Row[]> {
  const byDate = groupBy(rows, ({ date }) => date);
  const sorted: Row[] = [];
  for (const date of [...byDate.keys()].sort().reverse())
    for (const row of (byDate.get(date) ?? []).sort(compareNewestFirst))
      if (endsStep(sorted.push(row))) yield;
  return sorted;
}

/** Whether a transaction or one of its legs refers to one of these accounts, payees or categories. */
export function refersToAny(row: Transaction, ids: ReadonlySet<string>): boolean {
  const isNamed = (id: string | null) => id !== null && ids.has(id);
  if (ids.has(row.account_id) || isNamed(row.payee_id) || isNamed(row.transfer_account_id)) return true;
  // The category of a split itself is internal and in no table.
  if (row.subtransactions.length === 0) return isNamed(row.category_id);
  return row.subtransactions.some(
    ({ payee_id, category_id, transfer_account_id }) =>
      isNamed(payee_id) || isNamed(category_id) || isNamed(transfer_account_id),
  );
}
