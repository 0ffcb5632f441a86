/** What narrows a list of transactions. Tombstones pass: whoever held the row has to hear that it is gone. Pure. */
import { type Chart, isTransferWithinBudget, type Leaf } from './postings.ts';
import { isOnBudget } from './records.ts';

export interface TransactionFilter {
  /** A `server_knowledge`: only what changed after it, with tombstones. */
  readonly since?: number | undefined;
  /** Only transactions on or after this date. */
  readonly since_date?: string | undefined;
  readonly type?: 'uncategorized' | 'unapproved' | undefined;
}

interface Row extends Leaf {
  readonly account_id: string;
  readonly date: string;
  readonly approved: boolean;
  readonly deleted: boolean;
}

/** Applies `since_date` and `type`. */
export function narrowed<R extends Row>(
  rows: R[],
  { since_date, type }: Omit<TransactionFilter, 'since'>,
  chart: Chart,
): R[] {
  if (since_date === undefined && type === undefined) return rows;
  return rows.filter((row) => {
    if (row.deleted) return true;
    if (since_date !== undefined && row.date < since_date) return false;
    if (type === undefined) return true;
    return type === 'unapproved' ? !row.approved : isUncategorized(row, chart);
  });
}

/** A split has the category `Split`; tracking accounts and transfers within the budget need none. */
function isUncategorized(row: Row, chart: Chart): boolean {
  const account = chart.account(row.account_id);
  if (row.category_id !== null || account === undefined || !isOnBudget(account)) return false;
  return !isTransferWithinBudget(chart, row);
}
