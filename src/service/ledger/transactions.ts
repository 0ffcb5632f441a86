/**
 * Changes to the register. A transfer is one transaction in each of two accounts: whatever is done to one side, or
 * to the leg of a split that is a transfer, the other side is made, kept in step or deleted with it. Input is valid
 * already: accounts, payees and categories exist, and legs add up.
 */
import type { LedgerState } from './ledger-state.ts';
import { transferAccountOf } from './payees.ts';
import { isTransferWithinBudget } from './postings.ts';
import { type AccountRecord, isLoan, isOnBudget, type LegRecord, type TransactionRecord } from './records.ts';

export interface LegInput {
  readonly id?: string;
  readonly amount: number;
  readonly memo?: string | null;
  /** The transfer payee of an account makes the leg a transfer. */
  readonly payee_id?: string | null;
  readonly category_id?: string | null;
}

type Own = Omit<
  TransactionRecord,
  'id' | 'legs' | 'account_id' | 'date' | 'amount' | 'transfer_account_id' | 'transfer_transaction_id'
>;

/** What may be said about a transaction; the rest follows from it. Unapproved and uncleared unless said. */
export interface TransactionInput extends Partial<Own> {
  readonly id?: string;
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly legs?: readonly LegInput[];
}

export type TransactionChange = Partial<Omit<TransactionInput, 'id'>>;

export function addTransaction(books: LedgerState, input: TransactionInput): TransactionRecord {
  return enter(books, completed(books, recordFrom(books, input)), undefined);
}

/**
 * Legs, when given, replace those there are. The other side of a leg keeps its account, date, amount, payee and
 * category, because these are the split's.
 */
export function updateTransaction(books: LedgerState, id: string, change: TransactionChange): void {
  const before = books.transactions.get(id);
  if (before === undefined) return;
  const { legs, ...own } = change;
  const merged = { ...before, ...own, legs: legs ? legsFrom(books, legs) : before.legs };
  const bound = splitOf(books, before) ? boundFields(before) : {};
  enter(books, completed(books, { ...merged, ...bound }), before);
}

/** Deletes the other sides of its transfers too. A split whose leg was the other side keeps the leg's amount. */
export function deleteTransaction(books: LedgerState, id: string): void {
  const record = books.transactions.get(id);
  if (record === undefined) return;
  const split = splitOf(books, record);
  if (split) {
    const legs = split.legs.map((leg) => (leg.transfer_transaction_id === id ? withoutTransfer(leg) : leg));
    books.putTransaction({ ...split, legs });
  } else {
    for (const side of otherSides(record)) books.removeTransaction(side);
  }
  books.removeTransaction(id);
}

function enter(
  books: LedgerState,
  record: TransactionRecord,
  before: TransactionRecord | undefined,
): TransactionRecord {
  const kept = new Set(otherSides(record));
  if (before) for (const side of otherSides(before)) if (!kept.has(side)) books.removeTransaction(side);
  books.putTransaction(record);
  if (splitOf(books, record)) return record;
  const transfers = record.legs.length > 0 ? record.legs : [record];
  for (const transfer of transfers) putOtherSide(books, record, transfer);
  return record;
}

type Transfer = Pick<LegRecord, 'amount' | 'memo' | 'transfer_account_id' | 'transfer_transaction_id'>;

function putOtherSide(books: LedgerState, record: TransactionRecord, transfer: Transfer): void {
  const { transfer_account_id: accountId, transfer_transaction_id: id } = transfer;
  if (accountId === null || id === null) return;
  const before = books.transactions.get(id);
  const mirrored = {
    account_id: accountId,
    date: record.date,
    amount: 0 - transfer.amount, // not the -0 that negating 0 gives
    payee_id: books.account(record.account_id)?.transfer_payee_id ?? null,
  };
  const side = before
    ? { ...before, ...mirrored, legs: [] }
    : recordFrom(books, { ...mirrored, id, memo: transfer.memo, approved: record.approved });
  books.putTransaction(
    completed(books, {
      ...side,
      transfer_account_id: record.account_id,
      transfer_transaction_id: record.id,
    }),
  );
}

/** Spelled out, not spread: with a hundred thousand of them, objects of one shape are several times faster. */
function recordFrom(books: LedgerState, input: TransactionInput): TransactionRecord {
  return {
    id: input.id ?? books.newId(),
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
    legs: input.legs ? legsFrom(books, input.legs) : [],
  };
}

/** What follows from the payee, the account and the legs: transfer or not, category or none. */
function completed(books: LedgerState, draft: TransactionRecord): TransactionRecord {
  const split = draft.legs.length > 0;
  const toAccount = transferAccountOf(books, draft.payee_id);
  const transfer_account_id = split ? null : toAccount;
  const account = books.account(draft.account_id);
  const sameTransfer = transfer_account_id !== null && draft.transfer_transaction_id !== null;
  const record = {
    ...draft,
    payee_id: split && toAccount !== null ? null : draft.payee_id,
    transfer_account_id,
    transfer_transaction_id:
      transfer_account_id === null ? null : sameTransfer ? draft.transfer_transaction_id : books.newId(),
    debt_transaction_type: debtTypeOf(draft, account, transfer_account_id),
  };
  const legs = draft.legs.map((leg) => ({ ...leg, category_id: categoryOf(books, record, leg) }));
  return { ...record, category_id: split ? null : categoryOf(books, record, record), legs };
}

/** On a loan, what is transferred to it is a payment; elsewhere there is no such type. */
function debtTypeOf(
  { debt_transaction_type: said }: TransactionRecord,
  account: AccountRecord | undefined,
  transferAccountId: string | null,
): TransactionRecord['debt_transaction_type'] {
  if (account === undefined || !isLoan(account)) return null;
  if (transferAccountId !== null) return 'payment';
  return said === 'payment' ? null : said;
}

/** Tracking accounts, transfers within the budget and payment categories have no category to be chosen. */
export function categoryOf(
  books: LedgerState,
  record: Pick<TransactionRecord, 'account_id'>,
  leaf: Pick<LegRecord, 'amount' | 'category_id' | 'transfer_account_id'>,
): string | null {
  const account = books.account(record.account_id);
  if (leaf.category_id === null || account === undefined || !isOnBudget(account)) return null;
  if (isTransferWithinBudget(books, leaf)) return null;
  const kind = books.role(leaf.category_id)?.kind;
  return kind === 'envelope' || kind === 'inflow' ? leaf.category_id : null;
}

function legsFrom(books: LedgerState, legs: readonly LegInput[]): LegRecord[] {
  return legs.map((leg) => {
    const transfer_account_id = transferAccountOf(books, leg.payee_id);
    return {
      id: leg.id ?? books.newId(),
      amount: leg.amount,
      memo: leg.memo ?? null,
      payee_id: leg.payee_id ?? null,
      category_id: leg.category_id ?? null,
      transfer_account_id,
      transfer_transaction_id: transfer_account_id === null ? null : books.newId(),
    };
  });
}

function withoutTransfer(leg: LegRecord): LegRecord {
  return { ...leg, payee_id: null, transfer_account_id: null, transfer_transaction_id: null };
}

/** The split whose leg this transaction is the other side of. */
export function splitOf(books: LedgerState, record: TransactionRecord): TransactionRecord | undefined {
  if (record.transfer_transaction_id === null) return undefined;
  const other = books.transactions.get(record.transfer_transaction_id);
  return other?.legs.some((leg) => leg.transfer_transaction_id === record.id) ? other : undefined;
}

function boundFields(record: TransactionRecord): Partial<TransactionRecord> {
  const { account_id, date, amount, payee_id, transfer_account_id, transfer_transaction_id } = record;
  return { account_id, date, amount, payee_id, transfer_account_id, transfer_transaction_id, legs: [] };
}

function otherSides(record: TransactionRecord): string[] {
  return [record, ...record.legs].flatMap(({ transfer_transaction_id: id }) => (id === null ? [] : [id]));
}
