/**
 * The resources of the budgeting service as JSON (version 1.86). Names, order and nulls of the fields are the
 * service's. Amounts are integers in milliunits, dates are `YYYY-MM-DD` in UTC, timestamps are ISO 8601 with `Z`.
 */

export type AccountType =
  | 'checking'
  | 'savings'
  | 'cash'
  | 'creditCard'
  | 'lineOfCredit'
  | 'otherAsset'
  | 'otherLiability'
  | 'mortgage'
  | 'autoLoan'
  | 'studentLoan'
  | 'personalLoan'
  | 'medicalDebt'
  | 'otherDebt';

export type TransactionClearedStatus = 'cleared' | 'uncleared' | 'reconciled';

export type TransactionFlagColor = 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | '';

export const scheduledFrequencies = [
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
] as const;

export type ScheduledTransactionFrequency = (typeof scheduledFrequencies)[number];

export interface User {
  id: string;
}

export interface DateFormat {
  format: string;
}

export interface CurrencyFormat {
  iso_code: string;
  example_format: string;
  decimal_digits: number;
  decimal_separator: string;
  symbol_first: boolean;
  group_separator: string;
  currency_symbol: string;
  display_symbol: boolean;
}

export interface BudgetSettings {
  date_format: DateFormat | null;
  currency_format: CurrencyFormat | null;
}

/** The fields of the settings come after these fields and before the accounts. */
export interface BudgetSummary extends BudgetSettings {
  id: string;
  name: string;
  last_modified_on: string;
  first_month: string;
  last_month: string;
  /** Only with `include_accounts=true`. */
  accounts?: Account[];
}

export interface BudgetDetail extends BudgetSummary {
  accounts: Account[];
  payees: Payee[];
  payee_locations: PayeeLocation[];
  category_groups: CategoryGroup[];
  categories: Category[];
  months: MonthDetail[];
  transactions: TransactionSummary[];
  subtransactions: SubTransaction[];
  scheduled_transactions: ScheduledTransactionSummary[];
  scheduled_subtransactions: ScheduledSubTransaction[];
}

export interface Account {
  id: string;
  name: string;
  type: AccountType;
  on_budget: boolean;
  closed: boolean;
  note: string | null;
  balance: number;
  cleared_balance: number;
  uncleared_balance: number;
  transfer_payee_id: string | null;
  direct_import_linked: boolean;
  direct_import_in_error: boolean;
  last_reconciled_at: string | null;
  debt_original_balance: null;
  debt_interest_rates: Record<string, number> | null;
  debt_minimum_payments: Record<string, number> | null;
  debt_escrow_amounts: Record<string, number> | null;
  deleted: boolean;
}

export interface CategoryGroupWithCategories extends CategoryGroup {
  categories: Category[];
}

export interface CategoryGroup {
  id: string;
  name: string;
  hidden: boolean;
  /** Whether it is a group of the service itself. */
  internal: boolean;
  deleted: boolean;
}

export interface Category {
  id: string;
  category_group_id: string;
  category_group_name: string;
  name: string;
  hidden: boolean;
  /** Whether it is a category of the service itself. */
  internal: boolean;
  original_category_group_id: null;
  note: string | null;
  budgeted: number;
  activity: number;
  balance: number;
  goal_type: 'TB' | 'TBD' | 'MF' | 'NEED' | 'DEBT' | null;
  goal_needs_whole_amount: boolean | null;
  goal_day: number | null;
  goal_cadence: number | null;
  goal_cadence_frequency: number | null;
  goal_creation_month: string | null;
  goal_target: number | null;
  /** The month of `goal_target_date`, as its first day. */
  goal_target_month: string | null;
  goal_target_date: string | null;
  goal_percentage_complete: number | null;
  goal_months_to_budget: number | null;
  goal_under_funded: number | null;
  goal_overall_funded: number | null;
  goal_overall_left: number | null;
  goal_snoozed_at: string | null;
  deleted: boolean;
}

/** Money that moved between two categories in a month. A category of null is Ready to Assign. */
export interface MoneyMovement {
  id: string;
  month: string | null;
  moved_at: string | null;
  note: string | null;
  money_movement_group_id: string | null;
  performed_by_user_id: string | null;
  from_category_id: string | null;
  to_category_id: string | null;
  /** Always positive. */
  amount: number;
}

/** Movements that were made in one step. */
export interface MoneyMovementGroup {
  id: string;
  group_created_at: string;
  month: string;
  note: string | null;
  performed_by_user_id: string | null;
}

export interface Payee {
  id: string;
  name: string;
  transfer_account_id: string | null;
  deleted: boolean;
}

export interface PayeeLocation {
  id: string;
  payee_id: string;
  latitude: string;
  longitude: string;
  deleted: boolean;
}

export interface TransactionSummary {
  id: string;
  date: string;
  amount: number;
  memo: string | null;
  cleared: TransactionClearedStatus;
  approved: boolean;
  flag_color: TransactionFlagColor | null;
  flag_name: string | null;
  account_id: string;
  payee_id: string | null;
  category_id: string | null;
  transfer_account_id: string | null;
  transfer_transaction_id: string | null;
  matched_transaction_id: string | null;
  import_id: string | null;
  import_payee_name: string | null;
  import_payee_name_original: string | null;
  debt_transaction_type:
    | 'payment'
    | 'refund'
    | 'fee'
    | 'interest'
    | 'escrow'
    | 'balanceAdjustment'
    | 'credit'
    | 'charge'
    | null;
  deleted: boolean;
}

export interface TransactionDetail extends TransactionSummary {
  account_name: string;
  payee_name: string | null;
  category_name: string | null;
  subtransactions: SubTransaction[];
}

export interface HybridTransaction extends TransactionSummary {
  type: 'transaction' | 'subtransaction';
  parent_transaction_id: string | null;
  account_name: string;
  payee_name: string | null;
  /** Left out without a category: it may be missing and must not be null (docs/interface.md, Transaction). */
  category_name: string | undefined;
}

/** What the parts of both kinds of splits have. */
interface SplitPart {
  id: string;
  amount: number;
  memo: string | null;
  payee_id: string | null;
  payee_name: string | null;
  category_id: string | null;
  category_name: string | null;
  transfer_account_id: string | null;
  deleted: boolean;
}

export interface SubTransaction extends SplitPart {
  transaction_id: string;
  transfer_transaction_id: string | null;
}

export interface ScheduledTransactionSummary {
  id: string;
  date_first: string;
  date_next: string;
  frequency: ScheduledTransactionFrequency;
  amount: number;
  memo: string | null;
  flag_color: TransactionFlagColor | null;
  flag_name: string | null;
  account_id: string;
  payee_id: string | null;
  category_id: string | null;
  transfer_account_id: string | null;
  deleted: boolean;
}

export interface ScheduledTransactionDetail extends ScheduledTransactionSummary {
  account_name: string;
  payee_name: string | null;
  category_name: string | null;
  subtransactions: ScheduledSubTransaction[];
}

export interface ScheduledSubTransaction extends SplitPart {
  scheduled_transaction_id: string;
}

export interface MonthSummary {
  month: string;
  note: string | null;
  income: number;
  budgeted: number;
  activity: number;
  to_be_budgeted: number;
  age_of_money: number | null;
  deleted: boolean;
}

export interface MonthDetail extends MonthSummary {
  categories: Category[];
}
