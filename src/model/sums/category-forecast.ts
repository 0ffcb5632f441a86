/**
 * What is left of a category month by month: with what is budgeted, scheduled and usually spent. What is certain and what is
 * likely are two figures. Amounts are in milliunits, negative is spent. Pure.
 */
import { addMonths, dayOfMonth, firstOfMonth, lastOfMonth, monthsBetween } from '../../base/calendar.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Category } from '../replica/entities.ts';
import { budgetAccountsOf } from './budget-accounts.ts';
import { linesOf } from './lines.ts';
import { dueDates, scheduledTest } from './scheduled-changes.ts';

export interface CategoryMonth {
  /** The first day. */
  readonly month: string;
  /** What the month begins with. Of this month, what is left today, which has its budgeted amount already. */
  readonly begins: { readonly certain: number; readonly likely: number };
  readonly budgeted: number;
  readonly scheduled: number;
  /** What is usually spent in addition, in the rest of this month and in each later one. */
  readonly usual: number;
  readonly certain: number;
  readonly likely: number;
}

interface CategoryQuery {
  readonly replica: BudgetReplica;
  readonly category: Category;
  /** Changes of this category that a person thinks about. */
  readonly changes: readonly { readonly date: string; readonly amount: number }[];
  readonly today: string;
  readonly until: string;
  /** The smallest amount of the currency in milliunits. */
  readonly smallestUnit: number;
}

const MAX_MONTHS = 12;

/** `months` is the number of whole months that what is usually spent is the mean of, at most twelve. */
export function categoryForecast(query: CategoryQuery) {
  const { replica, category, changes, today, until, smallestUnit } = query;
  const rounded = (amount: number) => Math.round(amount / smallestUnit) * smallestUnit;
  const scheduled = scheduledByMonth(query);
  const { usual, months, transactions } = usualSpending(query);
  const rows: CategoryMonth[] = [];
  let begins = { certain: category.balance, likely: category.balance };
  for (let month = firstOfMonth(today); month <= until; month = addMonths(month, 1)) {
    const isThisMonth = rows.length === 0;
    const { budgeted, activity } = isThisMonth ? nothing : amountsIn(replica, month, category.id);
    // What is supposed for an earlier day counts today.
    const supposed = changes.filter(({ date }) => firstOfMonth(date < today ? today : date) === month);
    const due =
      activity + (scheduled.get(month) ?? 0) + supposed.reduce((sum, { amount }) => sum + amount, 0);
    const left = dayOfMonth(lastOfMonth(today));
    const part = isThisMonth ? rounded((usual * (left - dayOfMonth(today))) / left) : rounded(usual);
    const certain = begins.certain + budgeted + due;
    const likely = begins.likely + budgeted + due + part;
    rows.push({ month, begins, budgeted, scheduled: due, usual: part, certain, likely });
    // What is overspent is taken from the money to be assigned when the month ends.
    begins = { certain: Math.max(0, certain), likely: Math.max(0, likely) };
  }
  return { rows, months, transactions };
}

/** A month that the budget does not have yet has nothing budgeted and nothing entered. */
const nothing = { budgeted: 0, activity: 0 };

const amountsIn = ({ months }: BudgetReplica, month: string, id: string) =>
  months.has(month) ? (months.detail(month).categories.find((each) => each.id === id) ?? nothing) : nothing;

/** What is scheduled in the category, by the first day of the month. */
function scheduledByMonth({ replica, category, today, until }: CategoryQuery): ReadonlyMap<string, number> {
  const budgetAccounts = budgetAccountsOf(replica.accounts.list());
  const sums = new Map<string, number>();
  for (const row of replica.scheduledTransactions.list()) {
    if (!budgetAccounts.has(row.account_id)) continue;
    let amount = 0;
    for (const line of linesOf(row)) if (line.category_id === category.id) amount += line.amount;
    if (amount === 0) continue;
    for (const date of dueDates(row, today, until)) {
      const month = firstOfMonth(date);
      sums.set(month, (sums.get(month) ?? 0) + amount);
    }
  }
  return sums;
}

/** The mean of the last whole months, without what scheduled transactions stand for. */
function usualSpending({ replica, category, today }: CategoryQuery) {
  const budgetAccounts = budgetAccountsOf(replica.accounts.list());
  const all = replica.transactions.list({});
  const isScheduled = scheduledTest(replica.scheduledTransactions.list());
  const first = all.at(-1)?.date ?? today;
  const end = firstOfMonth(today);
  const months = Math.min(MAX_MONTHS, monthsBetween(first, today) - (dayOfMonth(first) === 1 ? 0 : 1));
  if (months < 1) return { usual: 0, months: 0, transactions: 0 };
  const begin = addMonths(end, -months);
  let sum = 0;
  let transactions = 0;
  for (const row of all) {
    if (row.date >= end || !budgetAccounts.has(row.account_id)) continue;
    if (row.date < begin) break;
    const lines = linesOf(row).filter(({ category_id }) => category_id === category.id);
    if (lines.length === 0 || isScheduled(row)) continue;
    transactions += 1;
    for (const { amount } of lines) sum += amount;
  }
  return { usual: sum / months, months, transactions };
}
