/** The transactions that enter the missing rows of a bank's list. Pure. */
import type { Payee } from '../../model/replica/entities.ts';
import { type BankRow, type ListedTransaction, mergesWith } from './bank-list.ts';
import { importIdsOf } from './import-ids.ts';
import type { MarkedState } from './reconciliation.ts';

/** A transaction as `create_transactions` takes it. */
export interface BankEntry {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  readonly cleared: MarkedState;
  readonly payee_id?: string;
  readonly memo?: string;
  readonly import_id?: string;
}

export interface BankAccount {
  readonly account: { readonly id: string };
  /** All its transactions. */
  readonly transactions: readonly ListedTransaction[];
  readonly payees: readonly Pick<Payee, 'id' | 'name' | 'transfer_account_id' | 'deleted'>[];
}

/** The service's limit (docs/interface.md, Transaction). */
const MAX_MEMO = 500;

/**
 * Each row gets an import id, so that it is never entered twice. The exception is a row that the service would then merge
 * with a transaction that belongs to another row of the list. Such rows come last, because an import after them could be
 * merged with them. The text of a row is the payee if there is one of that name, and else the memo: a payee that is
 * created cannot be deleted.
 */
export function bankEntriesOf(
  rows: readonly BankRow[],
  { account, transactions, payees }: BankAccount,
  cleared: MarkedState,
): readonly BankEntry[] {
  const payeeIds = new Map(
    payees
      .filter((payee) => !payee.deleted && payee.transfer_account_id === null)
      .map((payee) => [nameKey(payee.name), payee.id]),
  );
  const isMerged = mergesWith(transactions);
  const imports = rows.filter((row) => !isMerged(row));
  const taken = new Set(transactions.flatMap(({ import_id }) => import_id ?? []));
  const importIds = importIdsOf(imports, taken);
  const entryOf = ({ date, amount, text = '' }: BankRow): BankEntry => {
    const payee_id = payeeIds.get(nameKey(text));
    const memo = [...text].slice(0, MAX_MEMO).join('');
    return {
      account_id: account.id,
      date,
      amount,
      cleared,
      ...(payee_id !== undefined && { payee_id }),
      ...(payee_id === undefined && memo !== '' && { memo }),
    };
  };
  return [
    ...imports.map((row, index) => {
      const import_id = importIds[index];
      return { ...entryOf(row), ...(import_id !== undefined && { import_id }) };
    }),
    ...rows.filter(isMerged).map(entryOf),
  ];
}

/** Equal for names that the service takes for the same payee (docs/interface.md, Transaction). */
const nameKey = (name: string) => name.trim().normalize().toLowerCase();
