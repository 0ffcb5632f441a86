/** What the bank has of an account, by what is marked as cleared or reconciled. Pure. */
import type { Account, Transaction } from '../../model/replica/entities.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { findSubsets, MAX_NUMBERS } from './subset-sum.ts';

type Entry = Pick<Transaction, 'id' | 'date' | 'amount' | 'cleared'>;

const isUncleared = ({ cleared }: Entry) => cleared === 'uncleared';

/** Whether the cleared balance on that date contains the transaction. */
export const isCounted = (entry: Entry, date: string): boolean => !isUncleared(entry) && entry.date <= date;

/**
 * The cleared balance at the end of a day. It starts from the account's own balance, which is that after all of
 * `transactions`.
 */
export const clearedBalanceOn = (
  date: string,
  { cleared_balance }: Pick<Account, 'cleared_balance'>,
  transactions: readonly Entry[],
): number =>
  cleared_balance - sumOfAmounts(transactions.filter((each) => each.date > date && !isUncleared(each)));

export const sumOfAmounts = (rows: Iterable<{ readonly amount: number }>): number =>
  sumOf(rows, ({ amount }) => amount);

export interface UnclearedSearch<Searched> {
  /** The number of uncleared transactions up to the date. */
  readonly uncleared: number;
  readonly searched: readonly Searched[];
  /** The first sets that make up the difference, at most two. */
  readonly sets: readonly (readonly Searched[])[];
}

/**
 * Looks for sets of uncleared transactions that make up the difference. Searches the newest 20 of them. Amounts of 0 are
 * left out: such a transaction could be in every set or in none. `transactions` are sorted newest first.
 */
export function searchUncleared<Searched extends Entry>(
  difference: number,
  date: string,
  transactions: readonly Searched[],
): UnclearedSearch<Searched> {
  const uncleared = transactions.filter(
    (each) => isUncleared(each) && each.date <= date && each.amount !== 0,
  );
  const searched = uncleared.slice(0, MAX_NUMBERS);
  const amounts = searched.map(({ amount }) => amount);
  const sets = findSubsets(amounts, difference).map((set) => set.flatMap((index) => searched[index] ?? []));
  return { uncleared: uncleared.length, searched, sets };
}
