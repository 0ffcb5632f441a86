/**
 * What a budget is made of, before anything is derived: the records that a person (or a schedule) enters. They are
 * immutable; a change puts a new record in the place of the old one. Balances, joined names and goal progress are
 * not here. Amounts are in milliunits.
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
  /** Linked to a bank, whose transactions can be imported. */
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
}

export type GoalType = NonNullable<Category['goal_type']>;

export interface Goal {
  readonly type: GoalType;
  readonly target: number;
  readonly creation_month: string;
  readonly target_month: string | null;
  /** NEED only: true asks for the full target in each period, false counts what was left over. */
  readonly needs_whole_amount: boolean | null;
  /** Weekly: 0 is Sunday. Otherwise the day of the month, null for its last day. */
  readonly day: number | null;
  /** 0 none, 1 monthly, 2 weekly, 3 to 12 every 2 to 11 months, 13 yearly, 14 every two years. */
  readonly cadence: number | null;
  readonly cadence_frequency: number | null;
  readonly snoozed_at: string | null;
}

/**
 * What a category is to the arithmetic: an `envelope` is filled by its owner, a `payment` category by spending on
 * its card, `uncategorized` gathers what has no category, and `inflow` is the money that waits to be assigned.
 */
export type CategoryRole =
  | { readonly kind: 'envelope' | 'uncategorized' | 'inflow' }
  | { readonly kind: 'payment'; readonly account_id: string };

export interface CategoryRecord {
  readonly id: string;
  /** The group it belongs to; while hidden it is served in `Hidden Categories`. */
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
  /** Empty unless it is a split. */
  readonly legs: readonly LegRecord[];
}

/** A transaction as a bank reports it, before it is imported. */
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

/** Loans and assets are tracked, not budgeted. */
export function isOnBudget({ type }: AccountRecord): boolean {
  return type === 'checking' || type === 'savings' || type === 'cash' || isCredit({ type });
}

/** Accounts whose spending is moved to a payment category, which is what the debt is paid from. */
export function isCredit({ type }: Pick<AccountRecord, 'type'>): boolean {
  return type === 'creditCard' || type === 'lineOfCredit';
}

/** Accounts whose money is there: of the budget, and not lent. */
export function isCash(account: AccountRecord): boolean {
  return isOnBudget(account) && !isCredit(account);
}

export function isLoan({ type }: Pick<AccountRecord, 'type'>): boolean {
  return ['mortgage', 'autoLoan', 'studentLoan', 'personalLoan', 'medicalDebt', 'otherDebt'].includes(type);
}
