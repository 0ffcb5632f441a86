/**
 * Which sums a transaction counts in, pure: the rules between the register and the envelopes. Tracking accounts
 * are not budgeted, so theirs count nowhere but in the account.
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
  /** `card` is the credit account it was spent on; undefined for cash. */
  | { readonly to: 'category'; readonly category_id: string; readonly card: string | undefined }
  /** The payment category of a card. */
  | { readonly to: 'payment'; readonly card: string }
);

export interface Chart {
  account(id: string): AccountRecord | undefined;
  role(categoryId: string): CategoryRole | undefined;
  readonly uncategorized_id: string;
}

/** What is counted: a transaction itself, or the legs of a split. */
export type Leaf = Pick<LegRecord, 'amount' | 'category_id' | 'transfer_account_id'>;

export function leavesOf(transaction: TransactionRecord): readonly Leaf[] {
  return transaction.legs.length > 0 ? transaction.legs : [transaction];
}

/** Money that stays inside the budget has no category. */
export function isTransferWithinBudget(chart: Chart, leaf: Leaf): boolean {
  const other = leaf.transfer_account_id === null ? undefined : chart.account(leaf.transfer_account_id);
  return other !== undefined && isOnBudget(other);
}

export function postingsOf(transaction: TransactionRecord, chart: Chart): Posting[] {
  const account = chart.account(transaction.account_id);
  if (account === undefined || !isOnBudget(account)) return [];
  const card = isCredit(account) ? account.id : undefined;
  const month = monthOf(transaction.date);
  return leavesOf(transaction).flatMap((leaf) => leafPostings(leaf, month, card, chart));
}

function leafPostings(leaf: Leaf, month: string, card: string | undefined, chart: Chart): Posting[] {
  const { amount } = leaf;
  if (isTransferWithinBudget(chart, leaf)) {
    return card === undefined ? [] : [{ to: 'payment', card, month, amount: -amount }];
  }
  const category_id = leaf.category_id ?? chart.uncategorized_id;
  if (chart.role(category_id)?.kind !== 'inflow') {
    return [{ to: 'category', category_id, card, month, amount }];
  }
  if (card === undefined) return [{ to: 'income', month, amount }];
  // Income on a card lowers the debt and so what is set aside for it; a card's opening debt is no negative income.
  return amount <= 0
    ? []
    : [
        { to: 'income', month, amount },
        { to: 'payment', card, month, amount: -amount },
      ];
}
