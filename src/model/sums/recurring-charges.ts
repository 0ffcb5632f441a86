/**
 * The recurring charges of a budget: what is paid from its accounts again and again, with its price, its cost in a year
 * and its next date. Transfers between its accounts and income are no charges; a transfer to a tracked account is one.
 */

import { addDays, dayNumber, daysBetween } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { ScheduledTransaction, Transaction } from '../replica/entities.ts';
import { type AccountIds, budgetAccountsOf, changeOf } from './budget-accounts.ts';
import { incomeIds } from './category-kinds.ts';
import { linesOf } from './lines.ts';
import { isRepeating } from './occurrences.ts';
import { type Charge, findSeries, priceOf, type Series } from './recurring-series.ts';
import { nextDate } from './rhythm.ts';
import { isSimilar } from './scheduled-changes.ts';
import { scheduledChange } from './scheduled-payments.ts';

/** Amounts are in milliunits. They are positive, although they are spent. */
export type RecurringCharge = ReturnType<typeof describe>;

interface RecurringQuery {
  /** The date of the call, in UTC. */
  readonly today: string;
  readonly since: string;
  readonly payee?: string | undefined;
  /** The smallest amount of the currency in milliunits. Means are rounded to it. */
  readonly smallestUnit: number;
}

export interface RecurringOptions extends Pick<RecurringQuery, 'today' | 'smallestUnit'> {
  readonly budgetAccounts: AccountIds;
  /** The ids of categories of income. */
  readonly incomeIds: ReadonlySet<string>;
  readonly scheduled: readonly ScheduledTransaction[];
  /** The transactions with a payee before those that are given. */
  readonly earlier?: (payeeId: string) => readonly Transaction[];
}

/** The most expensive comes first. `transactions` are in any order. */
export function recurringCharges(
  transactions: readonly Transaction[],
  options: RecurringOptions,
): RecurringCharge[] {
  const byPayee = new Map<string, { readonly name: string; readonly charges: Charge[] }>();
  const dayOf = dayNumbers();
  const toCharge = (transaction: Transaction): Charge => {
    const { date } = transaction;
    return { date, day: dayOf(date), amount: chargeOf(transaction, options) };
  };
  for (const transaction of transactions) {
    const { payee_id, payee_name } = transaction;
    if (payee_id === null) continue;
    const charge = toCharge(transaction);
    if (charge.amount <= 0) continue;
    const payee = byPayee.get(payee_id);
    if (payee) payee.charges.push(charge);
    else byPayee.set(payee_id, { name: payee_name ?? '', charges: [charge] });
  }
  const earlierCharges = (payeeId: string) =>
    (options.earlier?.(payeeId) ?? []).map(toCharge).filter(({ amount }) => amount > 0);
  return [...byPayee]
    .flatMap(([payee_id, { name, charges }]) => {
      const found = findSeries(charges.sort((a, b) => a.day - b.day)).filter(
        (series) => !isByChance(series, () => earlierCharges(payee_id)),
      );
      return found.map((series) => {
        const others = found.filter((other) => other !== series).map((other) => priceOf(other).usual);
        return describe({ payee_id, name }, series, others, options);
      });
    })
    .sort((a, b) => b.cost_per_year - a.cost_per_year || (a.name < b.name ? -1 : 1));
}

/**
 * Two charges a year apart occur by chance. Earlier ones of about the amount show it, unless they were whole years before, too.
 */
function isByChance({ rhythm, charges }: Series, earlier: () => readonly Charge[]): boolean {
  const [first] = charges;
  if (!first || charges.length > 2) return false;
  return earlier().some(({ day, amount }) => {
    const years = (first.day - day) / rhythm.days;
    const daysFromYears = Math.abs(years - Math.round(years)) * rhythm.days;
    return isSimilar(amount, first.amount) && daysFromYears > rhythm.tolerance;
  });
}

/** Those of a budget on a day, in the transactions since an earlier one. */
export function recurringIn(
  replica: BudgetReplica,
  { today, since, payee, smallestUnit }: RecurringQuery,
): RecurringCharge[] {
  const transactions = replica.transactions.list({ since_date: since });
  let byPayee: ReadonlyMap<string | null, readonly Transaction[]> | undefined;
  const earlier = (payeeId: string) => {
    byPayee ??= groupBy(
      replica.transactions.list({ until_date: addDays(since, -1) }),
      ({ payee_id }) => payee_id,
    );
    return byPayee.get(payeeId) ?? [];
  };
  return recurringCharges(
    transactions.filter(({ payee_id }) => payee === undefined || payee_id === payee),
    {
      budgetAccounts: budgetAccountsOf(replica.accounts.list()),
      today,
      smallestUnit,
      incomeIds: incomeIds(replica),
      scheduled: replica.scheduledTransactions.list(),
      earlier,
    },
  );
}

/** Remembers the number of each date, because many transactions have the same date. */
function dayNumbers(): (date: string) => number {
  const days = new Map<string, number>();
  return (date) => {
    const day = days.get(date) ?? dayNumber(date);
    days.set(date, day);
    return day;
  };
}

/** What a transaction takes out of the budget. Not positive if it brings money. */
function chargeOf(transaction: Transaction, { budgetAccounts, incomeIds }: RecurringOptions): number {
  const { account_id } = transaction;
  if (!budgetAccounts.has(account_id)) return 0;
  let sum = 0;
  for (const line of linesOf(transaction))
    if (line.category_id === null || !incomeIds.has(line.category_id))
      sum -= changeOf(line, account_id, budgetAccounts);
  return sum;
}

/** `others` are the usual amounts of the payee's other series. */
function describe(
  { payee_id, name }: { readonly payee_id: string; readonly name: string },
  series: Series,
  others: readonly number[],
  options: RecurringOptions,
) {
  const { rhythm, charges } = series;
  const { today, smallestUnit } = options;
  const { differs, usual } = priceOf(series);
  const rounded = (amount: number) => Math.round(amount / smallestUnit) * smallestUnit;
  const dates = charges.map(({ date }) => date);
  const last_date = dates.at(-1) ?? '';
  const scheduled = scheduledFor(payee_id, usual, others, options);
  const varies = differs && scheduled === undefined;
  const amount = scheduled?.amount ?? (varies ? rounded(usual) : usual);
  const next_date = scheduled?.date ?? nextDate(rhythm, dates);
  return {
    payee_id,
    name,
    rhythm: rhythm.name,
    // That of the scheduled transaction. Without one, the last amount or, if the amounts vary, their mean in the last year.
    amount,
    varies,
    // The price of the last charge may be an older one than that of the scheduled transaction.
    changed: differs || amount !== usual ? null : lastChange(charges),
    cost_per_year: varies ? rounded(usual * rhythm.per_year) : amount * rhythm.per_year,
    last_date,
    next_date,
    scheduled_transaction_id: scheduled?.id ?? null,
    is_overdue: next_date < today,
    // The next date passed more than a period ago.
    has_ended: daysBetween(next_date, today) > rhythm.days,
  };
}

/** When the price changed for the last time, and from what. */
function lastChange(charges: readonly Charge[]) {
  const at = charges.findLastIndex(({ amount }, index) => index > 0 && charges[index - 1]?.amount !== amount);
  const [before, after] = at < 1 ? [] : [charges[at - 1], charges[at]];
  return before && after ? { date: after.date, from: before.amount } : null;
}

/** The nearest one of this payee with about the usual amount, unless it is nearer to that of another series. */
function scheduledFor(
  payeeId: string,
  usual: number,
  others: readonly number[],
  { scheduled, budgetAccounts }: RecurringOptions,
) {
  const isNearest = (amount: number) =>
    others.every((other) => Math.abs(other - amount) >= Math.abs(usual - amount));
  return scheduled
    .filter((each) => each.payee_id === payeeId && isRepeating(each))
    .map((each) => ({
      id: each.id,
      date: each.date_next,
      amount: 0 - scheduledChange(each, budgetAccounts),
    }))
    .filter(({ amount }) => amount > 0 && isSimilar(amount, usual) && isNearest(amount))
    .toSorted((a, b) => Math.abs(a.amount - usual) - Math.abs(b.amount - usual))[0];
}
