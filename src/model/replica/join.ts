/**
 * Converts between the flat rows of an export and the rows of transaction lists: names, legs, hybrid rows; and divides an
 * export into parts of a limited size, so that writing and reading a large budget never blocks for long. Pure
 * functions. Fields are listed instead of spread, because a budget may have a hundred thousand transactions and
 * spreading is slow.
 */
import { noRows } from '../../base/schema/budget.ts';
import type { Gap } from '../../base/schema/gap.ts';
import type {
  Collections,
  Export,
  HybridTransaction,
  ScheduledSubtransaction,
  ScheduledTransaction,
  ScheduledTransactionSummary,
  Subtransaction,
  Transaction,
  TransactionSummary,
} from './entities.ts';
import type { Names } from './names.ts';

const NO_LEGS: readonly never[] = Object.freeze([]);

/**
 * A transaction with names and legs, as in a list. A split has the category name `Split`. Its own category is
 * internal and in no table. Ids are copied from the referenced rows, so that equal ids share one string in memory.
 */
export function joinTransaction(
  row: TransactionSummary,
  legs: readonly Subtransaction[],
  names: Names,
): Transaction {
  const account = names.account(row.account_id);
  const payee = row.payee_id === null ? null : names.payee(row.payee_id);
  const isSplit = legs.length > 0;
  const category = row.category_id === null || isSplit ? null : names.category(row.category_id);
  return {
    id: row.id,
    date: row.date,
    amount: row.amount,
    memo: row.memo,
    cleared: row.cleared,
    approved: row.approved,
    flag_color: row.flag_color,
    flag_name: row.flag_name,
    account_id: account.id,
    payee_id: payee === null ? null : payee.id,
    category_id: category === null ? row.category_id : category.id,
    transfer_account_id: transferAccountOf(row, names),
    transfer_transaction_id: row.transfer_transaction_id,
    matched_transaction_id: row.matched_transaction_id,
    import_id: row.import_id,
    import_payee_name: row.import_payee_name,
    import_payee_name_original: row.import_payee_name_original,
    debt_transaction_type: row.debt_transaction_type,
    deleted: false,
    account_name: account.name,
    payee_name: payee === null ? null : payee.name,
    category_name: isSplit ? 'Split' : category === null ? null : category.name,
    subtransactions: isSplit ? legs.map((leg) => withNames(leg, names)) : NO_LEGS,
  };
}

/** Like `joinTransaction`, for a scheduled transaction. */
export function joinScheduledTransaction(
  row: ScheduledTransactionSummary,
  legs: readonly ScheduledSubtransaction[],
  names: Names,
): ScheduledTransaction {
  const account = names.account(row.account_id);
  const isSplit = legs.length > 0;
  transferAccountOf(row, names);
  // The names of payee and category follow the same rule as those of a leg.
  const { payee_name, category_name } = withNames(isSplit ? { ...row, category_id: null } : row, names);
  return {
    ...row,
    account_name: account.name,
    payee_name,
    category_name: isSplit ? 'Split' : category_name,
    subtransactions: legs.map((leg) => withNames(leg, names)),
  };
}

interface TransactionOrLeg {
  readonly payee_id: string | null;
  readonly category_id: string | null;
  readonly transfer_account_id: string | null;
}

/** A transaction or a leg with the names of its payee and category. */
export function withNames<Row extends TransactionOrLeg>(row: Row, names: Names) {
  const { payee_id, category_id } = row;
  transferAccountOf(row, names);
  return {
    ...row,
    payee_name: payee_id === null ? null : names.payee(payee_id).name,
    category_name: category_id === null ? null : names.category(category_id).name,
  };
}

function transferAccountOf({ transfer_account_id: id }: TransactionOrLeg, names: Names): string | null {
  return id === null ? null : names.account(id).id;
}

/** A transaction as in an export, without names and legs. `share` may return another string with the same text. */
function toSummary(row: TransactionSummary, share = (text: string) => text): TransactionSummary {
  const { payee_id, category_id, transfer_account_id } = row;
  return {
    id: row.id,
    date: share(row.date),
    amount: row.amount,
    memo: row.memo && share(row.memo),
    cleared: row.cleared,
    approved: row.approved,
    flag_color: row.flag_color,
    flag_name: row.flag_name,
    account_id: share(row.account_id),
    payee_id: payee_id && share(payee_id),
    category_id: category_id && share(category_id),
    transfer_account_id: transfer_account_id && share(transfer_account_id),
    transfer_transaction_id: row.transfer_transaction_id,
    matched_transaction_id: row.matched_transaction_id,
    import_id: row.import_id,
    import_payee_name: row.import_payee_name,
    import_payee_name_original: row.import_payee_name_original,
    debt_transaction_type: row.debt_transaction_type,
    deleted: row.deleted,
  };
}

/** Returns a function that copies transactions of an export, so that equal days, memos and ids in all of them share one string. */
export function sharingTexts(): (row: TransactionSummary) => TransactionSummary {
  const texts = new Map<string, string>();
  const share = (text: string) => {
    const shared = texts.get(text);
    if (shared === undefined) texts.set(text, text);
    return shared ?? text;
  };
  return (row) => toSummary(row, share);
}

/** One row, or one for each leg. A split itself is not a row, so the amounts add up to the amount spent. */
export function toHybridRows(row: Transaction): HybridTransaction[] {
  const legs = row.subtransactions;
  return legs.length === 0 ? [toHybridRow(row)] : legs.map((leg) => toHybridRow(row, leg));
}

/** A leg without a payee gets the payee of its transaction. */
function toHybridRow(row: Transaction, leg?: Subtransaction): HybridTransaction {
  const line = leg ?? row;
  return {
    id: line.id,
    date: row.date,
    amount: line.amount,
    memo: line.memo,
    cleared: row.cleared,
    approved: row.approved,
    flag_color: row.flag_color,
    flag_name: row.flag_name,
    account_id: row.account_id,
    payee_id: line.payee_id ?? row.payee_id,
    category_id: line.category_id,
    transfer_account_id: line.transfer_account_id,
    transfer_transaction_id: line.transfer_transaction_id,
    matched_transaction_id: row.matched_transaction_id,
    import_id: row.import_id,
    import_payee_name: row.import_payee_name,
    import_payee_name_original: row.import_payee_name_original,
    debt_transaction_type: row.debt_transaction_type,
    deleted: false,
    type: leg === undefined ? 'transaction' : 'subtransaction',
    parent_transaction_id: leg === undefined ? null : row.id,
    account_name: row.account_name,
    payee_name: line.payee_id === null ? row.payee_name : line.payee_name,
    category_name: line.category_name,
  };
}

/** A month has a row for each category. */
const MONTHS_IN_PART = 12;
const ROWS_IN_PART = 1_000;

export type WithoutTransactions = Omit<Export['budget'], 'transactions' | 'subtransactions'>;

/** Each part is an export with some of the rows. The last one has the small collections, and legs without their transaction. */
export function* exportInParts(
  budget: WithoutTransactions,
  transactions: readonly Transaction[],
  { orphans, gaps }: { readonly orphans: readonly Subtransaction[]; readonly gaps: readonly Gap[] },
  server_knowledge: number,
): Generator<Export> {
  const part = (rows: Partial<Collections>): Export => ({
    budget: { ...budget, ...noRows, ...rows },
    server_knowledge,
  });
  for (const months of slicesOf(budget.months, MONTHS_IN_PART)) yield part({ months });
  for (const rows of slicesOf(transactions, ROWS_IN_PART)) yield part(flatRows(rows));
  const last = part({ ...budget, months: [], transactions: [], subtransactions: orphans });
  yield gaps.length > 0 ? { ...last, gaps } : last;
}

/** Transactions as in an export, without names, and their legs. */
export const flatRows = (rows: readonly Transaction[]) => ({
  transactions: rows.map((row) => toSummary(row)),
  subtransactions: rows.flatMap(({ subtransactions }) => subtransactions),
});

/** The export of which these are the parts, in their order. Undefined if there is none. */
export function exportOfParts(parts: readonly Export[]): Export | undefined {
  const last = parts.at(-1);
  if (!last) return undefined;
  const budget = {
    ...last.budget,
    months: parts.flatMap(({ budget }) => budget.months),
    transactions: parts.flatMap(({ budget }) => budget.transactions),
    subtransactions: parts.flatMap(({ budget }) => budget.subtransactions),
  };
  return { ...last, budget };
}

function* slicesOf<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
