/** What bookings make of the balances that the budget shows now. It knows what cannot be said from here. */
import type { Booking } from '../bookkeeping/entries.ts';

export interface BalanceChange {
  readonly kind: 'account' | 'category';
  readonly id: string;
  readonly name: string;
  /** In milliunits, as `balanceAfter`. */
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

export interface Effects {
  readonly effects: readonly BalanceChange[];
  /** The names of accounts and categories whose balance changes, or may change, to what only the service can say. */
  readonly notForeseen: readonly string[];
}

/**
 * The balances of accounts, and those of categories in `month`, as `2026-11`. What happens in a category in an earlier
 * month is carried over only as far as it was not overspent in between, so that its balance now does not simply follow.
 * With `isUncertain`, no balance is said.
 */
export function balanceChangesOf(
  bookings: readonly Booking[],
  { accounts, categories }: Balances,
  month: string,
  isUncertain = false,
): Effects {
  if (isUncertain) {
    const touched = new Set(bookings.flatMap(({ account_id, category_id }) => [account_id, category_id]));
    return {
      effects: [],
      notForeseen: namesOf([...accounts, ...categories].filter(({ id }) => touched.has(id))),
    };
  }
  const inAccounts = new Map<string, number>();
  const inCategories = new Map<string, number>();
  /** By month, then by category. */
  const inOtherMonths = new Map<string, Map<string, number>>();
  for (const { account_id, category_id, amount, date = month } of bookings) {
    if (account_id !== undefined) add(inAccounts, account_id, amount);
    if (category_id === undefined) continue;
    const ofMonth = date.slice(0, 7);
    const sums = ofMonth === month ? inCategories : (inOtherMonths.get(ofMonth) ?? new Map<string, number>());
    if (ofMonth !== month) inOtherMonths.set(ofMonth, sums);
    add(sums, category_id, amount);
  }
  const isCarried = ({ id }: Balance) =>
    [...inOtherMonths.values()].some((sums) => (sums.get(id) ?? 0) !== 0);
  const certain = categories.filter((category) => !isCarried(category));
  return {
    effects: [
      ...changedBalances('account', inAccounts, accounts),
      ...changedBalances('category', inCategories, certain),
    ],
    notForeseen: namesOf(categories.filter(isCarried)),
  };
}

const namesOf = (rows: readonly Balance[]) => rows.map(({ name }) => name);

const add = (sums: Map<string, number>, id: string, amount: number) =>
  sums.set(id, (sums.get(id) ?? 0) + amount);

function changedBalances(
  kind: BalanceChange['kind'],
  sums: ReadonlyMap<string, number>,
  rows: readonly Balance[],
): BalanceChange[] {
  return rows.flatMap(({ id, name, balance }) => {
    const change = sums.get(id) ?? 0;
    return change === 0 ? [] : [{ kind, id, name, balanceBefore: balance, balanceAfter: balance + change }];
  });
}
