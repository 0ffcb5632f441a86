/**
 * Schemas of every resource of version 1.77 (`wire.helper` has those of 1.85), written independently of the service. The objects are strict: an extra
 * field, a missing field or an unexpected null is a failure.
 */
import { z } from 'zod';

export const text = z.string();
export const orNull = z.string().nullable();
export const uuid = z.guid();
export const uuidOrNull = uuid.nullable();
export const milliunits = z.int();
const integerOrNull = z.int().nullable();
export const yes = z.boolean();
export const date = z.iso.date();
export const dateOrNull = date.nullable();
export const month = z.string().regex(/^\d{4}-\d{2}-01$/);
export const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const timestampOrNull = timestamp.nullable();
const periodicValue = z.record(date, z.int()).nullable();
const flagColor = z.enum(['red', 'orange', 'yellow', 'green', 'blue', 'purple', '']).nullable();

export const User = z.strictObject({ id: uuid });

export const DateFormat = z.strictObject({ format: text });

export const CurrencyFormat = z.strictObject({
  iso_code: text,
  example_format: text,
  decimal_digits: z.int(),
  decimal_separator: text,
  symbol_first: yes,
  group_separator: text,
  currency_symbol: text,
  display_symbol: yes,
});

export const BudgetSettings = z.strictObject({
  date_format: DateFormat.nullable(),
  currency_format: CurrencyFormat.nullable(),
});

export const BudgetSummary = z.strictObject({
  id: uuid,
  name: text,
  last_modified_on: timestamp,
  first_month: month,
  last_month: month,
  ...BudgetSettings.shape,
});

export const Account = z.strictObject({
  id: uuid,
  name: text,
  type: z.enum([
    'checking',
    'savings',
    'cash',
    'creditCard',
    'lineOfCredit',
    'otherAsset',
    'otherLiability',
    'mortgage',
    'autoLoan',
    'studentLoan',
    'personalLoan',
    'medicalDebt',
    'otherDebt',
  ]),
  on_budget: yes,
  closed: yes,
  note: orNull,
  balance: milliunits,
  cleared_balance: milliunits,
  uncleared_balance: milliunits,
  transfer_payee_id: uuidOrNull,
  direct_import_linked: yes,
  direct_import_in_error: yes,
  last_reconciled_at: timestampOrNull,
  debt_original_balance: z.null(),
  debt_interest_rates: periodicValue,
  debt_minimum_payments: periodicValue,
  debt_escrow_amounts: periodicValue,
  deleted: yes,
});

export const CategoryGroup = z.strictObject({
  id: uuid,
  name: text,
  hidden: yes,
  deleted: yes,
});

export const Category = z.strictObject({
  id: uuid,
  category_group_id: uuid,
  category_group_name: text,
  name: text,
  hidden: yes,
  original_category_group_id: z.null(),
  note: orNull,
  budgeted: milliunits,
  activity: milliunits,
  balance: milliunits,
  goal_type: z.enum(['TB', 'TBD', 'MF', 'NEED', 'DEBT']).nullable(),
  goal_needs_whole_amount: yes.nullable(),
  goal_day: integerOrNull,
  goal_cadence: integerOrNull,
  goal_cadence_frequency: integerOrNull,
  goal_creation_month: month.nullable(),
  goal_target: integerOrNull,
  goal_target_month: dateOrNull,
  goal_percentage_complete: integerOrNull,
  goal_months_to_budget: integerOrNull,
  goal_under_funded: integerOrNull,
  goal_overall_funded: integerOrNull,
  goal_overall_left: integerOrNull,
  goal_snoozed_at: timestampOrNull,
  deleted: yes,
});

export const CategoryGroupWithCategories = CategoryGroup.extend({ categories: z.array(Category) });

export const Payee = z.strictObject({ id: uuid, name: text, transfer_account_id: uuidOrNull, deleted: yes });

export const PayeeLocation = z.strictObject({
  id: uuid,
  payee_id: uuid,
  latitude: text,
  longitude: text,
  deleted: yes,
});

export const MonthSummary = z.strictObject({
  month,
  note: orNull,
  income: milliunits,
  budgeted: milliunits,
  activity: milliunits,
  to_be_budgeted: milliunits,
  age_of_money: integerOrNull,
  deleted: yes,
});

export const MonthDetail = MonthSummary.extend({ categories: z.array(Category) });

export const TransactionSummary = z.strictObject({
  id: text,
  date,
  amount: milliunits,
  memo: orNull,
  cleared: z.enum(['cleared', 'uncleared', 'reconciled']),
  approved: yes,
  flag_color: flagColor,
  flag_name: orNull,
  account_id: uuid,
  payee_id: uuidOrNull,
  category_id: uuidOrNull,
  transfer_account_id: uuidOrNull,
  transfer_transaction_id: orNull,
  matched_transaction_id: orNull,
  import_id: orNull,
  import_payee_name: orNull,
  import_payee_name_original: orNull,
  debt_transaction_type: z
    .enum(['payment', 'refund', 'fee', 'interest', 'escrow', 'balanceAdjustment', 'credit', 'charge'])
    .nullable(),
  deleted: yes,
});

export const SubTransaction = z.strictObject({
  id: text,
  transaction_id: text,
  amount: milliunits,
  memo: orNull,
  payee_id: uuidOrNull,
  payee_name: orNull,
  category_id: uuidOrNull,
  category_name: orNull,
  transfer_account_id: uuidOrNull,
  transfer_transaction_id: orNull,
  deleted: yes,
});

export const TransactionDetail = TransactionSummary.extend({
  account_name: text,
  payee_name: orNull,
  category_name: orNull,
  subtransactions: z.array(SubTransaction),
});

export const HybridTransaction = TransactionSummary.extend({
  type: z.enum(['transaction', 'subtransaction']),
  parent_transaction_id: orNull,
  account_name: text,
  payee_name: orNull,
  /** Left out for a transfer, and never null (docs/interface.md, Transaction). */
  category_name: text.optional(),
});

export const ScheduledTransactionSummary = z.strictObject({
  id: uuid,
  date_first: date,
  date_next: date,
  frequency: z.enum([
    'never',
    'daily',
    'weekly',
    'everyOtherWeek',
    'twiceAMonth',
    'every4Weeks',
    'monthly',
    'everyOtherMonth',
    'every3Months',
    'every4Months',
    'twiceAYear',
    'yearly',
    'everyOtherYear',
  ]),
  amount: milliunits,
  memo: orNull,
  flag_color: flagColor,
  flag_name: orNull,
  account_id: uuid,
  payee_id: uuidOrNull,
  category_id: uuidOrNull,
  transfer_account_id: uuidOrNull,
  deleted: yes,
});

export const ScheduledSubTransaction = z.strictObject({
  id: uuid,
  scheduled_transaction_id: uuid,
  amount: milliunits,
  memo: orNull,
  payee_id: uuidOrNull,
  payee_name: orNull,
  category_id: uuidOrNull,
  category_name: orNull,
  transfer_account_id: uuidOrNull,
  deleted: yes,
});

export const ScheduledTransactionDetail = ScheduledTransactionSummary.extend({
  account_name: text,
  payee_name: orNull,
  category_name: orNull,
  subtransactions: z.array(ScheduledSubTransaction),
});

export const BudgetDetail = BudgetSummary.extend({
  accounts: z.array(Account),
  payees: z.array(Payee),
  payee_locations: z.array(PayeeLocation),
  category_groups: z.array(CategoryGroup),
  categories: z.array(Category),
  months: z.array(MonthDetail),
  transactions: z.array(TransactionSummary),
  subtransactions: z.array(SubTransaction),
  scheduled_transactions: z.array(ScheduledTransactionSummary),
  scheduled_subtransactions: z.array(ScheduledSubTransaction),
});
