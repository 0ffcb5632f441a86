/** Changes to accounts. The input must be valid. Each function makes one change to the state. */
import type { AccountType } from '../resources.ts';
import type { LedgerState } from './ledger-state.ts';
import { type AccountRecord, isCredit, isOnBudget } from './records.ts';
import { addTransaction } from './transactions.ts';

export interface NewAccount {
  readonly name: string;
  readonly type: AccountType;
  /** The opening balance in milliunits; negative for a debt. */
  readonly balance: number;
  /** The date of the opening balance. Today by default. */
  readonly date?: string;
  readonly note?: string | null;
  readonly direct_import_linked?: boolean;
  readonly last_reconciled_at?: string | null;
  readonly debt_interest_rates?: Record<string, number>;
  readonly debt_minimum_payments?: Record<string, number>;
  readonly debt_escrow_amounts?: Record<string, number>;
}

export type AccountChange = Partial<Pick<AccountRecord, 'name' | 'note' | 'closed' | 'last_reconciled_at'>>;

/**
 * Creates an account with its transfer payee. A credit account also gets a payment category. A balance other than
 * zero is entered as a `Starting Balance` transaction.
 */
export function createAccount(state: LedgerState, account: NewAccount): AccountRecord {
  const id = state.newId();
  const transferPayee = { id: state.newId(), name: transferPayeeName(account.name), transfer_account_id: id };
  const record: AccountRecord = {
    id,
    name: account.name,
    type: account.type,
    closed: false,
    note: account.note ?? null,
    transfer_payee_id: transferPayee.id,
    direct_import_linked: account.direct_import_linked ?? false,
    last_reconciled_at: account.last_reconciled_at ?? null,
    debt_interest_rates: account.debt_interest_rates ?? null,
    debt_minimum_payments: account.debt_minimum_payments ?? null,
    debt_escrow_amounts: account.debt_escrow_amounts ?? null,
  };
  state.putPayee(transferPayee);
  state.putAccount(record);
  if (isCredit(record)) {
    state.putCategory({
      id: state.newId(),
      group_id: state.internal.payments_group_id,
      name: account.name,
      hidden: false,
      note: null,
      goal: null,
      role: { kind: 'payment', account_id: id },
    });
  }
  if (account.balance !== 0) {
    addTransaction(state, {
      account_id: id,
      date: account.date ?? state.today,
      amount: account.balance,
      payee_id: state.internal.starting_balance_payee_id,
      category_id: isOnBudget(record) ? state.internal.inflow_category_id : null,
      cleared: 'cleared',
      approved: true,
    });
  }
  return record;
}

/** A new name is also given to the account's transfer payee and payment category. */
export function updateAccount(state: LedgerState, id: string, change: AccountChange): void {
  const before = state.account(id);
  if (before === undefined) return;
  const record = { ...before, ...change };
  state.putAccount(record);
  if (record.name === before.name) return;
  const payee = state.payees.get(record.transfer_payee_id);
  if (payee) state.putPayee({ ...payee, name: transferPayeeName(record.name) });
  const category = state.paymentCategory(id);
  if (category) state.putCategory({ ...category, name: record.name });
}

function transferPayeeName(accountName: string): string {
  return `Transfer : ${accountName}`;
}
