/**
 * The ledger: the state of one budget as the service serves it. It is read by the methods here and changed by
 * `commit` with the functions of `ledger/accounts`, `categories`, `payees`, `transactions` and
 * `scheduled-transactions` (flag names and month notes are set on the books themselves). Each commit moves
 * `server_knowledge` on and stamps whatever now reads differently, derived values included.
 *
 * It knows the rules of budgeting (envelopes, credit cards, transfers, goals, schedules). It must not know HTTP,
 * tokens, or the shape of a request; and it has no clock: `advanceTo` tells it the time.
 */
import { randomUUID } from 'node:crypto';
import { dateOf } from '../platform/clock.ts';
import { LedgerState } from './ledger/ledger-state.ts';
import { ReadModel } from './ledger/read-model.ts';
import { enterDue } from './ledger/scheduled-transactions.ts';
import { narrowed, type TransactionFilter } from './ledger/transaction-filter.ts';
import type {
  Account,
  BudgetDetail,
  BudgetSettings,
  BudgetSummary,
  Category,
  CategoryGroupWithCategories,
  CurrencyFormat,
  HybridTransaction,
  MonthDetail,
  MonthSummary,
  Payee,
  PayeeLocation,
  ScheduledTransactionDetail,
  TransactionDetail,
} from './resources.ts';

export type { LedgerState as Books } from './ledger/ledger-state.ts';
export type { TransactionFilter } from './ledger/transaction-filter.ts';

export interface LedgerOptions {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly currency_format: CurrencyFormat;
  /** Such as `DD/MM/YYYY`. */
  readonly date_format: string;
  /** Random unless given. */
  readonly newId?: () => string;
}

export class Ledger {
  readonly id: string;
  readonly #options: LedgerOptions;
  readonly #books: LedgerState;
  readonly #served: ReadModel;
  #knowledge = 0;
  #now: number;
  #lastModified: number;

  constructor(options: LedgerOptions) {
    this.id = options.id;
    this.#options = options;
    this.#now = options.now;
    this.#lastModified = options.now;
    this.#books = new LedgerState(dateOf(options.now), options.newId ?? randomUUID);
    this.#served = new ReadModel(this.#books, 10 ** (3 - options.currency_format.decimal_digits));
    this.commit(() => undefined);
  }

  /** The budget's `server_knowledge`. */
  get knowledge(): number {
    return this.#knowledge;
  }

  /** The current month in UTC, as its first day. */
  get currentMonth(): string {
    return this.#books.currentMonth;
  }

  /** The books as they are, to look things up before a change. Only a commit may change them. */
  get books(): Omit<LedgerState, 'takeTouched' | 'rollBack' | `${'put' | 'remove' | 'set'}${string}`> {
    return this.#books;
  }

  /** Lets time pass, to `now` in milliseconds: a new month begins, scheduled transactions come due. Never back. */
  advanceTo(now: number): void {
    this.#now = Math.max(now, this.#now);
    const today = dateOf(this.#now);
    if (today === this.#books.today) return;
    const due = [...this.#books.scheduled.values()].some(({ date_next }) => date_next <= today);
    const turned = today.slice(0, 7) !== this.#books.today.slice(0, 7);
    if (due || turned) {
      this.commit((books) => {
        books.setToday(today);
        enterDue(books);
      });
    } else {
      this.#books.setToday(today);
    }
  }

  /**
   * Makes one change, of one or many steps, and returns what `change` returns. Wholly or not at all: when `change`
   * throws, its steps are undone, `server_knowledge` stays, and the error is thrown on.
   */
  commit<Result>(change: (books: LedgerState) => Result): Result {
    const result = this.#wholly(change);
    this.#knowledge += 1;
    this.#lastModified = this.#now;
    this.#served.settle(this.#books.takeTouched(), this.#knowledge);
    return result;
  }

  #wholly<Result>(change: (books: LedgerState) => Result): Result {
    try {
      return change(this.#books);
    } catch (error) {
      this.#books.rollBack();
      throw error;
    }
  }

  summary(): BudgetSummary {
    return {
      id: this.id,
      name: this.#options.name,
      last_modified_on: new Date(this.#lastModified).toISOString(),
      first_month: this.#books.firstMonth,
      last_month: this.#books.lastMonth,
      ...this.settings(),
    };
  }

  settings(): BudgetSettings {
    return {
      date_format: { format: this.#options.date_format },
      currency_format: this.#options.currency_format,
    };
  }

  /** The whole budget in flat arrays; with `since`, what changed after it (specification, Delta requests). */
  detail(since?: number): BudgetDetail {
    const served = this.#served;
    return {
      ...this.summary(),
      accounts: served.accounts.list(since),
      payees: served.payees.list(since),
      payee_locations: served.locations.list(since),
      category_groups: served.groups.list(since),
      categories: served.categories.list(since),
      months: served.monthDetails(since),
      transactions: served.transactions.summaries(since),
      subtransactions: served.transactions.legs(since),
      scheduled_transactions: served.scheduledSummaries.list(since),
      scheduled_subtransactions: served.scheduledLegs.list(since),
    };
  }

  accounts(since?: number): Account[] {
    return this.#served.accounts.list(since);
  }

  account(id: string): Account | undefined {
    return this.#served.accounts.get(id);
  }

  /** With `since`: the groups that changed or have changed categories, with only these. */
  categoryGroups(since?: number): CategoryGroupWithCategories[] {
    const { groups, categories } = this.#served;
    const byGroup = new Map<string, Category[]>();
    for (const category of categories.list(since)) {
      const siblings = byGroup.get(category.category_group_id) ?? [];
      byGroup.set(category.category_group_id, [...siblings, category]);
    }
    return groups
      .list()
      .map((group) => ({ ...group, categories: byGroup.get(group.id) ?? [] }))
      .filter(
        (group) => since === undefined || group.categories.length > 0 || groups.versionOf(group.id) > since,
      );
  }

  /** As it is in a month, the current one if none is given. Undefined for a month that the budget does not have. */
  category(id: string, month?: string): Category | undefined {
    return month === undefined ? this.#served.categories.get(id) : this.#served.monthCategory(id, month);
  }

  payees(since?: number): Payee[] {
    return this.#served.payees.list(since);
  }

  payee(id: string): Payee | undefined {
    return this.#served.payees.get(id);
  }

  payeeLocations(payeeId?: string): PayeeLocation[] {
    const all = this.#served.locations.list();
    return payeeId === undefined ? all : all.filter(({ payee_id }) => payee_id === payeeId);
  }

  payeeLocation(id: string): PayeeLocation | undefined {
    return this.#served.locations.get(id);
  }

  months(since?: number): MonthSummary[] {
    return this.#served.months(since);
  }

  month(month: string): MonthDetail | undefined {
    return this.#served.month(month);
  }

  /** By date, then in the order of entry. A row that left the account or month since is a tombstone there. */
  transactions(
    scope: { account_id: string } | { month: string } | undefined,
    filter: TransactionFilter = {},
  ): TransactionDetail[] {
    const shelf = this.#served.transactions;
    const list = scope && ('month' in scope ? scope.month : scope.account_id);
    const rows =
      list === undefined
        ? shelf.list(filter.since)
        : shelf.listOf(list, this.#books.mentioning(list), filter.since);
    return narrowed(rows, filter, this.#books);
  }

  /** Unsplit transactions and legs of splits, in the same order; rows that left are tombstones likewise. */
  hybridTransactions(
    scope: { category_id: string } | { payee_id: string },
    filter: TransactionFilter = {},
  ): HybridTransaction[] {
    const list = 'category_id' in scope ? scope.category_id : scope.payee_id;
    const rows = this.#served.transactions.rowsOf(list, this.#books.mentioning(list), filter.since);
    return narrowed(rows, filter, this.#books);
  }

  transaction(id: string): TransactionDetail | undefined {
    return this.#served.transactions.get(id);
  }

  scheduledTransactions(since?: number): ScheduledTransactionDetail[] {
    return this.#served.scheduled.list(since);
  }

  scheduledTransaction(id: string): ScheduledTransactionDetail | undefined {
    return this.#served.scheduled.get(id);
  }
}
