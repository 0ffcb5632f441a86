/** What the bank has of an account, by what is marked as cleared or reconciled. Pure. */
import type { Account, Transaction } from '../../model/replica/entities.ts';
import { sumOf } from '../../model/sums/sum.ts';

type Entry = Pick<Transaction, 'id' | 'date' | 'amount' | 'cleared'>;

const isUncleared = ({ cleared }: Entry) => cleared === 'uncleared';

const isCleared = ({ cleared }: Entry) => cleared === 'cleared' || cleared === 'reconciled';

/** The service may add other states. Sums leave out what has one. */
export const isStateKnown = (entry: Entry): boolean => isUncleared(entry) || isCleared(entry);

/** Whether the cleared balance on that date contains the transaction. */
export const isCounted = (entry: Entry, date: string): boolean => isCleared(entry) && entry.date <= date;

/**
 * The cleared balance at the end of a day. It starts from the account's own balance, which is that after all of
 * `transactions`.
 */
export const clearedBalanceOn = (
  date: string,
  { cleared_balance }: Pick<Account, 'cleared_balance'>,
  transactions: readonly Entry[],
): number =>
  cleared_balance - sumOfAmounts(transactions.filter((each) => each.date > date && isCleared(each)));

/** What to say where a balance does not fit, and the same balance with the other sign does. */
export const otherSignText = (balance: number, money: (milliunits: number) => string): string =>
  `With the other sign, ${money(-balance)}, it agrees: what an account owes is negative`;

export const sumOfAmounts = (rows: Iterable<{ readonly amount: number }>): number =>
  sumOf(rows, ({ amount }) => amount);

/**
 * Looks for sets of uncleared transactions up to the date that make up the difference, and returns the first ones, at most two. Searches the
 * newest 20 of them. Amounts of 0 are left out: such a transaction could be in every set or in none. `transactions` are sorted
 * newest first.
 */
export function searchUncleared<Searched extends Entry>(
  difference: number,
  date: string,
  transactions: readonly Searched[],
) {
  const uncleared = transactions.filter(
    (each) => isUncleared(each) && each.date <= date && each.amount !== 0,
  );
  const searched = uncleared.slice(0, MAX_NUMBERS);
  const amounts = searched.map(({ amount }) => amount);
  const sets = findSubsets(amounts, difference).map((set) => set.flatMap((index) => searched[index] ?? []));
  return { uncleared: uncleared.length, searched, sets };
}

/** More numbers have too many sets to be searched. */
export const MAX_NUMBERS = 20;

/** A set of numbers, as their indexes in ascending order. */
type IndexSet = readonly number[];

/**
 * The first sets of `numbers` that add up to `total`, at most `max`, in time that grows with the square root of the number of
 * sets. Two are enough to know that a set is not the only one. The empty set adds up to 0. The sums are exact also beyond 2^53. Throws for more than `MAX_NUMBERS` numbers.
 */
export function findSubsets(numbers: readonly number[], total: number, max = 2): IndexSet[] {
  if (numbers.length > MAX_NUMBERS) throw new RangeError(`At most ${MAX_NUMBERS} numbers can be searched.`);
  const middle = Math.ceil(numbers.length / 2);
  const bySum = new Map<bigint, IndexSet[]>();
  for (const { sum, indexes } of setsOf(numbers.slice(0, middle))) {
    const sets = bySum.get(sum);
    if (!sets) bySum.set(sum, [indexes]);
    else if (sets.length < max) sets.push(indexes);
  }
  const found: IndexSet[] = [];
  for (const { sum, indexes } of setsOf(numbers.slice(middle))) {
    const right = indexes.map((index) => index + middle);
    for (const left of bySum.get(BigInt(total) - sum) ?? []) {
      found.push([...left, ...right]);
      if (found.length === max) return found;
    }
  }
  return found;
}

/** All sets of the numbers. */
function setsOf(numbers: readonly number[]) {
  const sets: { readonly sum: bigint; readonly indexes: IndexSet }[] = [{ sum: 0n, indexes: [] }];
  for (const [index, number] of numbers.entries())
    sets.push(...sets.map((set) => ({ sum: set.sum + BigInt(number), indexes: [...set.indexes, index] })));
  return sets;
}
