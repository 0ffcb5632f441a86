/**
 * The lines of transactions that need a category: those on accounts of the budget that have none. Transfers within the
 * budget need none. In some versions of the service, such a line has the internal category `Uncategorized`.
 */
import type { BudgetRows } from '../replica/budget-replica.ts';
import type { Transaction } from '../replica/entities.ts';
import { budgetAccountsOf } from './budget-accounts.ts';
import { uncategorizedIds } from './category-kinds.ts';
import { type Line, linesOf } from './lines.ts';

const NONE: readonly never[] = [];

/** Returns a function that finds the lines of a transaction that need a category. */
export function uncategorizedLinesIn(budget: BudgetRows): (transaction: Transaction) => readonly Line[] {
  const budgetAccounts = budgetAccountsOf(budget.accounts.list());
  const withoutMeaning = uncategorizedIds(budget);
  const hasCategory = ({ category_id }: Line) => category_id !== null && !withoutMeaning.has(category_id);
  return (transaction) => {
    const isSplit = transaction.subtransactions.length > 0;
    // Most transactions end here. There may be a hundred thousand of them.
    if (!budgetAccounts.has(transaction.account_id) || (!isSplit && hasCategory(transaction))) return NONE;
    return linesOf(transaction).filter((line) => !hasCategory(line) && !budgetAccounts.isWithin(line));
  };
}

/** How many transactions a person still has to do something about. A split counts once. */
export function countOpen(transactions: readonly Transaction[], budget: BudgetRows) {
  const uncategorizedLines = uncategorizedLinesIn(budget);
  let need_category = 0;
  let need_approval = 0;
  for (const transaction of transactions) {
    if (uncategorizedLines(transaction).length > 0) need_category += 1;
    if (!transaction.approved) need_approval += 1;
  }
  return { need_category, need_approval };
}
