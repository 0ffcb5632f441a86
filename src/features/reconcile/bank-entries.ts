/** The transactions that enter the missing rows of a bank's list. Pure. */
import type { Account } from '../../model/replica/entities.ts';
import { type BankRow, type ListedTransaction, mergesWith } from './bank-list.ts';
import type { KnownRow } from './known-payees.ts';
import type { MarkedState } from './reconciliation.ts';
import { memoOf } from './row-memo.ts';

/** A transaction as `create_transactions` takes it. */
export interface BankEntry extends KnownRow {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly cleared: MarkedState;
  readonly memo?: string;
  readonly import_id?: string;
}

export interface BankAccount {
  readonly account: { readonly id: string };
  readonly transactions: readonly ListedTransaction[];
  /** Import ids that it had before. The service may remember those of deleted transactions. */
  readonly usedImportIds?: readonly string[];
}

/** How many entries have a payee and a category, and how many a person has to look at. */
export function countKnown(entries: readonly KnownRow[], { on_budget }: Pick<Account, 'on_budget'>) {
  const with_payee = entries.filter((each) => (each.payee_id ?? each.payee_name) !== undefined).length;
  const with_category = entries.filter(({ category_id }) => category_id !== undefined).length;
  return { with_payee, with_category, need_look: entries.length - (on_budget ? with_category : with_payee) };
}

/** The names that no payee has. */
export const newPayeesIn = (entries: readonly KnownRow[]): readonly string[] => [
  ...new Set(entries.flatMap(({ payee_name }) => payee_name ?? [])),
];

/**
 * Each row gets an import id, so that it is never entered twice. The exception is a row that the service would then merge
 * with a transaction that belongs to another row of the list. Such rows come last, because an import after them could be
 * merged with them. Where no payee is known by the text of a row, the text is the memo: a payee that is created cannot be deleted.
 */
export function bankEntriesOf(
  rows: readonly BankRow[],
  { account, transactions, usedImportIds = [] }: BankAccount,
  cleared: MarkedState,
  known: (row: BankRow) => KnownRow,
): readonly BankEntry[] {
  const isMerged = mergesWith(transactions);
  const imports = rows.filter((row) => !isMerged(row));
  const newImportId = importIds([
    ...transactions.flatMap(({ import_id }) => import_id ?? []),
    ...usedImportIds,
  ]);
  const entryOf = (row: BankRow): BankEntry => {
    const { date, amount, text = '', memo: purpose = '', payee_id, payee_name } = row;
    const found = known(row);
    const isByText =
      (payee_id ?? payee_name) === undefined ? found.payee_id !== undefined : text === payee_name;
    const memo = isByText ? purpose : memoOf(text, purpose);
    return { account_id: account.id, date, amount, cleared, ...found, ...(memo !== '' && { memo }) };
  };
  return [
    ...imports.map((row) => ({ ...entryOf(row), import_id: newImportId(row) })),
    ...rows.filter(isMerged).map(entryOf),
  ];
}

/**
 * Returns a function that gives each row an id, with the lowest occurrence that is not taken. They have the form of the service's
 * own imports, so that a row that the bank or a file brings in later is recognised as the same (docs/interface.md, Transaction).
 */
function importIds(taken: readonly string[]): (row: BankRow) => string {
  const used = new Set(taken);
  /** By the start of an id: the occurrences below it are taken. */
  const next = new Map<string, number>();
  return ({ amount, date }) => {
    const start = `YNAB:${amount}:${date}:`;
    let occurrence = next.get(start) ?? 1;
    while (used.has(start + occurrence)) occurrence += 1;
    next.set(start, occurrence + 1);
    return start + occurrence;
  };
}
