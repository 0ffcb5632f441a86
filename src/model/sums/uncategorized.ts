/**
 * The lines of transactions that need a category: those on accounts of the budget that have none. Transfers within the
 * budget need none. In some versions of the service, such a line has the internal category `Uncategorized`.
 */
import type { Transaction } from '../replica/entities.ts';
import type { AccountIds } from './budget-accounts.ts';
import { type Line, linesOf } from './lines.ts';

const NONE: readonly never[] = [];

/** The lines of a transaction that need a category. `withoutMeaning` are the ids of `uncategorizedIds`. */
export function uncategorizedLines(
  transaction: Transaction,
  budgetAccounts: AccountIds,
  withoutMeaning: ReadonlySet<string>,
): readonly Line[] {
  const { account_id, category_id, subtransactions } = transaction;
  const isCategorized = category_id !== null && !withoutMeaning.has(category_id);
  // Most transactions end here. There may be a hundred thousand of them.
  if (!budgetAccounts.has(account_id) || (isCategorized && subtransactions.length === 0)) return NONE;
  return linesOf(transaction).filter(
    ({ category_id, transfer_account_id }) =>
      (category_id === null || withoutMeaning.has(category_id)) &&
      (transfer_account_id === null || !budgetAccounts.has(transfer_account_id)),
  );
}

/** How many transactions a person still has to do something about. A split counts once. */
export function countOpen(
  transactions: readonly Transaction[],
  budgetAccounts: AccountIds,
  withoutMeaning: ReadonlySet<string>,
) {
  let need_category = 0;
  let need_approval = 0;
  for (const transaction of transactions) {
    if (uncategorizedLines(transaction, budgetAccounts, withoutMeaning).length > 0) need_category += 1;
    if (!transaction.approved) need_approval += 1;
  }
  return { need_category, need_approval };
}
