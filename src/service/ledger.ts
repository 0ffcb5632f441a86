/**
 * The ledger: the state of one budget and its responses. The methods read it. `commit` changes it, with the
 * functions of `ledger/accounts`, `categories`, `payees`, `transactions` and `scheduled-transactions`; flag names
 * and month notes are set on the state directly. Each commit increments `server_knowledge` and gives the new value
 * to every entity that now reads differently, derived values included.
 *
 * The rules of budgeting (envelopes, credit cards, transfers, goals, schedules) are here. HTTP, tokens and request
 * bodies are not. The ledger has no clock: `advanceTo` sets its time.
 */
import { randomUUID } from 'node:crypto';
import { dateOf } from '../base/clock.ts';
import { LedgerState } from './ledger/ledger-state.ts';
import { ofMonth, renderMovement, renderMovementGroup } from './ledger/money-movements.ts';
import { ReadModel, type StrayLegs } from './ledger/read-model.ts';
import { enterDueTransactions } from './ledger/scheduled-transactions.ts';
import { applyFilter, type TransactionFilter } from './ledger/transaction-filter.ts';
import type {
  Account,
  BudgetDetail,
  BudgetSettings,
  BudgetSummary,
  Category,
  CategoryGroup,
  CategoryGroupWithCategories,
  CurrencyFormat,
  HybridTransaction,
  MoneyMovement,
  MoneyMovementGroup,
  MonthDetail,
  MonthSummary,
  Payee,
  PayeeLocation,
  ScheduledTransactionDetail,
  TransactionDetail,
} from './resources.ts';

export type { LedgerState } from './ledger/ledger-state.ts';
export type { TransactionFilter } from './ledger/transaction-filter.ts';

export interface LedgerOptions {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly currency_format: CurrencyFormat;
  /** Such as `DD/MM/YYYY`. */
  readonly date_format: string;
  /** Random UUIDs by default. */
  readonly newId?: () => string;
  /** Whether the category of income has the income of all months as its balance. */
  readonly sumsIncome?: boolean;
  /** Whether the export lists what was deleted, marked so, as a delta does. */
  readonly exportsDeleted?: boolean;
}

export class Ledger {
  readonly id: string;
  readonly #options: LedgerOptions;
  readonly #state: LedgerState;
  readonly #readModel: ReadModel;
  #knowledge = 0;
  #now: number;
  #lastModified: number;

  constructor(options: LedgerOptions) {
    this.id = options.id;
    this.#options = options;
    this.#now = options.now;
    this.#lastModified = options.now;
    this.#state = new LedgerState(dateOf(options.now), options.newId ?? randomUUID);
    this.#readModel = new ReadModel(
      this.#state,
      10 ** (3 - options.currency_format.decimal_digits),
      options.sumsIncome ?? false,
    );
    this.commit(() => undefined);
  }

  /** The budget's `server_knowledge`. */
  get knowledge(): number {
    return this.#knowledge;
  }

  /** The current month in UTC, as its first day. */
  get currentMonth(): string {
    return this.#state.currentMonth;
  }

  /** The state, to look up records before a change. Only a commit may change it. */
  get state(): Omit<LedgerState, 'takeDirtySet' | 'rollBack' | `${'put' | 'remove' | 'set'}${string}`> {
    return this.#state;
  }

  /**
   * Advances the time to `now` in milliseconds: a new month may begin, and scheduled transactions come due. An
   * earlier `now` has no effect.
   */
  advanceTo(now: number): void {
    this.#now = Math.max(now, this.#now);
    const today = dateOf(this.#now);
    if (today === this.#state.today) return;
    const due = [...this.#state.scheduled.values()].some(({ date_next }) => date_next <= today);
    const isNewMonth = today.slice(0, 7) !== this.#state.today.slice(0, 7);
    if (due || isNewMonth) {
      this.commit((state) => {
        state.setToday(today);
        enterDueTransactions(state);
      });
    } else {
      this.#state.setToday(today);
    }
  }

  /**
   * Runs one change, which may have many steps, and returns its result. The change is atomic: when `change` throws,
   * its steps are undone, `server_knowledge` stays, and the error is thrown again.
   */
  commit<Result>(change: (state: LedgerState) => Result): Result {
    const result = this.#runAtomically(change);
    this.#knowledge += 1;
    this.#lastModified = this.#now;
    this.#readModel.update(this.#state.takeDirtySet(), this.#knowledge);
    return result;
  }

  #runAtomically<Result>(change: (state: LedgerState) => Result): Result {
    try {
      return change(this.#state);
    } catch (error) {
      this.#state.rollBack();
      throw error;
    }
  }

  /** Serves legs whose transactions are gone. They count in nothing. */
  leaveLegs(legs: StrayLegs): void {
    this.#knowledge += 1;
    this.#readModel.addLegs(legs, this.#knowledge);
  }

  summary(): BudgetSummary {
    return {
      id: this.id,
      name: this.#options.name,
      last_modified_on: new Date(this.#lastModified).toISOString(),
      first_month: this.#state.firstMonth,
      last_month: this.#state.lastMonth,
      ...this.settings(),
    };
  }

  settings(): BudgetSettings {
    return {
      date_format: { format: this.#options.date_format },
      currency_format: this.#options.currency_format,
    };
  }

  /**
   * The whole budget in flat arrays. With `since`, only what changed after it (docs/interface.md, Delta requests).
   */
  detail(since: number | undefined = this.#options.exportsDeleted ? 0 : undefined): BudgetDetail {
    const readModel = this.#readModel;
    return {
      ...this.summary(),
      accounts: readModel.accounts.list(since),
      payees: readModel.payees.list(since),
      payee_locations: readModel.locations.list(since),
      category_groups: readModel.groups.list(since),
      categories: readModel.categories.list(since),
      months: readModel.monthDetails(since),
      transactions: readModel.transactions.summaries(since),
      subtransactions: readModel.transactions.legs(since),
      scheduled_transactions: readModel.scheduledSummaries.list(since),
      scheduled_subtransactions: readModel.scheduledLegs.list(since),
    };
  }

  accounts(since?: number): Account[] {
    return this.#readModel.accounts.list(since);
  }

  account(id: string): Account | undefined {
    return this.#readModel.accounts.get(id);
  }

  /** With `since`: the groups that changed or contain changed categories, and only the changed categories. */
  categoryGroups(since?: number): CategoryGroupWithCategories[] {
    const { groups, categories } = this.#readModel;
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

  /** The category in a month, the current one by default. Undefined for a month that the budget does not have. */
  category(id: string, month?: string): Category | undefined {
    return month === undefined
      ? this.#readModel.categories.get(id)
      : this.#readModel.monthCategory(id, month);
  }

  /** A category group without its categories. */
  categoryGroup(id: string): CategoryGroup | undefined {
    return this.#readModel.groups.get(id);
  }

  payees(since?: number): Payee[] {
    return this.#readModel.payees.list(since);
  }

  payee(id: string): Payee | undefined {
    return this.#readModel.payees.get(id);
  }

  payeeLocations(payeeId?: string): PayeeLocation[] {
    const all = this.#readModel.locations.list();
    return payeeId === undefined ? all : all.filter(({ payee_id }) => payee_id === payeeId);
  }

  payeeLocation(id: string): PayeeLocation | undefined {
    return this.#readModel.locations.get(id);
  }

  months(since?: number): MonthSummary[] {
    return this.#readModel.months(since);
  }

  month(month: string): MonthDetail | undefined {
    return this.#readModel.month(month);
  }

  /** In order of entry, like the groups. */
  moneyMovements(month?: string): MoneyMovement[] {
    return ofMonth(this.#state.movements.values(), month).map(renderMovement);
  }

  moneyMovementGroups(month?: string): MoneyMovementGroup[] {
    return ofMonth(this.#state.movementGroups.values(), month).map(renderMovementGroup);
  }

  /** By date, then in order of entry. With `since`, a row that left the account or month appears as deleted. */
  transactions(
    scope: { account_id: string } | { month: string } | undefined,
    filter: TransactionFilter = {},
  ): TransactionDetail[] {
    const view = this.#readModel.transactions;
    const listId = scope && ('month' in scope ? scope.month : scope.account_id);
    const rows =
      listId === undefined
        ? view.list(filter.since)
        : view.listOf(listId, this.#state.transactionIdsOf(listId), filter.since);
    return applyFilter(rows, filter, this.#state);
  }

  /**
   * Unsplit transactions and legs of splits, in the same order. With `since`, a row that left the list appears as
   * deleted.
   */
  hybridTransactions(
    scope: { category_id: string } | { payee_id: string },
    filter: TransactionFilter = {},
  ): HybridTransaction[] {
    const listId = 'category_id' in scope ? scope.category_id : scope.payee_id;
    const rows = this.#readModel.transactions.rowsOf(
      listId,
      this.#state.transactionIdsOf(listId),
      filter.since,
    );
    return applyFilter(rows, filter, this.#state);
  }

  transaction(id: string): TransactionDetail | undefined {
    return this.#readModel.transactions.get(id);
  }

  scheduledTransactions(since?: number): ScheduledTransactionDetail[] {
    return this.#readModel.scheduled.list(since);
  }

  scheduledTransaction(id: string): ScheduledTransactionDetail | undefined {
    return this.#readModel.scheduled.get(id);
  }
}
