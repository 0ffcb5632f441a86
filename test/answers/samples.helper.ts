/** One simple entity of each kind, as the service sends it. A test changes the fields that it needs. */
import type { z } from 'zod';
import { account as accountSchema } from '../../src/base/schema/account.ts';
import type { BudgetSummary } from '../../src/base/schema/budget.ts';
import { category as categorySchema } from '../../src/base/schema/category.ts';
import { scheduledSubtransaction as scheduledLegSchema } from '../../src/base/schema/scheduled-transaction.ts';
import { subtransaction as legSchema } from '../../src/base/schema/transaction.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { getMonth } from '../../src/operations/months.ts';
import { getScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { getTransaction } from '../../src/operations/transactions.ts';

const sample =
  <Schema extends z.ZodType>(schema: Schema, base: z.input<Schema>) =>
  (changed: Partial<z.input<Schema>> = {}): z.output<Schema> =>
    schema.parse({ ...Object(base), ...changed });

export const account = sample(accountSchema, {
  id: 'acc-1',
  name: 'Checking',
  type: 'checking',
  on_budget: true,
  closed: false,
  balance: 1_234_560,
  cleared_balance: 1_234_560,
  uncleared_balance: 0,
  deleted: false,
});

export const category = sample(categorySchema, {
  id: 'cat-1',
  category_group_id: 'grp-1',
  category_group_name: 'Everyday',
  name: 'Groceries',
  hidden: false,
  budgeted: 500_000,
  activity: -123_450,
  balance: 376_550,
  deleted: false,
});

export const month = sample(getMonth.output.shape.month, {
  month: '2026-11-01',
  income: 4_000_000,
  budgeted: 3_500_000,
  activity: -1_250_000,
  to_be_budgeted: 500_000,
  age_of_money: 42,
  deleted: false,
  categories: [],
});

export const leg = sample(legSchema, {
  id: 'leg-1',
  transaction_id: 'trx-1',
  amount: -30_000,
  category_id: 'cat-1',
  category_name: 'Groceries',
  deleted: false,
});

export const transaction = sample(getTransaction.output.shape.transaction, {
  id: 'trx-1',
  date: '2026-11-18',
  amount: -42_100,
  cleared: 'cleared',
  approved: true,
  account_id: 'acc-1',
  account_name: 'Checking',
  payee_id: 'pay-1',
  payee_name: 'Corner Shop',
  category_id: 'cat-1',
  category_name: 'Groceries',
  deleted: false,
  subtransactions: [],
});

export const scheduledLeg = sample(scheduledLegSchema, {
  id: 'sleg-1',
  scheduled_transaction_id: 'sch-1',
  amount: -400_000,
  category_id: 'cat-1',
  category_name: 'Groceries',
  deleted: false,
});

export const scheduled = sample(getScheduledTransaction.output.shape.scheduled_transaction, {
  id: 'sch-1',
  date_first: '2026-01-01',
  date_next: '2026-12-01',
  frequency: 'monthly',
  amount: -1_200_000,
  account_id: 'acc-1',
  account_name: 'Checking',
  payee_id: 'pay-2',
  payee_name: 'Landlord',
  category_id: 'cat-2',
  category_name: 'Rent',
  deleted: false,
  subtransactions: [],
});

export const dollars = {
  iso_code: 'USD',
  example_format: '123,456.78',
  decimal_digits: 2,
  decimal_separator: '.',
  symbol_first: true,
  group_separator: ',',
  currency_symbol: '$',
  display_symbol: true,
};

export const exported = sample(getBudget.output.shape.budget, {
  id: 'bud-1',
  name: 'Home',
  last_modified_on: '2026-11-20T08:00:00Z',
  first_month: '2024-12-01',
  last_month: '2026-12-01',
  date_format: { format: 'YYYY-MM-DD' },
  currency_format: dollars,
});

export const budget: BudgetSummary = {
  id: 'bud-1',
  name: 'Home',
  last_modified_on: '2026-11-20T08:00:00Z',
  first_month: '2024-12-01',
  last_month: '2026-12-01',
  date_format: { format: 'YYYY-MM-DD' },
  currency_format: dollars,
};

/** The result of a call with `data` of `budget`. */
export const resultOf = <Data>(data: Data) => ({
  data,
  budget,
  freshness: { as_of: '2026-11-20T09:00:00.000Z', source: 'service' as const, requests_left: 187 },
});
