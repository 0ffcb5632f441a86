/**
 * The balances of accounts in the future, day by day: what is certain, because it is scheduled, and what is likely, with
 * what usually happens too. The two are never one figure. Amounts are in milliunits. Pure.
 */
import { addDays, addMonths, dayOfMonth, daysBetween, onDay } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Account, ScheduledTransaction, Transaction } from '../replica/entities.ts';
import { accountHistories, daysUntil } from './account-history.ts';
import { type AccountChange, scheduledChanges } from './scheduled-changes.ts';
import { type UsualChanges, usualChanges } from './usual-changes.ts';

/** A change that a person thinks about. */
export interface SupposedChange {
  readonly amount: number;
  readonly date: string;
  /** Again on this day of each later month. */
  readonly monthly?: boolean | undefined;
  /** Without it, only the total changes. */
  readonly account?: string | undefined;
}

export interface ForecastQuery {
  readonly accounts: readonly Account[];
  readonly transactions: readonly Transaction[];
  readonly scheduled: readonly ScheduledTransaction[];
  readonly changes: readonly SupposedChange[];
  readonly today: string;
  /** The last day. */
  readonly until: string;
  /** The smallest amount of the currency in milliunits. */
  readonly smallestUnit: number;
  readonly spending: boolean;
}

/** A balance by the end of each day. The first is today. */
type Line = readonly number[];

export interface BalanceForecast {
  readonly balance: number;
  readonly certain: Line;
  /** Undefined without history, or if only what is certain was asked for. */
  readonly likely: Pick<UsualChanges, 'middle' | 'range'> | undefined;
  readonly usual: UsualChanges | undefined;
}

/** All accounts together, and each. */
export function balanceForecast(query: ForecastQuery) {
  const { accounts, scheduled, changes, transactions, today, until, smallestUnit, spending } = query;
  const due = scheduledChanges(scheduled, today, until);
  const supposed = changes.flatMap((change) => supposedChanges(change, today, until));
  const ids = new Set(accounts.map(({ id }) => id));
  const days = daysUntil(today, until);
  const histories = spending ? accountHistories(transactions, ids, scheduled, days) : undefined;
  const changesOf = groupBy([...due, ...supposed], ({ account_id }) => account_id);
  const forecastOf = (chosen: readonly Account[], isTotal: boolean): BalanceForecast => {
    const named = [...(isTotal ? [undefined] : []), ...chosen.map(({ id }) => id)];
    const changed = named.flatMap((id) => changesOf.get(id) ?? []);
    const past = histories && chosen.flatMap(({ id }) => histories.get(id) ?? []);
    return forecast(chosen, changed, past && usualChanges(past, days, smallestUnit), query);
  };
  return {
    total: forecastOf(accounts, true),
    each: accounts.length > 1 ? accounts.map((account) => forecastOf([account], false)) : [],
  };
}

function forecast(
  accounts: readonly Account[],
  changes: readonly Pick<AccountChange, 'date' | 'amount'>[],
  usual: UsualChanges | undefined,
  { today, until }: ForecastQuery,
): BalanceForecast {
  const balance = accounts.reduce((sum, each) => sum + each.balance, 0);
  const byDay = Array.from({ length: daysBetween(today, until) + 1 }, () => 0);
  for (const { date, amount } of changes) {
    const day = daysBetween(today, date);
    byDay[day] = (byDay[day] ?? 0) + amount;
  }
  let sum = balance;
  const certain = byDay.map((amount) => (sum += amount));
  const plus = (line: Line) => certain.map((each, day) => each + (line[day] ?? 0));
  const range = usual?.range && { low: plus(usual.range.low), high: plus(usual.range.high) };
  const likely = usual && usual.months > 0 ? { middle: plus(usual.middle), range } : undefined;
  return { balance, certain, likely, usual };
}

/** What is supposed for an earlier day counts today. */
function supposedChanges(
  { amount, date, monthly = false, account }: SupposedChange,
  today: string,
  until: string,
) {
  const dates = [date];
  for (let ahead = 1; monthly; ahead += 1) {
    const next = onDay(addMonths(date, ahead), dayOfMonth(date));
    if (next > until) break;
    dates.push(next);
  }
  return dates.map((each) => ({ account_id: account, date: each < today ? today : each, amount }));
}

/** The first day with the lowest balance; today with `balance` if it never falls below that. */
export function lowestDay(line: Line, balance: number, today: string) {
  let lowest = { date: today, balance };
  for (const [day, each] of line.entries())
    if (each < lowest.balance) lowest = { date: addDays(today, day), balance: each };
  return lowest;
}
