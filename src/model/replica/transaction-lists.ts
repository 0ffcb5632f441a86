/** The lists of transactions as the service gives them, newest first: of all, or of an account, month, category, payee. */
import type { Account, HybridTransaction, Transaction } from './entities.ts';
import { toHybridRows } from './join.ts';
import type { MonthTable } from './month-table.ts';
import { compareNewestFirst } from './newest-first.ts';
import type { TransactionTable } from './transaction-table.ts';

/** The filters of a list (docs/interface.md, Query parameters). */
export interface TransactionFilter {
  /** Only transactions on or after this date. */
  readonly since_date?: string | undefined;
  /** Only transactions on or before this date. */
  readonly until_date?: string | undefined;
  readonly type?: 'uncategorized' | 'unapproved' | undefined;
}

export interface TransactionListSources {
  readonly transactions: TransactionTable;
  readonly accounts: { get(id: string): Account };
  readonly payees: { get(id: string): unknown };
  readonly categories: { get(id: string): unknown };
  readonly months: MonthTable;
}

/** Every method throws `resource_not_found` for an id or month that the budget does not have. */
export class TransactionLists {
  readonly #sources: TransactionListSources;

  constructor(sources: TransactionListSources) {
    this.#sources = sources;
  }

  get(id: string): Transaction {
    return this.#sources.transactions.get(id);
  }

  list(filter: TransactionFilter): readonly Transaction[] {
    const { all } = this.#sources.transactions;
    return this.#applyType(all.between(filter.since_date, filter.until_date), filter);
  }

  ofAccount(id: string, filter: TransactionFilter): readonly Transaction[] {
    this.#sources.accounts.get(id);
    return this.#applyType(this.#referencing(id, filter), filter);
  }

  /** `month` is a first day or `current`. */
  ofMonth(month: string, filter: TransactionFilter): readonly Transaction[] {
    const { transactions, months } = this.#sources;
    const rows = transactions.all.within(months.summary(month).month);
    const { since_date, until_date } = filter;
    const isWithin = ({ date }: Transaction) =>
      (since_date === undefined || date >= since_date) && (until_date === undefined || date <= until_date);
    return this.#applyType(rows.filter(isWithin), filter);
  }

  ofCategory(id: string, filter: TransactionFilter): readonly HybridTransaction[] {
    this.#sources.categories.get(id);
    return this.#hybridRows(id, filter, (row) => row.category_id === id);
  }

  ofPayee(id: string, filter: TransactionFilter): readonly HybridTransaction[] {
    this.#sources.payees.get(id);
    return this.#hybridRows(id, filter, (row) => row.payee_id === id);
  }

  #referencing(id: string, { since_date, until_date }: TransactionFilter): readonly Transaction[] {
    return this.#sources.transactions.referencing(id)?.between(since_date, until_date) ?? [];
  }

  /** Each leg is sorted by its own id, so the rows are sorted again. They are almost in order. */
  #hybridRows(
    id: string,
    filter: TransactionFilter,
    belongs: (row: HybridTransaction) => boolean,
  ): readonly HybridTransaction[] {
    const rows: HybridTransaction[] = [];
    for (const row of this.#referencing(id, filter))
      for (const hybrid of toHybridRows(row)) if (belongs(hybrid)) rows.push(hybrid);
    return this.#applyType(rows.sort(compareNewestFirst), filter);
  }

  #applyType<Row extends Transaction | HybridTransaction>(
    rows: readonly Row[],
    { type }: TransactionFilter,
  ): readonly Row[] {
    if (type === undefined) return rows;
    if (type === 'unapproved') return rows.filter(({ approved }) => !approved);
    return rows.filter((row) => this.#isUncategorized(row));
  }

  /** A split has the category `Split`. Tracking accounts and transfers within the budget need no category. */
  #isUncategorized(row: Transaction | HybridTransaction): boolean {
    const isOnBudget = (id: string) => this.#sources.accounts.get(id).on_budget;
    if (row.category_id !== null || !isOnBudget(row.account_id)) return false;
    return row.transfer_account_id === null || !isOnBudget(row.transfer_account_id);
  }
}
