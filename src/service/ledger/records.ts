/**
 * The stored records of a budget. Balances, joined names and goal progress are derived elsewhere. Records are
 * immutable: a change replaces the record. Amounts are in milliunits.
 */
import type {
  AccountType,
  Category,
  ScheduledTransactionFrequency,
  TransactionClearedStatus,
  TransactionFlagColor,
  TransactionSummary,
} from '../resources.ts';

export interface AccountRecord {
  readonly id: string;
  readonly name: string;
  readonly type: AccountType;
  readonly closed: boolean;
  readonly note: string | null;
  readonly transfer_payee_id: string;
  /** Linked to a bank whose transactions can be imported. */
  readonly direct_import_linked: boolean;
  readonly last_reconciled_at: string | null;
  readonly debt_interest_rates: Record<string, number> | null;
  readonly debt_minimum_payments: Record<string, number> | null;
  readonly debt_escrow_amounts: Record<string, number> | null;
}

export interface GroupRecord {
  readonly id: string;
  readonly name: string;
  readonly hidden: boolean;
  /** Whether it is a group of the service itself. */
  readonly internal: boolean;
}

export type GoalType = NonNullable<Category['goal_type']>;

export interface Goal {
  readonly type: GoalType;
  readonly target: number;
  readonly creation_month: string;
  readonly target_date: string | null;
  /** For NEED only. True requires the full target in each period, false counts the balance that is left. */
  readonly needs_whole_amount: boolean | null;
  /** For a weekly goal the weekday, where 0 is Sunday. Otherwise the day of the month, or null for its last day. */
  readonly day: number | null;
  /** 0 none, 1 monthly, 2 weekly, 3 to 12 every 2 to 11 months, 13 yearly, 14 every two years. */
  readonly cadence: number | null;
  readonly cadence_frequency: number | null;
  readonly snoozed_at: string | null;
}

/**
 * The role of a category. The user budgets an `envelope`. Spending on a card funds its `payment` category.
 * `uncategorized` collects transactions without a category. `inflow` is the money that is not assigned yet.
 */
export type CategoryRole =
  | { readonly kind: 'envelope' | 'uncategorized' | 'inflow' }
  | { readonly kind: 'payment'; readonly account_id: string };

export interface CategoryRecord {
  readonly id: string;
  /** The group of the category. A hidden category is shown in `Hidden Categories` instead. */
  readonly group_id: string;
  readonly name: string;
  readonly hidden: boolean;
  readonly note: string | null;
  readonly goal: Goal | null;
  readonly role: CategoryRole;
}

export interface PayeeRecord {
  readonly id: string;
  readonly name: string;
  readonly transfer_account_id: string | null;
}

export interface PayeeLocationRecord {
  readonly id: string;
  readonly payee_id: string;
  readonly latitude: string;
  readonly longitude: string;
}

/** One part of a split. */
export interface LegRecord {
  readonly id: string;
  readonly amount: number;
  readonly memo: string | null;
  readonly payee_id: string | null;
  readonly category_id: string | null;
  readonly transfer_account_id: string | null;
  readonly transfer_transaction_id: string | null;
}

export interface TransactionRecord {
  readonly id: string;
  readonly date: string;
  readonly amount: number;
  readonly memo: string | null;
  readonly cleared: TransactionClearedStatus;
  readonly approved: boolean;
  readonly flag_color: TransactionFlagColor | null;
  readonly account_id: string;
  readonly payee_id: string | null;
  readonly category_id: string | null;
  readonly transfer_account_id: string | null;
  readonly transfer_transaction_id: string | null;
  readonly matched_transaction_id: string | null;
  readonly import_id: string | null;
  readonly import_payee_name: string | null;
  readonly import_payee_name_original: string | null;
  readonly debt_transaction_type: TransactionSummary['debt_transaction_type'];
  /** Empty for an unsplit transaction. */
  readonly legs: readonly LegRecord[];
}

/** A transaction reported by a bank, before it is imported. */
export interface BankTransactionRecord {
  readonly id: string;
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly payee_name: string;
  /** `YNAB:<milliunits>:<date>:<occurrence>` */
  readonly import_id: string;
}

export type ScheduledLegRecord = Omit<LegRecord, 'transfer_transaction_id'>;

export interface ScheduledTransactionRecord {
  readonly id: string;
  readonly date_first: string;
  readonly date_next: string;
  readonly frequency: ScheduledTransactionFrequency;
  readonly amount: number;
  readonly memo: string | null;
  readonly flag_color: TransactionFlagColor | null;
  readonly account_id: string;
  readonly payee_id: string | null;
  readonly category_id: string | null;
  readonly transfer_account_id: string | null;
  readonly legs: readonly ScheduledLegRecord[];
}

/** Money that moved in a month. A category of null is Ready to Assign. */
export interface MoneyMovementRecord {
  readonly id: string;
  readonly month: string;
  /** Null where the time is not known. */
  readonly moved_at: string | null;
  readonly group_id: string | null;
  readonly user_id: string | null;
  readonly from_category_id: string | null;
  readonly to_category_id: string | null;
  /** Positive. */
  readonly amount: number;
}

/** Movements that were made in one step. */
export interface MoneyMovementGroupRecord {
  readonly id: string;
  readonly created_at: string;
  readonly month: string;
  readonly note: string | null;
  readonly user_id: string | null;
}

/** A category of the service itself, which cannot be budgeted. The user budgets payment categories. */
export function isInternal({ role }: Pick<CategoryRecord, 'role'>): boolean {
  return role.kind === 'inflow' || role.kind === 'uncategorized';
}

/** Loans and assets are tracking accounts and not part of the budget. */
export function isOnBudget({ type }: AccountRecord): boolean {
  return type === 'checking' || type === 'savings' || type === 'cash' || isCredit({ type });
}

/** Accounts with a payment category. Spending on them moves money to it, and the debt is paid from it. */
export function isCredit({ type }: Pick<AccountRecord, 'type'>): boolean {
  return type === 'creditCard' || type === 'lineOfCredit';
}

/** Budget accounts that hold money, not debt. */
export function isCash(account: AccountRecord): boolean {
  return isOnBudget(account) && !isCredit(account);
}

export function isLoan({ type }: Pick<AccountRecord, 'type'>): boolean {
  return ['mortgage', 'autoLoan', 'studentLoan', 'personalLoan', 'medicalDebt', 'otherDebt'].includes(type);
}
