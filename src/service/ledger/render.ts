/**
 * Converts records to responses: adds joined names and derived values. Pure functions. Every field is present, and
 * null where there is no value (docs/interface.md, Response wrapper).
 */
import type {
  Account,
  Category,
  MonthSummary,
  Payee,
  ScheduledSubTransaction,
  ScheduledTransactionDetail,
  SubTransaction,
  TransactionDetail,
} from '../resources.ts';
import { addMonths } from './calendar.ts';
import type { DerivedMonths } from './derived-months.ts';
import { goalFields } from './goals.ts';
import type { LedgerState } from './ledger-state.ts';
import {
  type AccountRecord,
  type CategoryRecord,
  isInternal,
  isOnBudget,
  type PayeeRecord,
  type ScheduledTransactionRecord,
  type TransactionRecord,
} from './records.ts';

/** An account with its balances in milliunits (docs/interface.md, Account). */
export function renderAccount(record: AccountRecord, state: LedgerState): Account {
  const { cleared, uncleared } = state.sums.account(record.id);
  return {
    id: record.id,
    name: record.name,
    type: record.type,
    on_budget: isOnBudget(record),
    closed: record.closed,
    note: record.note,
    balance: cleared + uncleared,
    cleared_balance: cleared,
    uncleared_balance: uncleared,
    transfer_payee_id: record.transfer_payee_id,
    direct_import_linked: record.direct_import_linked,
    direct_import_in_error: false,
    last_reconciled_at: record.last_reconciled_at,
    debt_original_balance: null,
    debt_interest_rates: record.debt_interest_rates,
    debt_minimum_payments: record.debt_minimum_payments,
    debt_escrow_amounts: record.debt_escrow_amounts,
    deleted: false,
  };
}

export function renderPayee({ id, name, transfer_account_id }: PayeeRecord): Payee {
  return { id, name, transfer_account_id, deleted: false };
}

/**
 * A category in a month (docs/interface.md, Category). Amounts and `smallestUnit`, the smallest unit of the
 * currency, are in milliunits.
 */
export function renderCategory(
  record: CategoryRecord,
  month: string,
  state: LedgerState,
  derived: DerivedMonths,
  smallestUnit: number,
): Category {
  const group = state.groups.get(record.hidden ? state.internal.hidden_group_id : record.group_id);
  const { budgeted, activity, balance } = derived.amounts(month, record);
  return {
    id: record.id,
    category_group_id: group?.id ?? record.group_id,
    category_group_name: group?.name ?? '',
    name: record.name,
    hidden: record.hidden || (group?.hidden ?? false),
    internal: isInternal(record),
    original_category_group_id: null,
    note: record.note,
    budgeted,
    activity,
    balance,
    ...goalFields(record.goal, {
      month,
      last_balance: derived.amounts(addMonths(month, -1), record).balance,
      budgeted,
      balance,
      smallest_unit: smallestUnit,
    }),
    deleted: false,
  };
}

/**
 * The summary of a month (docs/interface.md, Month). `to_be_budgeted` includes the rest of the months before. Totals
 * are in milliunits, and the age of money is in days.
 */
export function renderMonth(month: string, state: LedgerState, derived: DerivedMonths): MonthSummary {
  const totals = derived.totals(month);
  return {
    month,
    note: state.note(month),
    income: totals?.income ?? 0,
    budgeted: totals?.budgeted ?? 0,
    activity: totals?.activity ?? 0,
    to_be_budgeted: totals?.to_be_budgeted ?? 0,
    age_of_money: derived.ageOfMoney(month),
    deleted: false,
  };
}

/**
 * A transaction with joined names and its legs (docs/interface.md, Transaction). Amounts are in milliunits. A split
 * has the internal category `Split`, and each leg its own category.
 */
export function renderTransaction(record: TransactionRecord, state: LedgerState): TransactionDetail {
  const split = record.legs.length > 0;
  return {
    id: record.id,
    date: record.date,
    amount: record.amount,
    memo: record.memo,
    cleared: record.cleared,
    approved: record.approved,
    flag_color: record.flag_color,
    flag_name: state.flagName(record.flag_color),
    account_id: record.account_id,
    payee_id: record.payee_id,
    category_id: split ? state.internal.split_category_id : record.category_id,
    transfer_account_id: record.transfer_account_id,
    transfer_transaction_id: record.transfer_transaction_id,
    matched_transaction_id: record.matched_transaction_id,
    import_id: record.import_id,
    import_payee_name: record.import_payee_name,
    import_payee_name_original: record.import_payee_name_original,
    debt_transaction_type: record.debt_transaction_type,
    deleted: false,
    account_name: state.account(record.account_id)?.name ?? '',
    payee_name: payeeName(record.payee_id, state),
    category_name: split ? 'Split' : categoryName(record.category_id, state),
    subtransactions: record.legs.map(
      (leg): SubTransaction => ({
        id: leg.id,
        transaction_id: record.id,
        amount: leg.amount,
        memo: leg.memo,
        payee_id: leg.payee_id,
        payee_name: payeeName(leg.payee_id, state),
        category_id: leg.category_id,
        category_name: categoryName(leg.category_id, state),
        transfer_account_id: leg.transfer_account_id,
        transfer_transaction_id: leg.transfer_transaction_id,
        deleted: false,
      }),
    ),
  };
}

/** A scheduled transaction with joined names and its legs (docs/interface.md, Scheduled transaction). */
export function renderScheduled(
  record: ScheduledTransactionRecord,
  state: LedgerState,
): ScheduledTransactionDetail {
  const split = record.legs.length > 0;
  return {
    id: record.id,
    date_first: record.date_first,
    date_next: record.date_next,
    frequency: record.frequency,
    amount: record.amount,
    memo: record.memo,
    flag_color: record.flag_color,
    flag_name: state.flagName(record.flag_color),
    account_id: record.account_id,
    payee_id: record.payee_id,
    category_id: split ? state.internal.split_category_id : record.category_id,
    transfer_account_id: record.transfer_account_id,
    deleted: false,
    account_name: state.account(record.account_id)?.name ?? '',
    payee_name: payeeName(record.payee_id, state),
    category_name: split ? 'Split' : categoryName(record.category_id, state),
    subtransactions: record.legs.map(
      (leg): ScheduledSubTransaction => ({
        id: leg.id,
        scheduled_transaction_id: record.id,
        amount: leg.amount,
        memo: leg.memo,
        payee_id: leg.payee_id,
        payee_name: payeeName(leg.payee_id, state),
        category_id: leg.category_id,
        category_name: categoryName(leg.category_id, state),
        transfer_account_id: leg.transfer_account_id,
        deleted: false,
      }),
    ),
  };
}

function payeeName(id: string | null, state: LedgerState): string | null {
  return id === null ? null : (state.payees.get(id)?.name ?? null);
}

function categoryName(id: string | null, state: LedgerState): string | null {
  return id === null ? null : (state.categories.get(id)?.name ?? null);
}
