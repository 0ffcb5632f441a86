/**
 * The budget in the form of its responses. Every entity has the `server_knowledge` at which its response last
 * changed, whether a stored or a derived value changed (docs/interface.md, Delta requests). After a commit, only the
 * entities of its dirty set are rendered again, and those that differ get the new knowledge.
 */
import type {
  Account,
  BudgetDetail,
  Category,
  CategoryGroup,
  MonthDetail,
  MonthSummary,
  Payee,
  PayeeLocation,
  ScheduledSubTransaction,
  ScheduledTransactionDetail,
  ScheduledTransactionSummary,
} from '../resources.ts';
import { monthRange } from './calendar.ts';
import { DerivedMonths } from './derived-months.ts';
import type { DirtySet } from './dirty-set.ts';
import type { LedgerState } from './ledger-state.ts';
import {
  renderAccount,
  renderCategory,
  renderMonth,
  renderPayee,
  renderScheduled,
  renderTransaction,
} from './render.ts';
import { tombstoneOf } from './tombstone.ts';
import { TransactionView } from './transaction-view.ts';
import { VersionedTable } from './versioned-table.ts';

export type StrayLegs = Pick<BudgetDetail, 'subtransactions' | 'scheduled_subtransactions'>;

export class ReadModel {
  readonly accounts = new VersionedTable<Account>();
  readonly groups = new VersionedTable<CategoryGroup>();
  /** With the amounts of the current month. */
  readonly categories = new VersionedTable<Category>();
  readonly payees = new VersionedTable<Payee>();
  readonly locations = new VersionedTable<PayeeLocation>();
  readonly transactions = new TransactionView();
  readonly scheduled = new VersionedTable<ScheduledTransactionDetail>();
  readonly scheduledSummaries = new VersionedTable<ScheduledTransactionSummary>();
  readonly scheduledLegs = new VersionedTable<ScheduledSubTransaction>();
  readonly #months = new Map<string, VersionedTable<MonthSummary>>();
  readonly #monthCategories = new Map<string, VersionedTable<Category>>();
  readonly #state: LedgerState;
  readonly #derived: DerivedMonths;
  readonly #smallestUnit: number;

  /** `smallestUnit` is the smallest unit of the currency in milliunits. */
  constructor(state: LedgerState, smallestUnit: number, sumsIncome: boolean) {
    this.#state = state;
    this.#derived = new DerivedMonths(state, sumsIncome);
    this.#smallestUnit = smallestUnit;
  }

  months(since?: number): MonthSummary[] {
    return this.#monthsInOrder().flatMap((month) => this.#months.get(month)?.list(since) ?? []);
  }

  /**
   * Months with their categories. With `since`, the months that changed or contain changed categories, and only
   * those categories.
   */
  monthDetails(since?: number): MonthDetail[] {
    return this.#monthsInOrder().flatMap((month) => {
      const summary = this.#months.get(month)?.get(month);
      const categories = this.#monthCategories.get(month)?.list(since) ?? [];
      if (summary === undefined) return [];
      const summaryChanged = since === undefined || (this.#months.get(month)?.versionOf(month) ?? 0) > since;
      return summaryChanged || categories.length > 0 ? [{ ...summary, categories }] : [];
    });
  }

  month(month: string): MonthDetail | undefined {
    const summary = this.#months.get(month)?.get(month);
    return summary && { ...summary, categories: this.#monthCategories.get(month)?.list() ?? [] };
  }

  monthCategory(id: string, month: string): Category | undefined {
    return this.#monthCategories.get(month)?.get(id);
  }

  update(dirty: DirtySet, knowledge: number): void {
    const state = this.#state;
    this.#derived.recompute(dirty);
    for (const id of dirty.accounts) {
      const record = state.accounts.get(id);
      if (record) this.accounts.put(id, renderAccount(record, state), knowledge);
      else this.accounts.tombstone(id, knowledge);
    }
    for (const id of dirty.groups) {
      const record = state.groups.get(id);
      if (record) this.groups.put(id, { ...record, deleted: false }, knowledge);
      else this.groups.tombstone(id, knowledge);
    }
    for (const id of dirty.payees) {
      const record = state.payees.get(id);
      if (record) this.payees.put(id, renderPayee(record), knowledge);
      else this.payees.tombstone(id, knowledge);
    }
    for (const id of dirty.locations) {
      const record = state.locations.get(id);
      if (record) this.locations.put(id, { ...record, deleted: false }, knowledge);
      else this.locations.tombstone(id, knowledge);
    }
    for (const id of dirty.transactions) {
      const record = state.transactions.get(id);
      if (record) this.transactions.put(renderTransaction(record, state), knowledge);
      else this.transactions.remove(id, knowledge);
    }
    for (const id of dirty.scheduled) this.#updateScheduled(id, knowledge);
    this.#updateCategories(dirty, knowledge);
    this.#updateMonths(dirty, knowledge);
  }

  /** Serves legs of transactions that are not there. */
  addLegs({ subtransactions, scheduled_subtransactions }: StrayLegs, knowledge: number): void {
    for (const leg of subtransactions) this.transactions.putLeg(leg, knowledge);
    for (const leg of scheduled_subtransactions) this.scheduledLegs.put(leg.id, leg, knowledge);
  }

  #updateScheduled(id: string, knowledge: number): void {
    const record = this.#state.scheduled.get(id);
    const before = this.scheduled.get(id);
    const row = record && renderScheduled(record, this.#state);
    const legs = row?.subtransactions ?? [];
    for (const leg of legs) this.scheduledLegs.put(leg.id, leg, knowledge);
    for (const leg of before?.subtransactions ?? []) {
      if (!legs.some(({ id }) => id === leg.id)) this.scheduledLegs.tombstone(leg.id, knowledge);
    }
    if (row === undefined) {
      if (before === undefined) return;
      this.scheduled.put(id, tombstoneOf(before), knowledge);
      this.scheduledSummaries.tombstone(id, knowledge);
      return;
    }
    this.scheduled.put(id, row, knowledge);
    const { account_name, payee_name, category_name, subtransactions, ...summary } = row;
    this.scheduledSummaries.put(id, summary, knowledge);
  }

  #updateCategories(dirty: DirtySet, knowledge: number): void {
    const { currentMonth, lastMonth, categories } = this.#state;
    for (const [id, from] of dirty.categories) {
      const record = categories.get(id);
      if (record === undefined) {
        this.categories.tombstone(id, knowledge);
        continue;
      }
      for (const month of monthRange(from, lastMonth)) {
        const row = renderCategory(record, month, this.#state, this.#derived, this.#smallestUnit);
        tableOf(this.#monthCategories, month).put(id, row, knowledge);
        if (month === currentMonth) this.categories.put(id, row, knowledge);
      }
    }
  }

  #updateMonths({ monthsFrom }: DirtySet, knowledge: number): void {
    if (monthsFrom === undefined) return;
    for (const month of monthRange(monthsFrom, this.#state.lastMonth)) {
      tableOf(this.#months, month).put(month, renderMonth(month, this.#state, this.#derived), knowledge);
    }
  }

  #monthsInOrder(): string[] {
    return monthRange(this.#state.firstMonth, this.#state.lastMonth);
  }
}

function tableOf<Row extends { deleted: boolean }>(
  tables: Map<string, VersionedTable<Row>>,
  month: string,
): VersionedTable<Row> {
  const table = tables.get(month) ?? new VersionedTable<Row>();
  tables.set(month, table);
  return table;
}
