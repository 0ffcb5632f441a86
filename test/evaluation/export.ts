/**
 * A budget as the service itself gives it: the answer to `GET /budgets/{id}`, read by plain HTTP without the tested server.
 * Amounts are in milliunits. The functions look up rows by name, and compute nothing.
 */
import { z } from 'zod';

const account = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  on_budget: z.boolean(),
  closed: z.boolean(),
  note: z.string().nullable(),
  balance: z.int(),
  cleared_balance: z.int(),
  uncleared_balance: z.int(),
  transfer_payee_id: z.string().nullable(),
  last_reconciled_at: z.string().nullable(),
});

const payee = z.looseObject({ id: z.string(), name: z.string(), transfer_account_id: z.string().nullable() });

const categoryGroup = z.looseObject({ id: z.string(), name: z.string(), hidden: z.boolean() });

const category = z.looseObject({
  id: z.string(),
  category_group_id: z.string(),
  category_group_name: z.string(),
  name: z.string(),
  hidden: z.boolean(),
  note: z.string().nullable(),
  budgeted: z.int(),
  activity: z.int(),
  balance: z.int(),
  goal_type: z.string().nullable(),
  goal_target: z.int().nullable(),
  goal_target_date: z.string().nullable(),
  goal_needs_whole_amount: z.boolean().nullable(),
  goal_under_funded: z.int().nullable(),
});

const month = z.looseObject({
  month: z.string(),
  note: z.string().nullable(),
  income: z.int(),
  budgeted: z.int(),
  activity: z.int(),
  to_be_budgeted: z.int(),
  age_of_money: z.int().nullable(),
  categories: z.array(category),
});

const entry = z.looseObject({
  id: z.string(),
  amount: z.int(),
  memo: z.string().nullable(),
  flag_color: z.string().nullable(),
  account_id: z.string(),
  payee_id: z.string().nullable(),
  category_id: z.string().nullable(),
  transfer_account_id: z.string().nullable(),
});

const transaction = entry.extend({
  date: z.string(),
  cleared: z.string(),
  approved: z.boolean(),
  transfer_transaction_id: z.string().nullable(),
  import_id: z.string().nullable(),
});

const scheduledTransaction = entry.extend({
  date_first: z.string(),
  date_next: z.string(),
  frequency: z.string(),
});

const line = z.looseObject({
  id: z.string(),
  amount: z.int(),
  memo: z.string().nullable(),
  payee_id: z.string().nullable(),
  category_id: z.string().nullable(),
  transfer_account_id: z.string().nullable(),
});

const exportSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  currency_format: z.looseObject({ iso_code: z.string() }),
  accounts: z.array(account),
  payees: z.array(payee),
  category_groups: z.array(categoryGroup),
  /** As of the current month. */
  categories: z.array(category),
  months: z.array(month),
  transactions: z.array(transaction),
  /** The lines of split transactions. */
  subtransactions: z.array(line.extend({ transaction_id: z.string() })),
  scheduled_transactions: z.array(scheduledTransaction),
  scheduled_subtransactions: z.array(line.extend({ scheduled_transaction_id: z.string() })),
});

export type Export = z.infer<typeof exportSchema>;
export type ExportedAccount = Export['accounts'][number];
export type ExportedCategory = Export['categories'][number];
export type ExportedTransaction = Export['transactions'][number];
export type ExportedLine = Export['subtransactions'][number];
export type ExportedScheduled = Export['scheduled_transactions'][number];

const answer = z.object({ data: z.object({ budget: exportSchema }) });

/** `baseUrl` is that of the service, such as `http://127.0.0.1:8080/v1`. Throws if the service refuses. */
export async function readExport(baseUrl: string, token: string, budgetId: string): Promise<Export> {
  const response = await fetch(`${baseUrl}/budgets/${budgetId}`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return answer.parse(await response.json()).data.budget;
}

/** The only row with this name. Throws if there is none, or several: a task that names one would be ambiguous. */
export function named<Row extends { readonly name: string }>(rows: readonly Row[], name: string): Row {
  const [row, ...others] = rows.filter((each) => each.name === name);
  if (row === undefined || others.length > 0) throw new Error(`There is not exactly one ${name}.`);
  return row;
}

export const accountNamed = (budget: Export, name: string) => named(budget.accounts, name);
export const payeeNamed = (budget: Export, name: string) => named(budget.payees, name);

/** The category in a month (`2026-11`), or as of the current month. */
export const categoryNamed = (budget: Export, name: string, month?: string): ExportedCategory =>
  named(month === undefined ? budget.categories : monthOf(budget, month).categories, name);

/** A month by its first seven characters, `2026-11`. */
export function monthOf(budget: Export, month: string): Export['months'][number] {
  const found = budget.months.find((each) => each.month.startsWith(month));
  if (found === undefined) throw new Error(`The budget has no month ${month}.`);
  return found;
}

/** The lines of a split; none for other transactions. */
export const linesOf = (budget: Export, { id }: { readonly id: string }): ExportedLine[] =>
  budget.subtransactions.filter((each) => each.transaction_id === id);
