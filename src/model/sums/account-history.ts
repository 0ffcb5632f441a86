/**
 * The last two years of accounts without what scheduled transactions stand for, and what recurring payments they showed on any
 * day: a forecast is compared with those that would have been made earlier. Pure.
 */
import {
  addDays,
  addMonths,
  dayNumber,
  dayOfMonth,
  daysBetween,
  lastOfMonth,
  onDay,
} from '../../base/calendar.ts';
import type { ScheduledTransaction, Transaction } from '../replica/entities.ts';
import { type Charge, findSeries, priceOf, type Series } from './recurring-series.ts';
import { nextDate } from './rhythm.ts';
import { scheduledTest } from './scheduled-changes.ts';

/** In milliunits by day: of the past from `Days.first` on, of the future from the day of a forecast on. */
export type Amounts = Float64Array;

export interface Days {
  /** Today, and the same day of the months before. */
  readonly monthsAgo: readonly string[];
  readonly first: string;
  /** For how many days a forecast is. */
  readonly ahead: number;
  /** Of each day from the first until the last of the forecast. The last day of a month is the 31st. */
  readonly dayOfMonth: Uint8Array;
}

export function daysUntil(today: string, until: string): Days {
  const monthsAgo = Array.from({ length: MAX_MONTHS + 1 }, (_, back) =>
    onDay(addMonths(today, -back), dayOfMonth(today)),
  );
  const first = monthsAgo.at(-1) ?? today;
  const days = Uint8Array.from({ length: daysBetween(first, until) + 1 }, (_, day) => {
    const date = addDays(first, day);
    return date === lastOfMonth(date) ? 31 : dayOfMonth(date);
  });
  return { monthsAgo, first, ahead: daysBetween(today, until), dayOfMonth: days };
}

/** History is at most two years. */
export const MAX_MONTHS = 24;

/** What the history of an account shows on one of its days. */
interface Outlook {
  /** Recurring payments to come. */
  readonly expected: Amounts;
  readonly recurring: number;
  /** All other changes until then, with how far recurring payments differed from what is usual. */
  readonly rest: Amounts;
}

/** Charges of one payee in one direction, at least two. */
interface Group {
  readonly sign: 1 | -1;
  readonly charges: Charge[];
  /** Those found among the first `count` charges. Between most days nothing was charged. */
  found: { readonly count: number; readonly series: readonly Series[] };
}

const NONE = { count: 0, series: [] };

export class AccountHistory {
  /** The first day on which the account is known. */
  readonly since: string;
  readonly changes: Amounts;
  readonly transactions: number;
  readonly #groups: readonly Group[];
  readonly #first: number;
  readonly #ahead: number;
  readonly #outlooks = new Map<string, Outlook>();

  /** `rows` are newest first. */
  constructor(
    rows: readonly Transaction[],
    since: string,
    { monthsAgo: [today = since], first, ahead }: Days,
  ) {
    this.since = since;
    this.#first = dayNumber(first);
    this.#ahead = ahead;
    this.changes = new Float64Array(dayNumber(today) - this.#first + 1);
    this.transactions = rows.length;
    const groups = new Map<string, Group>();
    for (const { date, amount, payee_id } of rows.toReversed()) {
      const day = dayNumber(date);
      add(this.changes, day - this.#first, amount);
      if (payee_id === null || amount === 0) continue;
      const key = `${payee_id} ${amount < 0}`;
      const group = groups.get(key) ?? { sign: amount < 0 ? -1 : 1, charges: [], found: NONE };
      groups.set(key, group);
      group.charges.push({ date, day, amount: Math.abs(amount) });
    }
    this.#groups = [...groups.values()].filter(({ charges }) => charges.length > 1);
  }

  on(date: string): Outlook {
    const known = this.#outlooks.get(date) ?? this.#outlookOn(date);
    this.#outlooks.set(date, known);
    return known;
  }

  #outlookOn(date: string): Outlook {
    const today = dayNumber(date);
    const expected = new Float64Array(this.#ahead + 1);
    const rest = this.changes.slice(0, today - this.#first + 1);
    let recurring = 0;
    for (const group of this.#groups) {
      const { sign, charges } = group;
      const count = charges.findLastIndex(({ day }) => day <= today) + 1;
      if (count < 2) continue;
      if (group.found.count !== count) group.found = { count, series: findSeries(charges.slice(0, count)) };
      for (const series of group.found.series) {
        const { usual, differs } = priceOf(series);
        for (const { day, amount } of series.charges)
          add(rest, day - this.#first, 0 - sign * (differs ? usual : amount));
        const dates = series.charges.map((each) => each.date);
        let next = nextDate(series.rhythm, dates);
        if (today - dayNumber(next) > series.rhythm.days) continue;
        recurring += 1;
        // What should have come already is expected tomorrow.
        for (; dayNumber(next) <= today + this.#ahead; next = nextDate(series.rhythm, dates)) {
          dates.push(next);
          add(expected, Math.max(1, dayNumber(next) - today), sign * usual);
        }
      }
    }
    return { expected, recurring, rest };
  }
}

/** By account. `transactions` are all of the budget, newest first. */
export function accountHistories(
  transactions: readonly Transaction[],
  accounts: ReadonlySet<string>,
  scheduled: readonly ScheduledTransaction[],
  days: Days,
): ReadonlyMap<string, AccountHistory> {
  const { first, monthsAgo } = days;
  const [today = first] = monthsAgo;
  const isScheduled = scheduledTest(scheduled);
  const found = new Map<string, { rows: Transaction[]; since: string; opened: boolean }>();
  let isCut = false;
  for (const row of transactions) {
    const { date, account_id } = row;
    isCut = date <= first;
    if (isCut) break;
    if (date > today || !accounts.has(account_id)) continue;
    const account = found.get(account_id) ?? { rows: [], since: date, opened: false };
    found.set(account_id, account);
    account.since = date;
    // The balance with which an account begins says nothing about later months.
    if (row.payee_name === 'Starting Balance') account.opened = true;
    else if (!isScheduled(row)) account.rows.push(row);
  }
  return new Map(
    [...found].map(([id, { rows, since, opened }]) => [
      id,
      new AccountHistory(rows, isCut && !opened ? first : since, days),
    ]),
  );
}

function add(amounts: Amounts, at: number, amount: number): void {
  amounts[at] = (amounts[at] ?? 0) + amount;
}
