/**
 * Sums over an export, for what is right in a task. They share nothing with `src/`, so that a mistake there is not repeated
 * here. Amounts are milliunits until `units`. What counts as spending: docs/questions.md, "Rules of the sums".
 */
import { categoryNamed, type Export, linesOf } from './export.ts';

export const INCOME = 'Inflow: Ready to Assign';

/** What has one category: a transaction that is not split, or one leg of a split. */
export interface Line {
  /** The id of the whole transaction. */
  readonly transaction: string;
  readonly date: string;
  /** Negative is an outflow. */
  readonly amount: number;
  readonly account: string;
  /** False on tracking accounts. */
  readonly onBudget: boolean;
  readonly payee: string;
  /** Both are '' without a category. */
  readonly category: string;
  readonly group: string;
  readonly flag: string | null;
  readonly cleared: string;
  /** The other account of a transfer. */
  readonly transfer?: { readonly account: string; readonly onBudget: boolean };
}

/** The lines of all transactions, split ones as their legs. */
export function allLines(before: Export): Line[] {
  const [accounts, payees] = [byId(before.accounts), byId(before.payees)];
  const categories = byId(before.categories);
  const split = new Set(before.subtransactions.map(({ transaction_id }) => transaction_id));
  return before.transactions.flatMap((transaction) => {
    const account = accounts.get(transaction.account_id);
    const parts = split.has(transaction.id) ? linesOf(before, transaction) : [transaction];
    return parts.map((part) => {
      const category = categories.get(part.category_id ?? '');
      const other = accounts.get(part.transfer_account_id ?? '');
      return {
        transaction: transaction.id,
        date: transaction.date,
        amount: part.amount,
        account: account?.name ?? '',
        onBudget: account?.on_budget ?? false,
        payee: payees.get(part.payee_id ?? transaction.payee_id ?? '')?.name ?? '',
        category: category?.name ?? '',
        group: category?.category_group_name ?? '',
        flag: transaction.flag_color,
        cleared: transaction.cleared,
        ...(other && { transfer: { account: other.name, onBudget: other.on_budget } }),
      };
    });
  });
}

/** What was spent: positive, a refund negative. Transfers to tracking accounts count, others do not. */
export const spendingOf = (before: Export): Line[] =>
  allLines(before)
    .filter(({ onBudget, category, transfer }) => onBudget && category !== INCOME && !transfer?.onBudget)
    .map((line) => ({ ...line, amount: -line.amount }));

export const incomeOf = (before: Export): Line[] =>
  allLines(before).filter(({ onBudget, category }) => onBudget && category === INCOME);

/** What was spent in the lines for which `isWanted`, refunds taken off. */
export const spent = (before: Export, isWanted: (line: Line) => boolean): number =>
  0 - sum(allLines(before).filter(isWanted));

/** Both days count. A month such as `2026-05` as `since` begins with its first day. */
export const during = <T extends { readonly date: string }>(
  lines: readonly T[],
  since: string,
  until: string,
) => lines.filter(({ date }) => date >= since && date <= until);

export const sum = (lines: readonly { readonly amount: number }[]): number =>
  lines.reduce((total, { amount }) => total + amount, 0);

/** Throws if there is none: then the task asks for something that the household does not have. */
export function first<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('There is no such row.');
  return row;
}

/** Milliunits as currency units. */
export const units = (milliunits: number): number => milliunits / 1000;

/** The forms of an amount where a person may say it with or without a sign. */
export const eitherSign = (milliunits: number) => [`${units(milliunits)}`, `${units(-milliunits)}`];

export const numberOfTransactions = (lines: readonly Line[]): number =>
  new Set(lines.map(({ transaction }) => transaction)).size;

/** The sum for each key, the largest first. */
export function sumsBy<T extends { readonly amount: number }>(
  lines: readonly T[],
  key: (line: T) => string,
): [key: string, total: number][] {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(key(line), (sums.get(key(line)) ?? 0) + line.amount);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** The months `YYYY-MM` from one to another, both included. */
export function monthsFrom(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = dayAfter(`${month}-28`, 4).slice(0, 7)) months.push(month);
  return months;
}

export const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

export const daysBetween = (first: string, last: string): number =>
  (Date.parse(last) - Date.parse(first)) / DAY;

const DAY = 86_400_000;

export const weekdayOf = ({ date }: { readonly date: string }): string =>
  new Date(date).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });

/** The balance at the end of a day, of the accounts with these names or of all. */
export const balanceOn = (before: Export, date: string, ...names: readonly string[]): number =>
  sum(
    allLines(before).filter(
      (line) => line.date <= date && (names.length === 0 || names.includes(line.account)),
    ),
  );

/** What was left in a category at the end of each month. What is below zero is not carried over. */
export function leftByMonth(before: Export, category: string): Map<string, number> {
  const spent = spendingOf(before).filter((line) => line.category === category);
  const left = new Map<string, number>();
  let carried = 0;
  for (const month of before.months.map((each) => each.month.slice(0, 7)).sort()) {
    const { budgeted } = categoryNamed(before, category, month);
    const rest = carried + budgeted - sum(during(spent, month, `${month}-31`));
    left.set(month, rest);
    carried = Math.max(0, rest);
  }
  return left;
}

/** What is left in a category this month. */
export const available = (before: Export, category: string): number =>
  [...leftByMonth(before, category).values()].at(-1) ?? 0;

/** The days from one to another, both included, on which a scheduled transaction is due. For days that every month has. */
export const dueDates = (
  { date_next, frequency }: { readonly date_next: string; readonly frequency: string },
  since: string,
  until: string,
): string[] =>
  Array.from({ length: daysBetween(since, until) + 1 }, (_, index) => dayAfter(since, index)).filter(
    (date) => {
      if (date < date_next) return false;
      if (frequency === 'never') return date === date_next;
      const days = EVERY_DAYS[frequency];
      if (days !== undefined) return daysBetween(date_next, date) % days === 0;
      const apart = Math.abs(Number(date.slice(8)) - Number(date_next.slice(8)));
      if (frequency === 'twiceAMonth') return apart === 0 || apart === 15;
      const months = EVERY_MONTHS[frequency];
      if (months === undefined) throw new Error(`There is no rule for ${frequency}.`);
      return apart === 0 && (monthNumber(date) - monthNumber(date_next)) % months === 0;
    },
  );

const EVERY_DAYS: Readonly<Record<string, number>> = {
  daily: 1,
  weekly: 7,
  everyOtherWeek: 14,
  every4Weeks: 28,
};
const EVERY_MONTHS: Readonly<Record<string, number>> = { monthly: 1, everyOtherMonth: 2, every3Months: 3 };

const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));

const byId = <T extends { readonly id: string }>(rows: readonly T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.id, row]));
