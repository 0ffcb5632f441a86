/** What bookings make of the balances that the budget shows now. */
import type { Booking } from '../operations/bookings.ts';

export interface Effect {
  readonly kind: 'account' | 'category';
  readonly id: string;
  readonly name: string;
  /** In milliunits, as `balance_then`. */
  readonly balance_now: number;
  readonly balance_then: number;
}

interface Balance {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

interface Account extends Balance {
  readonly on_budget: boolean;
  readonly transfer_payee_id: string | null;
}

export interface Balances {
  readonly accounts: readonly Account[];
  readonly categories: readonly Balance[];
}

/**
 * The balances of accounts, and those of categories where they simply follow: of entries in `month`, in categories of
 * the user's own. What a credit card's payments and later months make of it is the service's to say.
 */
export function effectsOf(
  bookings: readonly Booking[],
  { accounts, categories }: Balances,
  month: string,
): Effect[] {
  const inAccounts = new Map<string, number>();
  const inCategories = new Map<string, number>();
  const add = (sums: Map<string, number>, id: string | null | undefined, amount: number) => {
    if (id) sums.set(id, (sums.get(id) ?? 0) + amount);
  };
  const book = ({ account_id, amount = 0, date, payee_id, category_id }: Booking) => {
    const account = accounts.find(({ id }) => id === account_id);
    const other = accounts.find((each) => payee_id && each.transfer_payee_id === payee_id);
    add(inAccounts, account_id, amount);
    add(inAccounts, other?.id, -amount);
    // Money that stays within the budget, or was never in it, is in no category.
    const isInBudget = account?.on_budget !== false && !(account && other?.on_budget);
    const isThisMonth = date === undefined || date.startsWith(month);
    if (isInBudget && isThisMonth) add(inCategories, category_id, amount);
  };
  for (const { subtransactions: legs, ...whole } of bookings) {
    if (!legs?.length) book(whole);
    for (const leg of legs ?? []) book({ ...leg, account_id: whole.account_id, date: whole.date });
  }
  return [...moved('account', inAccounts, accounts), ...moved('category', inCategories, categories)];
}

function moved(kind: Effect['kind'], sums: ReadonlyMap<string, number>, rows: readonly Balance[]): Effect[] {
  return rows.flatMap(({ id, name, balance }) => {
    const change = sums.get(id) ?? 0;
    return change === 0 ? [] : [{ kind, id, name, balance_now: balance, balance_then: balance + change }];
  });
}
