/** Predicts the balances after postings, from the current balances, and names those that it cannot predict. */
import { groupBy } from '../../base/group-by.ts';
import type { Posting } from './entries.ts';

export interface BalanceChange {
  readonly kind: 'account' | 'category';
  readonly id: string;
  readonly name: string;
  /** In milliunits, like `balanceAfter`. */
  readonly balanceBefore: number;
  readonly balanceAfter: number;
}

interface Balance {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

export interface Balances {
  readonly accounts: readonly Balance[];
  readonly categories: readonly Balance[];
}

export interface PredictedChanges {
  readonly balanceChanges: readonly BalanceChange[];
  /** The names of accounts and categories whose balance may change, but cannot be predicted. */
  readonly unpredictable: readonly string[];
}

/**
 * Predicts the balances of accounts, and of categories in `month` (such as `2026-11`). Postings of another month make
 * the balance of a category unpredictable: it carries over from month to month only as far as no month in between was
 * overspent. With `isUncertain` no balance is predicted.
 */
export function balanceChangesOf(
  postings: readonly Posting[],
  { accounts, categories }: Balances,
  month: string,
  isUncertain = false,
): PredictedChanges {
  if (isUncertain) {
    const affected = new Set(postings.flatMap(({ account_id, category_id }) => [account_id, category_id]));
    return {
      balanceChanges: [],
      unpredictable: namesOf([...accounts, ...categories].filter(({ id }) => affected.has(id))),
    };
  }
  const byMonth = groupBy(postings, ({ date = month }) => date.slice(0, 7));
  const accountSums = sumsBy(postings, ({ account_id }) => account_id);
  const categorySums = sumsBy(byMonth.get(month) ?? [], ({ category_id }) => category_id);
  byMonth.delete(month);
  const otherMonthSums = [...byMonth.values()].map((each) => sumsBy(each, ({ category_id }) => category_id));
  const changedInOtherMonth = ({ id }: Balance) => otherMonthSums.some((sums) => (sums.get(id) ?? 0) !== 0);
  const predictable = categories.filter((category) => !changedInOtherMonth(category));
  return {
    balanceChanges: [
      ...changedBalances('account', accountSums, accounts),
      ...changedBalances('category', categorySums, predictable),
    ],
    unpredictable: namesOf(categories.filter(changedInOtherMonth)),
  };
}

const namesOf = (rows: readonly Balance[]) => rows.map(({ name }) => name);

function sumsBy(postings: readonly Posting[], idOf: (posting: Posting) => string | undefined) {
  const sums = new Map<string | undefined, number>();
  for (const each of postings) sums.set(idOf(each), (sums.get(idOf(each)) ?? 0) + each.amount);
  return sums;
}

function changedBalances(
  kind: BalanceChange['kind'],
  sums: ReadonlyMap<string | undefined, number>,
  rows: readonly Balance[],
): BalanceChange[] {
  return rows.flatMap(({ id, name, balance }) => {
    const change = sums.get(id) ?? 0;
    return change === 0 ? [] : [{ kind, id, name, balanceBefore: balance, balanceAfter: balance + change }];
  });
}
