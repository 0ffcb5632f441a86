/** Changes to accounts. Input is valid already; each function is one change to the books. */
import type { AccountType } from '../resources.ts';
import type { LedgerState } from './ledger-state.ts';
import { type AccountRecord, isCredit, isOnBudget } from './records.ts';
import { addTransaction } from './transactions.ts';

export interface NewAccount {
  readonly name: string;
  readonly type: AccountType;
  /** The opening balance in milliunits; negative for a debt. */
  readonly balance: number;
  /** Of the opening balance; today if left out. */
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
 * An account comes with a payee for transfers to it, a payment category if it is a credit account, and a
 * `Starting Balance` unless that is zero.
 */
export function createAccount(books: LedgerState, account: NewAccount): AccountRecord {
  const id = books.newId();
  const transferPayee = { id: books.newId(), name: transferName(account.name), transfer_account_id: id };
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
  books.putPayee(transferPayee);
  books.putAccount(record);
  if (isCredit(record)) {
    books.putCategory({
      id: books.newId(),
      group_id: books.internal.payments_group_id,
      name: account.name,
      hidden: false,
      note: null,
      goal: null,
      role: { kind: 'payment', account_id: id },
    });
  }
  if (account.balance !== 0) {
    addTransaction(books, {
      account_id: id,
      date: account.date ?? books.today,
      amount: account.balance,
      payee_id: books.internal.starting_balance_payee_id,
      category_id: isOnBudget(record) ? books.internal.inflow_category_id : null,
      cleared: 'cleared',
      approved: true,
    });
  }
  return record;
}

/** A new name is also that of the account's transfer payee and payment category. */
export function updateAccount(books: LedgerState, id: string, change: AccountChange): void {
  const before = books.account(id);
  if (before === undefined) return;
  const record = { ...before, ...change };
  books.putAccount(record);
  if (record.name === before.name) return;
  const payee = books.payees.get(record.transfer_payee_id);
  if (payee) books.putPayee({ ...payee, name: transferName(record.name) });
  const category = books.paymentCategory(id);
  if (category) books.putCategory({ ...category, name: record.name });
}

function transferName(accountName: string): string {
  return `Transfer : ${accountName}`;
}
