/**
 * Collects the entities that a commit may have changed: the changed entity, entities that show its name, and the
 * months and categories that its amounts count in. The result may name too many entities, but never too few.
 *
 * It only reads the state. The read model decides what has really changed.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { monthOf } from './calendar.ts';
import { DirtySet } from './dirty-set.ts';
import type { InternalIds } from './internal.ts';
import type { Posting } from './postings.ts';
import {
  type AccountRecord,
  type CategoryRecord,
  isCash,
  type ScheduledTransactionRecord,
  type TransactionRecord,
} from './records.ts';

/** The part of the ledger state that the tracker reads. */
interface LedgerLookup {
  readonly firstMonth: string;
  readonly internal: Pick<InternalIds, 'inflow_category_id'>;
  readonly categories: ReadonlyMap<string, CategoryRecord>;
  readonly transactions: ReadonlyMap<string, TransactionRecord>;
  readonly scheduled: ReadonlyMap<string, ScheduledTransactionRecord>;
  account(id: string): AccountRecord | undefined;
  paymentCategory(card: string): CategoryRecord | undefined;
  transactionIdsOf(id: string): ReadonlySet<string>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export class ChangeTracker {
  readonly #state: LedgerLookup;
  #dirty = new DirtySet();

  constructor(state: LedgerLookup) {
    this.#state = state;
  }

  /** Returns the set collected since the last call, and starts a new one. */
  take(): DirtySet {
    const dirty = this.#dirty;
    this.#dirty = new DirtySet();
    return dirty;
  }

  account(record: Named, before: Named | undefined): void {
    this.#dirty.accounts.add(record.id);
    this.#nameChanged(record, before);
  }

  /** The categories of a group contain its name. */
  group(id: string): void {
    this.#dirty.groups.add(id);
    for (const category of this.#state.categories.values()) {
      if (category.group_id === id) this.#dirty.categoryFrom(category.id, this.#state.firstMonth);
    }
  }

  category(record: Named, before: Named | undefined): void {
    this.#dirty.categoryFrom(record.id, this.#state.firstMonth);
    this.#nameChanged(record, before);
  }

  payee(record: Named, before: Named | undefined): void {
    this.#dirty.payees.add(record.id);
    this.#nameChanged(record, before);
  }

  /** Called after all references to it were removed, or where they are to stay. */
  removed(kind: 'accounts' | 'groups' | 'payees', id: string): void {
    this.#dirty[kind].add(id);
  }

  location(id: string): void {
    this.#dirty.locations.add(id);
  }

  transaction(id: string): void {
    this.#dirty.transactions.add(id);
  }

  scheduled(id: string): void {
    this.#dirty.scheduled.add(id);
  }

  /** A transaction was added to or removed from the sums of its account and of its postings. */
  balancesChanged(record: TransactionRecord, postings: readonly Posting[]): void {
    this.#dirty.accounts.add(record.account_id);
    for (const posting of postings) this.#addPosting(posting);
    const account = this.#state.account(record.account_id);
    if (account && isCash(account)) this.#dirty.cashMoved(monthOf(record.date));
  }

  /** The balance carries over, so later months change too. */
  budgetedChanged(categoryId: string, month: string): void {
    this.#dirty.categoryFrom(categoryId, month);
  }

  monthNote(month: string): void {
    this.#dirty.totalsFrom(month);
  }

  flagName(color: TransactionFlagColor): void {
    for (const { id, flag_color } of this.#state.transactions.values()) {
      if (flag_color === color) this.#dirty.transactions.add(id);
    }
    this.#addAllScheduled();
  }

  /** The budget got more months. `first` is the earliest new one. */
  monthsAdded(first: string): void {
    this.#dirty.cashMoved(first);
    this.#addAllCategories(first);
  }

  /** In a new month, the current amounts of every category change. */
  currentMonthChanged(month: string): void {
    this.#addAllCategories(month);
  }

  /** A name appears in every transaction that refers to the entity. */
  #nameChanged({ id, name }: Named, before: Named | undefined): void {
    if (before?.name === name) return;
    for (const transaction of this.#state.transactionIdsOf(id)) this.#dirty.transactions.add(transaction);
    this.#addAllScheduled();
  }

  #addPosting(posting: Posting): void {
    switch (posting.to) {
      case 'income':
        this.#dirty.categoryFrom(this.#state.internal.inflow_category_id, posting.month);
        return;
      case 'category':
        this.#dirty.categoryFrom(posting.category_id, posting.month);
        return;
      case 'payment': {
        const category = this.#state.paymentCategory(posting.card);
        if (category) this.#dirty.categoryFrom(category.id, posting.month);
      }
    }
  }

  /** Budgets have few scheduled transactions, so there is no index for them. */
  #addAllScheduled(): void {
    for (const id of this.#state.scheduled.keys()) this.#dirty.scheduled.add(id);
  }

  #addAllCategories(month: string): void {
    for (const id of this.#state.categories.keys()) this.#dirty.categoryFrom(id, month);
  }
}
