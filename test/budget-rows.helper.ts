/** The rows of a budget as the service gives them, and their sums. Answers of the program are compared with them. */
import { z } from 'zod';

const categorySchema = z.object({
  id: z.string(),
  name: z.string(),
  category_group_name: z.string(),
  hidden: z.boolean(),
  budgeted: z.int(),
  activity: z.int(),
  balance: z.int(),
  goal_type: z.string().nullable(),
  goal_under_funded: z.int().nullable(),
});
const accountSchema = z.object({
  id: z.string(),
  name: z.string(),
  on_budget: z.boolean(),
  balance: z.int(),
  cleared_balance: z.int(),
});
const lineSchema = z.object({
  amount: z.int(),
  category_id: z.string().nullable(),
  category_name: z.string().nullable(),
  transfer_account_id: z.string().nullable(),
});
const transactionSchema = lineSchema.extend({
  id: z.string(),
  date: z.string(),
  memo: z.string().nullable(),
  cleared: z.string(),
  account_id: z.string(),
  account_name: z.string(),
  payee_name: z.string().nullable(),
  subtransactions: z.array(lineSchema),
});
const scheduledSchema = z.object({
  date_next: z.string(),
  frequency: z.string(),
  amount: z.int(),
  transfer_account_id: z.string().nullable(),
});
const monthSchema = z.object({
  month: z.string(),
  to_be_budgeted: z.int(),
  categories: z.array(categorySchema),
});

export type Category = z.output<typeof categorySchema>;
export type Transaction = z.output<typeof transactionSchema>;
export type Month = z.output<typeof monthSchema>;

/** Amounts are milliunits. */
export interface Rows {
  /** The day of the service, UTC. */
  readonly today: string;
  /** The last twelve months, the current one last. */
  readonly months: readonly Month[];
  readonly accounts: readonly z.output<typeof accountSchema>[];
  readonly transactions: readonly Transaction[];
  readonly scheduled: readonly z.output<typeof scheduledSchema>[];
}

const MONTHS = 12;

/** `get` returns the data of a path below the budget. */
export async function readRows(get: (path: string) => Promise<unknown>, today: string): Promise<Rows> {
  const read = async <Data>(path: string, name: string, schema: z.ZodType<Data>) => {
    const data = z.record(z.string(), z.unknown()).parse(await get(path));
    return schema.parse(data[name]);
  };
  const months: Month[] = [];
  for (let ago = MONTHS - 1; ago >= 0; ago -= 1)
    months.push(await read(`months/${monthBefore(today, ago)}-01`, 'month', monthSchema));
  return {
    today,
    months,
    accounts: await read('accounts', 'accounts', z.array(accountSchema)),
    transactions: await read(
      'transactions?since_date=2000-01-01',
      'transactions',
      z.array(transactionSchema),
    ),
    scheduled: await read('scheduled_transactions', 'scheduled_transactions', z.array(scheduledSchema)),
  };
}

/** The month that was so many months before the day: `2026-11` for `2026-11-22` and 0. */
export function monthBefore(day: string, ago: number): string {
  const date = new Date(`${day.slice(0, 7)}-15`);
  date.setUTCMonth(date.getUTCMonth() - ago);
  return date.toISOString().slice(0, 7);
}

export const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

export function thisMonth({ months }: Rows): Month {
  const month = months.at(-1);
  if (!month) throw new Error('There are no months.');
  return month;
}

/** Those in which a user budgets money, with the payments of credit cards. */
export const userCategories = ({ categories }: Month) =>
  categories.filter(({ category_group_name }) => category_group_name !== 'Internal Master Category');

export const isOnBudget = ({ accounts }: Rows, id: string | null) =>
  accounts.some((account) => account.id === id && account.on_budget);

export function named<Row extends { readonly name: string }>(rows: readonly Row[], name: string): Row {
  const found = rows.find((row) => row.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

/** What counts as spending in each category: the opposite of its activity. What has no category counts too. */
export const spendingIn = ({ categories }: Month) =>
  categories.flatMap(({ name, category_group_name, activity }) =>
    category_group_name === 'Credit Card Payments' || name === 'Inflow: Ready to Assign'
      ? []
      : [{ name, amount: 0 - activity }],
  );

/** Inflows of the accounts of the budget. */
export function incomeIn(rows: Rows, month: string): number {
  const lines = rows.transactions
    .filter(({ date, account_id }) => date.startsWith(month) && isOnBudget(rows, account_id))
    .flatMap(({ subtransactions, ...whole }) => (subtransactions.length > 0 ? subtransactions : [whole]));
  return sumOf(
    lines
      .filter(({ category_name }) => category_name === 'Inflow: Ready to Assign')
      .map(({ amount }) => amount),
  );
}

/** What went from accounts of the budget to others, in the months of `rows`. */
export function toTrackingAccounts(rows: Rows): number {
  const first = rows.months[0]?.month ?? '';
  const lines = rows.transactions
    .filter(({ date, account_id }) => date >= first && isOnBudget(rows, account_id))
    .flatMap(({ subtransactions, ...whole }) => (subtransactions.length > 0 ? subtransactions : [whole]));
  const isOut = (id: string | null) => id !== null && !isOnBudget(rows, id);
  return 0 - sumOf(lines.filter((each) => isOut(each.transfer_account_id)).map(({ amount }) => amount));
}

/** What was owned and owed at the end of a month, from the balances of today and the transactions since then. */
export function netWorthAfter({ accounts, transactions }: Rows, month: string) {
  const later = new Map<string, number>();
  for (const { date, account_id, amount } of transactions)
    if (date.slice(0, 7) > month) later.set(account_id, (later.get(account_id) ?? 0) + amount);
  const balances = accounts.map(({ id, balance }) => balance - (later.get(id) ?? 0));
  return {
    owned: sumOf(balances.filter((balance) => balance > 0)),
    owed: -sumOf(balances.filter((balance) => balance < 0)),
    net: sumOf(balances),
  };
}

/** Transactions that need a category. */
export const withoutCategory = (rows: Rows) =>
  rows.transactions.filter(
    ({ category_id, account_id, transfer_account_id }) =>
      category_id === null && isOnBudget(rows, account_id) && !isOnBudget(rows, transfer_account_id),
  );

/** Payees with exactly one payment of the same amount in each of the last eleven full months. */
export function subscriptions({ transactions, today }: Rows) {
  const months = Array.from({ length: 11 }, (_, at) => monthBefore(today, at + 1));
  const payments = transactions.filter(({ amount, payee_name }) => amount < 0 && payee_name !== null);
  const byPayee = new Map<string, Transaction[]>();
  for (const each of payments) {
    const own = byPayee.get(each.payee_name ?? '');
    if (own) own.push(each);
    else byPayee.set(each.payee_name ?? '', [each]);
  }
  return [...byPayee].flatMap(([name, own]) => {
    const last = own.reduce((last, each) => (each.date > last.date ? each : last));
    const isMonthly = months.every((month) => {
      const [only, another] = own.filter(({ date }) => date.startsWith(month));
      return only?.amount === last.amount && !another;
    });
    return isMonthly ? [{ name, amount: -last.amount }] : [];
  });
}
