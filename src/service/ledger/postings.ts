/**
 * The sums that a transaction counts in. Pure functions. Tracking accounts are not budgeted, so their transactions
 * count in the account only.
 */
import { monthOf } from './calendar.ts';
import {
  type AccountRecord,
  type CategoryRole,
  isCredit,
  isOnBudget,
  type LegRecord,
  type TransactionRecord,
} from './records.ts';

/** Amounts in milliunits. */
export type Posting = { readonly month: string; readonly amount: number } & (
  | { readonly to: 'income' }
  /** `card` is the credit account that paid. Undefined for cash. */
  | { readonly to: 'category'; readonly category_id: string; readonly card: string | undefined }
  /** The payment category of a card. */
  | { readonly to: 'payment'; readonly card: string }
);

export interface ChartOfAccounts {
  account(id: string): AccountRecord | undefined;
  role(categoryId: string): CategoryRole | undefined;
  readonly uncategorized_id: string;
}

/** A part of a transaction that is counted separately: an unsplit transaction, or a leg of a split. */
export type TransactionLine = Pick<LegRecord, 'amount' | 'category_id' | 'transfer_account_id'>;

export function linesOf(transaction: TransactionRecord): readonly TransactionLine[] {
  return transaction.legs.length > 0 ? transaction.legs : [transaction];
}

/** Money that stays inside the budget has no category. */
export function isTransferWithinBudget(chart: ChartOfAccounts, line: TransactionLine): boolean {
  const other = line.transfer_account_id === null ? undefined : chart.account(line.transfer_account_id);
  return other !== undefined && isOnBudget(other);
}

export function postingsOf(transaction: TransactionRecord, chart: ChartOfAccounts): Posting[] {
  const account = chart.account(transaction.account_id);
  if (account === undefined || !isOnBudget(account)) return [];
  const card = isCredit(account) ? account.id : undefined;
  const month = monthOf(transaction.date);
  return linesOf(transaction).flatMap((line) => linePostings(line, month, card, chart));
}

function linePostings(
  line: TransactionLine,
  month: string,
  card: string | undefined,
  chart: ChartOfAccounts,
): Posting[] {
  const { amount } = line;
  if (isTransferWithinBudget(chart, line)) {
    return card === undefined ? [] : [{ to: 'payment', card, month, amount: -amount }];
  }
  const category_id = line.category_id ?? chart.uncategorized_id;
  if (chart.role(category_id)?.kind !== 'inflow') {
    return [{ to: 'category', category_id, card, month, amount }];
  }
  if (card === undefined) return [{ to: 'income', month, amount }];
  // Income on a card lowers the debt, and with it the money set aside for the card. The opening debt of a card is
  // not negative income.
  return amount <= 0
    ? []
    : [
        { to: 'income', month, amount },
        { to: 'payment', card, month, amount: -amount },
      ];
}
