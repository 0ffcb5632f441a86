/**
 * The budget as it is served, every entity in its wire form with the `server_knowledge` at which that form last
 * changed (specification, Delta requests): base or derived, whatever changed it. A commit names what it may have
 * touched; that is rendered again, and what differs is stamped. Nothing else is looked at.
 */
import type {
  Account,
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
  readonly #books: LedgerState;
  readonly #derived: DerivedMonths;
  readonly #smallestUnit: number;

  /** `smallestUnit` is that of the currency, in milliunits. */
  constructor(books: LedgerState, smallestUnit: number) {
    this.#books = books;
    this.#derived = new DerivedMonths(books);
    this.#smallestUnit = smallestUnit;
  }

  months(since?: number): MonthSummary[] {
    return this.#monthsInOrder().flatMap((month) => this.#months.get(month)?.list(since) ?? []);
  }

  /** With their categories; with `since`, months that changed or have changed categories, with only these. */
  monthDetails(since?: number): MonthDetail[] {
    return this.#monthsInOrder().flatMap((month) => {
      const summary = this.#months.get(month)?.get(month);
      const categories = this.#monthCategories.get(month)?.list(since) ?? [];
      if (summary === undefined) return [];
      const changed = since === undefined || (this.#months.get(month)?.versionOf(month) ?? 0) > since;
      return changed || categories.length > 0 ? [{ ...summary, categories }] : [];
    });
  }

  month(month: string): MonthDetail | undefined {
    const summary = this.#months.get(month)?.get(month);
    return summary && { ...summary, categories: this.#monthCategories.get(month)?.list() ?? [] };
  }

  monthCategory(id: string, month: string): Category | undefined {
    return this.#monthCategories.get(month)?.get(id);
  }

  settle(touched: DirtySet, knowledge: number): void {
    const books = this.#books;
    this.#derived.settle(touched);
    for (const id of touched.accounts) {
      const record = books.accounts.get(id);
      if (record) this.accounts.put(id, renderAccount(record, books), knowledge);
    }
    for (const id of touched.groups) {
      const record = books.groups.get(id);
      if (record) this.groups.put(id, { ...record, deleted: false }, knowledge);
    }
    for (const id of touched.payees) {
      const record = books.payees.get(id);
      if (record) this.payees.put(id, renderPayee(record), knowledge);
      else this.payees.tombstone(id, knowledge);
    }
    for (const id of touched.locations) {
      const record = books.locations.get(id);
      if (record) this.locations.put(id, { ...record, deleted: false }, knowledge);
      else this.locations.tombstone(id, knowledge);
    }
    for (const id of touched.transactions) {
      const record = books.transactions.get(id);
      if (record) this.transactions.put(renderTransaction(record, books), knowledge);
      else this.transactions.remove(id, knowledge);
    }
    for (const id of touched.scheduled) this.#settleScheduled(id, knowledge);
    this.#settleCategories(touched, knowledge);
    this.#settleMonths(touched, knowledge);
  }

  #settleScheduled(id: string, knowledge: number): void {
    const record = this.#books.scheduled.get(id);
    const before = this.scheduled.get(id);
    const row = record && renderScheduled(record, this.#books);
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

  #settleCategories(touched: DirtySet, knowledge: number): void {
    const { currentMonth, lastMonth, categories } = this.#books;
    for (const [id, from] of touched.categories) {
      const record = categories.get(id);
      if (record === undefined) continue;
      for (const month of monthRange(from, lastMonth)) {
        const row = renderCategory(record, month, this.#books, this.#derived, this.#smallestUnit);
        tableOf(this.#monthCategories, month).put(id, row, knowledge);
        if (month === currentMonth) this.categories.put(id, row, knowledge);
      }
    }
  }

  #settleMonths({ monthsFrom }: DirtySet, knowledge: number): void {
    if (monthsFrom === undefined) return;
    for (const month of monthRange(monthsFrom, this.#books.lastMonth)) {
      tableOf(this.#months, month).put(month, renderMonth(month, this.#books, this.#derived), knowledge);
    }
  }

  #monthsInOrder(): string[] {
    return monthRange(this.#books.firstMonth, this.#books.lastMonth);
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
