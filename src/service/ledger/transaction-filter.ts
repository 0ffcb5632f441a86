/**
 * The filters of a list of transactions. Deleted rows always pass, because a client with a copy must learn of the
 * deletion. Pure functions.
 */
import { type ChartOfAccounts, isTransferWithinBudget, type TransactionLine } from './postings.ts';
import { isOnBudget } from './records.ts';

export interface TransactionFilter {
  /** A `server_knowledge`. Only what changed after it, deleted rows included. */
  readonly since?: number | undefined;
  /** Only transactions on or after this date. */
  readonly since_date?: string | undefined;
  /** Only transactions on or before this date. */
  readonly until_date?: string | undefined;
  readonly type?: 'uncategorized' | 'unapproved' | undefined;
}

interface Row extends TransactionLine {
  readonly account_id: string;
  readonly date: string;
  readonly approved: boolean;
  readonly deleted: boolean;
}

/** Applies `since_date`, `until_date` and `type`. */
export function applyFilter<R extends Row>(
  rows: R[],
  { since_date, until_date, type }: Omit<TransactionFilter, 'since'>,
  chart: ChartOfAccounts,
): R[] {
  if (since_date === undefined && until_date === undefined && type === undefined) return rows;
  return rows.filter((row) => {
    if (row.deleted) return true;
    if (since_date !== undefined && row.date < since_date) return false;
    if (until_date !== undefined && row.date > until_date) return false;
    if (type === undefined) return true;
    return type === 'unapproved' ? !row.approved : isUncategorized(row, chart);
  });
}

/** A split has the category `Split`. Tracking accounts and transfers within the budget need no category. */
function isUncategorized(row: Row, chart: ChartOfAccounts): boolean {
  const account = chart.account(row.account_id);
  if (row.category_id !== null || account === undefined || !isOnBudget(account)) return false;
  return !isTransferWithinBudget(chart, row);
}
