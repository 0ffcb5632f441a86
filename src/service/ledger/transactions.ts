/**
 * Changes to transactions. A transfer is one transaction in each of two accounts. A change to one side, or to a leg
 * that is a transfer, also creates, updates or deletes the other side. The input must be valid: accounts, payees and
 * categories exist, and legs add up.
 */
import type { LedgerState } from './ledger-state.ts';
import { transferAccountOf } from './payees.ts';
import { isTransferWithinBudget } from './postings.ts';
import { type AccountRecord, isLoan, isOnBudget, type LegRecord, type TransactionRecord } from './records.ts';

export interface LegInput {
  readonly id?: string;
  readonly amount: number;
  readonly memo?: string | null;
  /** With the transfer payee of an account, the leg is a transfer. */
  readonly payee_id?: string | null;
  readonly category_id?: string | null;
}

type OptionalFields = Omit<
  TransactionRecord,
  'id' | 'legs' | 'account_id' | 'date' | 'amount' | 'transfer_account_id' | 'transfer_transaction_id'
>;

/** The fields that can be set. The others are derived. Unapproved and uncleared by default. */
export interface TransactionInput extends Partial<OptionalFields> {
  readonly id?: string;
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly legs?: readonly LegInput[];
}

export type TransactionChange = Partial<Omit<TransactionInput, 'id'>>;

export function addTransaction(state: LedgerState, input: TransactionInput): TransactionRecord {
  return putWithTransfers(state, deriveFields(state, recordFrom(state, input)), undefined);
}

/**
 * `legs`, if present, replace the existing legs. The other side of a leg keeps its account, date, amount, payee and
 * category, because the split determines them.
 */
export function updateTransaction(state: LedgerState, id: string, change: TransactionChange): void {
  const before = state.transactions.get(id);
  if (before === undefined) return;
  const { legs, ...fields } = change;
  const updated = { ...before, ...fields, legs: legs ? legsFrom(state, legs) : before.legs };
  const fixedFields = splitOf(state, before) ? fieldsFixedBySplit(before) : {};
  putWithTransfers(state, deriveFields(state, { ...updated, ...fixedFields }), before);
}

/**
 * Also deletes the other sides of its transfers. If the transaction is the other side of a leg, the leg stays with
 * its amount.
 */
export function deleteTransaction(state: LedgerState, id: string): void {
  const record = state.transactions.get(id);
  if (record === undefined) return;
  const split = splitOf(state, record);
  if (split) {
    const legs = split.legs.map((leg) => (leg.transfer_transaction_id === id ? withoutTransfer(leg) : leg));
    state.putTransaction({ ...split, legs });
  } else {
    for (const side of otherSides(record)) state.removeTransaction(side);
  }
  state.removeTransaction(id);
}

function putWithTransfers(
  state: LedgerState,
  record: TransactionRecord,
  before: TransactionRecord | undefined,
): TransactionRecord {
  const currentSides = new Set(otherSides(record));
  if (before)
    for (const side of otherSides(before)) if (!currentSides.has(side)) state.removeTransaction(side);
  state.putTransaction(record);
  if (splitOf(state, record)) return record;
  const transfers = record.legs.length > 0 ? record.legs : [record];
  for (const transfer of transfers) putOtherSide(state, record, transfer);
  return record;
}

type Transfer = Pick<LegRecord, 'amount' | 'memo' | 'transfer_account_id' | 'transfer_transaction_id'>;

function putOtherSide(state: LedgerState, record: TransactionRecord, transfer: Transfer): void {
  const { transfer_account_id: accountId, transfer_transaction_id: id } = transfer;
  if (accountId === null || id === null) return;
  const before = state.transactions.get(id);
  const fields = {
    account_id: accountId,
    date: record.date,
    amount: 0 - transfer.amount, // not the -0 that negating 0 gives
    payee_id: state.account(record.account_id)?.transfer_payee_id ?? null,
  };
  const side = before
    ? { ...before, ...fields, legs: [] }
    : recordFrom(state, { ...fields, id, memo: transfer.memo, approved: record.approved });
  state.putTransaction(
    deriveFields(state, {
      ...side,
      transfer_account_id: record.account_id,
      transfer_transaction_id: record.id,
    }),
  );
}

/**
 * The fields are listed instead of spread, because objects of one shape are several times faster with a hundred
 * thousand of them.
 */
function recordFrom(state: LedgerState, input: TransactionInput): TransactionRecord {
  return {
    id: input.id ?? state.newId(),
    date: input.date,
    amount: input.amount,
    memo: input.memo ?? null,
    cleared: input.cleared ?? 'uncleared',
    approved: input.approved ?? false,
    flag_color: input.flag_color ?? null,
    account_id: input.account_id,
    payee_id: input.payee_id ?? null,
    category_id: input.category_id ?? null,
    transfer_account_id: null,
    transfer_transaction_id: null,
    matched_transaction_id: input.matched_transaction_id ?? null,
    import_id: input.import_id ?? null,
    import_payee_name: input.import_payee_name ?? null,
    import_payee_name_original: input.import_payee_name_original ?? null,
    debt_transaction_type: input.debt_transaction_type ?? null,
    legs: input.legs ? legsFrom(state, input.legs) : [],
  };
}

/** Sets the fields that depend on payee, account and legs: those of a transfer, and the category. */
function deriveFields(state: LedgerState, draft: TransactionRecord): TransactionRecord {
  const split = draft.legs.length > 0;
  const toAccount = transferAccountOf(state, draft.payee_id);
  const transfer_account_id = split ? null : toAccount;
  const account = state.account(draft.account_id);
  const sameTransfer = transfer_account_id !== null && draft.transfer_transaction_id !== null;
  const record = {
    ...draft,
    payee_id: split && toAccount !== null ? null : draft.payee_id,
    transfer_account_id,
    transfer_transaction_id:
      transfer_account_id === null ? null : sameTransfer ? draft.transfer_transaction_id : state.newId(),
    debt_transaction_type: debtTypeOf(draft, account, transfer_account_id),
  };
  const legs = draft.legs.map((leg) => ({ ...leg, category_id: categoryOf(state, record, leg) }));
  return { ...record, category_id: split ? null : categoryOf(state, record, record), legs };
}

/** A transfer to a loan account is a `payment`. Accounts other than loans have no type. */
function debtTypeOf(
  { debt_transaction_type: requested }: TransactionRecord,
  account: AccountRecord | undefined,
  transferAccountId: string | null,
): TransactionRecord['debt_transaction_type'] {
  if (account === undefined || !isLoan(account)) return null;
  if (transferAccountId !== null) return 'payment';
  return requested === 'payment' ? null : requested;
}

/** Tracking accounts, transfers within the budget and payment categories cannot have a category. A category that was removed stays. */
export function categoryOf(
  state: LedgerState,
  record: Pick<TransactionRecord, 'account_id'>,
  line: Pick<LegRecord, 'amount' | 'category_id' | 'transfer_account_id'>,
): string | null {
  const account = state.account(record.account_id);
  if (line.category_id === null || account === undefined || !isOnBudget(account)) return null;
  if (isTransferWithinBudget(state, line)) return null;
  const kind = state.role(line.category_id)?.kind;
  return kind === 'payment' || kind === 'uncategorized' ? null : line.category_id;
}

function legsFrom(state: LedgerState, legs: readonly LegInput[]): LegRecord[] {
  return legs.map((leg) => {
    const transfer_account_id = transferAccountOf(state, leg.payee_id);
    return {
      id: leg.id ?? state.newId(),
      amount: leg.amount,
      memo: leg.memo ?? null,
      payee_id: leg.payee_id ?? null,
      category_id: leg.category_id ?? null,
      transfer_account_id,
      transfer_transaction_id: transfer_account_id === null ? null : state.newId(),
    };
  });
}

function withoutTransfer(leg: LegRecord): LegRecord {
  return { ...leg, payee_id: null, transfer_account_id: null, transfer_transaction_id: null };
}

/** The split with a leg that this transaction is the other side of. */
export function splitOf(state: LedgerState, record: TransactionRecord): TransactionRecord | undefined {
  if (record.transfer_transaction_id === null) return undefined;
  const other = state.transactions.get(record.transfer_transaction_id);
  return other?.legs.some((leg) => leg.transfer_transaction_id === record.id) ? other : undefined;
}

function fieldsFixedBySplit(record: TransactionRecord): Partial<TransactionRecord> {
  const { account_id, date, amount, payee_id, transfer_account_id, transfer_transaction_id } = record;
  return { account_id, date, amount, payee_id, transfer_account_id, transfer_transaction_id, legs: [] };
}

function otherSides(record: TransactionRecord): string[] {
  return [record, ...record.legs].flatMap(({ transfer_transaction_id: id }) => (id === null ? [] : [id]));
}
