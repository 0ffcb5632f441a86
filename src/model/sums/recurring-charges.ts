/**
 * The recurring charges of a budget: what is paid from its accounts again and again, with its price, its cost in a year
 * and its next date. Transfers between its accounts and income are no charges; a transfer to a tracked account is one.
 */

import { addDays, dayNumber, daysBetween } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { BudgetRows } from '../replica/budget-replica.ts';
import type { Transaction } from '../replica/entities.ts';
import { type BudgetAccounts, budgetAccountsOf, changeOf } from './budget-accounts.ts';
import { incomeIds } from './category-kinds.ts';
import { linesOf } from './lines.ts';
import { isRepeating } from './occurrences.ts';
import { type Charge, findSeries, priceOf, type Series } from './recurring-series.ts';
import { nextDate } from './rhythm.ts';
import { isSimilar } from './scheduled-changes.ts';
import { scheduledChange } from './scheduled-payments.ts';

interface RecurringQuery {
  /** The person's day. */
  readonly today: string;
  readonly since: string;
  readonly payee?: string | undefined;
  /** The smallest amount of the currency in milliunits. Means are rounded to it. */
  readonly smallestUnit: number;
}

/** The charges in the transactions since a date. The most expensive comes first. */
export function recurringIn(budget: BudgetRows, query: RecurringQuery) {
  const { since, payee } = query;
  const budgetAccounts = budgetAccountsOf(budget.accounts.list());
  const income = incomeIds(budget);
  const chargesOf = (rows: readonly Transaction[] = []) =>
    rows.map((row) => chargeOf(row, budgetAccounts, income)).filter(({ amount }) => amount > 0);
  const byPayee = groupBy(budget.transactions.list({ since_date: since }), ({ payee_id }) => payee_id);
  let earlier: typeof byPayee | undefined;
  const earlierCharges = (payeeId: string) => {
    earlier ??= groupBy(
      budget.transactions.list({ until_date: addDays(since, -1) }),
      ({ payee_id }) => payee_id,
    );
    return chargesOf(earlier.get(payeeId));
  };
  const plans = groupBy(budget.scheduledTransactions.list().filter(isRepeating), ({ payee_id }) => payee_id);
  return [...byPayee]
    .flatMap(([payee_id, rows]) => {
      if (payee_id === null || (payee !== undefined && payee_id !== payee)) return [];
      let before: readonly Charge[] | undefined;
      const found = findSeries(chargesOf(rows).sort((a, b) => a.day - b.day)).filter(
        (series) => !isByChance(series, () => (before ??= earlierCharges(payee_id))),
      );
      const planned = (plans.get(payee_id) ?? []).map((each) => ({
        id: each.id,
        date: each.date_next,
        amount: 0 - scheduledChange(each, budgetAccounts),
      }));
      const usual = found.map((series) => priceOf(series).usual);
      return found.map((series, index) => {
        const others = usual.filter((_, at) => at !== index);
        const name = rows[0]?.payee_name ?? '';
        return { payee_id, name, ...describe(series, others, planned, query) };
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

/** What a transaction takes out of the budget. Not positive if it brings money. */
function chargeOf(
  transaction: Transaction,
  budgetAccounts: BudgetAccounts,
  income: ReadonlySet<string>,
): Charge {
  const { date, account_id } = transaction;
  let amount = 0;
  if (budgetAccounts.has(account_id))
    for (const line of linesOf(transaction))
      if (line.category_id === null || !income.has(line.category_id))
        amount -= changeOf(line, account_id, budgetAccounts);
  return { date, day: dayNumber(date), amount };
}

/** A scheduled transaction of the payee, with what it takes out of the budget. */
interface Planned {
  readonly id: string;
  readonly date: string;
  readonly amount: number;
}

/**
 * `others` are the usual amounts of the payee's other series. Amounts are in milliunits. They are positive, although they are
 * spent.
 */
function describe(
  series: Series,
  others: readonly number[],
  planned: readonly Planned[],
  { today, smallestUnit }: RecurringQuery,
) {
  const { rhythm, charges } = series;
  const { differs, usual } = priceOf(series);
  const rounded = (amount: number) => Math.round(amount / smallestUnit) * smallestUnit;
  const dates = charges.map(({ date }) => date);
  const last_date = dates.at(-1) ?? '';
  const scheduled = scheduledFor(usual, others, planned);
  const varies = differs && scheduled === undefined;
  const amount = scheduled?.amount ?? (varies ? rounded(usual) : usual);
  const next_date = scheduled?.date ?? nextDate(rhythm, dates);
  return {
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

/** The nearest one with about the usual amount, unless it is nearer to that of another series. */
function scheduledFor(usual: number, others: readonly number[], planned: readonly Planned[]) {
  const isNearest = (amount: number) =>
    others.every((other) => Math.abs(other - amount) >= Math.abs(usual - amount));
  return planned
    .filter(({ amount }) => amount > 0 && isSimilar(amount, usual) && isNearest(amount))
    .toSorted((a, b) => Math.abs(a.amount - usual) - Math.abs(b.amount - usual))[0];
}
