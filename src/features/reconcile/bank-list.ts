/**
 * Compares a bank's list of rows with the transactions of an account. A row and a transaction that belong together have
 * the same amount, and dates at most ten days apart, as when the service matches an import (docs/interface.md,
 * Transaction). Each is matched at most once. The nearest dates are matched first, and among equally near transactions
 * one whose payee the row names. Where that leaves a row without a transaction, others give way if they can be matched
 * otherwise: a row is missing only if there are too few transactions. Before that, a transaction that was imported as a row of this day
 * and amount belongs to such a row, and to none if its day is outside of the list. A person decides whether a missing row is one that
 * was imported with a day just outside of the list, or an unlisted transaction whose amount differs in two neighbouring digits. Pure.
 */
import { addDays, dayNumber } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import {
  inOrder,
  MATCHING_DAYS,
  type NamedRow,
  type NamedTransaction,
  takeNearest,
} from './nearest-transactions.ts';

export interface BankRow extends NamedRow {
  /** The purpose, if the text is a name. */
  readonly memo?: string | undefined;
  /** What the caller says of it. */
  readonly payee_id?: string | undefined;
  readonly payee_name?: string | undefined;
  readonly category_id?: string | undefined;
}

export type ListedTransaction = NamedTransaction & Pick<Transaction, 'import_id'>;

export interface ListComparison<Entry> {
  /** By the index of the row. */
  readonly matched: ReadonlyMap<number, Entry>;
  /** The indexes of the rows that the account does not have, in ascending order. */
  readonly missing: readonly number[];
  /** The transactions between the first and the last date of the list that it does not have. */
  readonly unlisted: readonly Entry[];
  /**
   * Transactions that are perhaps the row of this index: with another amount, or imported as a row of this amount shortly before
   * or after the list. Neither is missing or unlisted.
   */
  readonly mistyped: ReadonlyMap<number, Entry>;
}

/** As far as two exports of a bank differ in the day of a row, as one of the booking or of the payment. */
const SHIFTED_DAYS = 3;

/** A transaction of amount 0 is never unlisted, because it changes no balance and banks do not list it. */
export function compareWithList<Entry extends ListedTransaction>(
  rows: readonly BankRow[],
  transactions: readonly Entry[],
): ListComparison<Entry> {
  if (rows.length === 0) return { matched: new Map(), missing: [], unlisted: [], mistyped: new Map() };
  const { first, last, since, until } = spanOf(rows);
  const open = new Map(rows.entries());
  const imported = takeImported(open, transactions);
  const isImported = new Set([...imported.values()].map(({ id }) => id));
  const others = transactions.filter(({ id, date }) => date >= since && date <= until && !isImported.has(id));
  const isOfOtherList = (each: Entry) => {
    const day = importedRowOf(each)?.date ?? first;
    return day < first || day > last;
  };
  const near = others.filter((each) => !isOfOtherList(each));
  const nearest = takeNearest(open, near, (amount) => [amount]);
  for (const index of giveWay(rows, near, nearest, [...open.keys()])) open.delete(index);
  // What was changed after it was imported has another amount now.
  const [same, changed] = [true, false].map((isSame) =>
    [...imported].filter(([index, { amount }]) => (amount === rows[index]?.amount) === isSame),
  );
  const matched = new Map([...(same ?? []), ...nearest]);
  const isMatched = new Set([...isImported, ...[...nearest.values()].map(({ id }) => id)]);
  const unlisted = transactions.filter(
    ({ id, date, amount }) => amount !== 0 && date >= first && date <= last && !isMatched.has(id),
  );
  // Another export of the same time may have other days.
  const shifted = takeNearest(open, others.filter(isOfOtherList), (amount) => [amount], SHIFTED_DAYS);
  const isShifted = new Set(shifted.values());
  // What is reconciled was compared with the bank before.
  const changeable = unlisted.filter((each) => each.cleared !== 'reconciled' && !isShifted.has(each));
  const transposed = takeNearest(open, changeable, transpositionsOf);
  const mistyped = new Map([...(changed ?? []), ...shifted, ...transposed]);
  const isMistyped = new Set(mistyped.values());
  return {
    matched,
    missing: [...open.keys()],
    unlisted: unlisted.filter((each) => !isMistyped.has(each)),
    mistyped,
  };
}

/** The dates of a list, and those of the transactions that may belong to its rows. */
function spanOf(rows: readonly BankRow[]) {
  const { first, last } = datesOf(rows);
  return { first, last, since: addDays(first, -MATCHING_DAYS), until: addDays(last, MATCHING_DAYS) };
}

/** The transactions that matter for a comparison with a list that is not empty. */
export function nearList<Entry extends ListedTransaction>(
  rows: readonly BankRow[],
  transactions: readonly Entry[],
): readonly Entry[] {
  const { since, until } = spanOf(rows);
  const isNear = (date = '') => date >= since && date <= until;
  return transactions.filter((each) => isNear(each.date) || isNear(importedRowOf(each)?.date));
}

const IMPORTED = /^YNAB:(-?\d+):(\d{4}-\d\d-\d\d):\d+$/;

/** The day and the amount of the row of a bank that a transaction was imported as (docs/interface.md, Transaction). */
export function importedRowOf({ import_id }: Pick<ListedTransaction, 'import_id'>) {
  const [, amount, date] = IMPORTED.exec(import_id ?? '') ?? [];
  return date === undefined ? undefined : { date, amount: Number(amount) };
}

/** Matches rows with transactions that were imported as a row of this day and amount, and removes them from `open`. */
function takeImported<Entry extends ListedTransaction>(
  open: Map<number, BankRow>,
  transactions: readonly Entry[],
): Map<number, Entry> {
  // The first one comes last, because it is cheap to remove.
  const byRow = groupBy(transactions.toReversed(), (each) => {
    const row = importedRowOf(each);
    return row && keyOf(row.amount, dayNumber(row.date));
  });
  const imported = new Map<number, Entry>();
  for (const [index, row] of open) {
    const found = byRow.get(keyOf(row.amount, dayNumber(row.date)))?.pop();
    if (!found) continue;
    imported.set(index, found);
    open.delete(index);
  }
  return imported;
}

/** The amounts of as many digits in which two neighbouring ones are swapped: of 54600 also 45600. */
function transpositionsOf(amount: number): number[] {
  const digits = String(Math.abs(amount));
  return Array.from(digits.slice(1), (next, at) =>
    Number(digits.slice(0, at) + next + digits.charAt(at) + digits.slice(at + 2)),
  )
    .filter((each) => each !== Math.abs(amount) && String(each).length === digits.length)
    .map((each) => Math.sign(amount) * each);
}

/**
 * Matches open rows with transactions whose own rows can be matched otherwise.
 * Changes `matched`. Returns the rows that are matched now.
 */
function giveWay<Entry extends ListedTransaction>(
  rows: readonly BankRow[],
  transactions: readonly Entry[],
  matched: Map<number, Entry>,
  open: readonly number[],
): readonly number[] {
  const openOf = groupBy(open, (index) => rows[index]?.amount);
  const taken = new Set(matched.values());
  const free = transactions.filter((each) => openOf.has(each.amount) && !taken.has(each));
  // Mostly no row is open that has a transaction of its amount left, and the account may be large.
  if (free.length === 0) return [];
  const freeOf = groupBy(free.toSorted(inOrder), ({ amount }): number | undefined => amount);
  const pairsOf = groupBy([...matched], ([index]) => rows[index]?.amount);
  return [...openOf].flatMap(([amount, indexes]) => {
    const days = new DaysOfAmount(rows, pairsOf.get(amount) ?? [], freeOf.get(amount) ?? []);
    return indexes.filter((index) => days.place(index, matched));
  });
}

/**
 * Rows and transactions of one amount. Those of one day are alike, so that a way for a row to a free transaction (an augmenting path
 * in a bipartite graph) is looked for among days.
 */
class DaysOfAmount<Entry extends ListedTransaction> {
  readonly #rows: readonly BankRow[];
  readonly #free: Map<number, Entry[]>;
  /** The rows that have the transactions of a day, by the day of the row. */
  readonly #owners = new Map<number, Map<number, number[]>>();
  /** The days of transactions from where no way leads to a free one. There never will be one. */
  readonly #closed = new Set<number>();

  constructor(
    rows: readonly BankRow[],
    pairs: readonly (readonly [number, Entry])[],
    free: readonly Entry[],
  ) {
    this.#rows = rows;
    this.#free = groupBy(free.toReversed(), ({ date }) => dayNumber(date));
    for (const [index, entry] of pairs) this.#own(dayNumber(entry.date), index);
  }

  /** Whether it has found a transaction for the row. Changes `matched`. */
  place(index: number, matched: Map<number, Entry>): boolean {
    const start = this.#dayOf(index);
    /** By a day of rows, the day of the transactions that they have; and by that, the day of rows that it was reached from. */
    const through = new Map([[start, Number.NaN]]);
    const reached = new Map<number, number>();
    for (const day of through.keys())
      for (let of = day - MATCHING_DAYS; of <= day + MATCHING_DAYS; of += 1) {
        if (reached.has(of) || this.#closed.has(of)) continue;
        reached.set(of, day);
        let entry = this.#free.get(of)?.pop();
        // Each row on the way gives its transaction to the one before it.
        for (let at = of; entry; ) {
          const from = reached.get(at) ?? start;
          const has = through.get(from) ?? Number.NaN;
          const row = from === start ? index : (this.#owners.get(has)?.get(from)?.pop() ?? index);
          const given = matched.get(row);
          matched.set(row, entry);
          this.#own(at, row);
          if (row === index) return true;
          entry = given;
          at = has;
        }
        for (const [owner, indexes] of this.#owners.get(of) ?? [])
          if (indexes.length > 0 && !through.has(owner)) through.set(owner, of);
      }
    for (const of of reached.keys()) this.#closed.add(of);
    return false;
  }

  #own(of: number, index: number): void {
    const owners = this.#owners.get(of) ?? new Map<number, number[]>();
    const day = this.#dayOf(index);
    const indexes = owners.get(day);
    if (indexes) indexes.push(index);
    else owners.set(day, [index]);
    this.#owners.set(of, owners);
  }

  readonly #dayOf = (index: number) => dayNumber(this.#rows[index]?.date ?? '');
}

/** The first and the last date of a list that is not empty. */
export function datesOf(rows: readonly BankRow[]): { readonly first: string; readonly last: string } {
  const [first, ...dates] = rows.map(({ date }) => date).sort();
  if (first === undefined) throw new RangeError('The list is empty.');
  return { first, last: dates.at(-1) ?? first };
}

const keyOf = (amount: number, day: number) => `${amount} ${day}`;

/**
 * Returns a function that says whether the service would merge an import of a row with one of the transactions, instead
 * of creating it: one that a person entered (docs/interface.md, Transaction).
 */
export function mergesWith(
  transactions: readonly Pick<ListedTransaction, 'date' | 'amount' | 'import_id'>[],
): (row: BankRow) => boolean {
  const entered = new Set(
    transactions.flatMap(({ import_id, amount, date }) =>
      import_id === null ? [keyOf(amount, dayNumber(date))] : [],
    ),
  );
  return ({ date, amount }) =>
    Array.from({ length: 2 * MATCHING_DAYS + 1 }, (_, at) => dayNumber(date) + at - MATCHING_DAYS).some(
      (day) => entered.has(keyOf(amount, day)),
    );
}
