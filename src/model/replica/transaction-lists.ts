/** The lists of transactions as the service gives them, newest first: of all, or of an account, month, category, payee. */
import type { Account, HybridTransaction, Transaction } from './entities.ts';
import { toHybridRows } from './join.ts';
import type { Uses } from './lacks.ts';
import type { MonthTable } from './month-table.ts';
import { compareNewestFirst, type TransactionTable } from './transaction-table.ts';

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
  readonly accounts: { get(id: string): Account; find(id: string): Account | undefined };
  readonly payees: { get(id: string): unknown };
  readonly categories: { get(id: string): unknown };
  readonly months: MonthTable;
}

/** Every method throws `resource_not_found` for an id or month that the budget does not have. */
export class TransactionLists {
  readonly #sources: TransactionListSources;
  readonly #uses: Uses | undefined;

  constructor(sources: TransactionListSources, uses?: Uses) {
    this.#sources = sources;
    this.#uses = uses;
  }

  /** The first and the last day on which there is a transaction. */
  get days(): { readonly first: string; readonly last: string } | undefined {
    const { all } = this.#sources.transactions;
    const [newest, oldest] = [all[0], all.at(-1)];
    return newest && oldest && { first: oldest.date, last: newest.date };
  }

  get(id: string): Transaction {
    this.#uses?.one('transaction', id);
    return this.#sources.transactions.get(id);
  }

  list(filter: TransactionFilter): readonly Transaction[] {
    return this.#applyType(this.#within(filter), filter);
  }

  ofAccount(id: string, filter: TransactionFilter): readonly Transaction[] {
    this.#uses?.one('account', id);
    this.#sources.accounts.get(id);
    const rows = this.#within(filter).filter(({ account_id }) => account_id === id);
    return this.#applyType(rows, filter);
  }

  /** `month` is a first day or `current`. */
  ofMonth(month: string, filter: TransactionFilter): readonly Transaction[] {
    this.#uses?.one('month', this.#sources.months.firstDayOf(month));
    const first = this.#sources.months.summary(month).month;
    // In text order, the 31st is not before any day of the month.
    const last = `${first.slice(0, 7)}-31`;
    const { since_date = first, until_date = last } = filter;
    const within = {
      since_date: since_date > first ? since_date : first,
      until_date: until_date < last ? until_date : last,
    };
    return this.#applyType(this.#within(within), filter);
  }

  ofCategory(id: string, filter: TransactionFilter): readonly HybridTransaction[] {
    this.#uses?.one('category', id);
    this.#sources.categories.get(id);
    return this.#hybridRows(filter, (row) => row.category_id === id);
  }

  ofPayee(id: string, filter: TransactionFilter): readonly HybridTransaction[] {
    this.#uses?.one('payee', id);
    this.#sources.payees.get(id);
    return this.#hybridRows(filter, (row) => row.payee_id === id);
  }

  #within({ since_date, until_date }: TransactionFilter): readonly Transaction[] {
    this.#uses?.list('transaction', since_date, until_date);
    return this.#sources.transactions.between(since_date, until_date);
  }

  /** Each leg is sorted by its own id, so the rows are sorted again. They are almost in order. */
  #hybridRows(
    filter: TransactionFilter,
    belongs: (row: Transaction | HybridTransaction) => boolean,
  ): readonly HybridTransaction[] {
    const rows = this.#within(filter)
      .filter((row) => row.subtransactions.length > 0 || belongs(row))
      .flatMap(toHybridRows)
      .filter(belongs);
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

  /**
   * A split has the category `Split`. Tracking accounts and transfers within the budget need no category. An unknown account counts
   * as one of the budget.
   */
  #isUncategorized(row: Transaction | HybridTransaction): boolean {
    const isOnBudget = (id: string) => this.#sources.accounts.find(id)?.on_budget !== false;
    if (row.category_id !== null || !isOnBudget(row.account_id)) return false;
    return row.transfer_account_id === null || !isOnBudget(row.transfer_account_id);
  }
}
