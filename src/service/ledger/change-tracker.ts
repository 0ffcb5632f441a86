/**
 * Which served things a change to the books may show in: the thing itself, what carries its name, the months and
 * categories that its amounts count in. It gathers them in `touched` over a commit, rather too much than too little.
 *
 * It knows how things hang together, which it looks up in the books. It must not change them, and does not know how
 * anything is served or whether it will differ.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { monthOf } from './calendar.ts';
import { DirtySet } from './dirty-set.ts';
import type { Posting } from './postings.ts';
import {
  type AccountRecord,
  type CategoryRecord,
  isCash,
  type ScheduledTransactionRecord,
  type TransactionRecord,
} from './records.ts';

/** What there is to look up. */
interface Contents {
  readonly firstMonth: string;
  readonly categories: ReadonlyMap<string, CategoryRecord>;
  readonly transactions: ReadonlyMap<string, TransactionRecord>;
  readonly scheduled: ReadonlyMap<string, ScheduledTransactionRecord>;
  account(id: string): AccountRecord | undefined;
  paymentCategory(card: string): CategoryRecord | undefined;
  mentioning(id: string): ReadonlySet<string>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export class ChangeTracker {
  readonly #books: Contents;
  #touched = new DirtySet();

  constructor(books: Contents) {
    this.#books = books;
  }

  /** Hands over what was touched since the last time. */
  take(): DirtySet {
    const touched = this.#touched;
    this.#touched = new DirtySet();
    return touched;
  }

  account(record: Named, before: Named | undefined): void {
    this.#touched.accounts.add(record.id);
    this.#name(record, before);
  }

  /** Its categories show its name. */
  group(id: string): void {
    this.#touched.groups.add(id);
    for (const category of this.#books.categories.values()) {
      if (category.group_id === id) this.#touched.categoryFrom(category.id, this.#books.firstMonth);
    }
  }

  category(record: Named, before: Named | undefined): void {
    this.#touched.categoryFrom(record.id, this.#books.firstMonth);
    this.#name(record, before);
  }

  payee(record: Named, before: Named | undefined): void {
    this.#touched.payees.add(record.id);
    this.#name(record, before);
  }

  /** Nothing mentions it any more. */
  payeeGone(id: string): void {
    this.#touched.payees.add(id);
  }

  location(id: string): void {
    this.#touched.locations.add(id);
  }

  transaction(id: string): void {
    this.#touched.transactions.add(id);
  }

  scheduled(id: string): void {
    this.#touched.scheduled.add(id);
  }

  /** A transaction begins or ceases to count, in its account and by its postings. */
  counted(record: TransactionRecord, postings: readonly Posting[]): void {
    this.#touched.accounts.add(record.account_id);
    for (const posting of postings) this.#posting(posting);
    const account = this.#books.account(record.account_id);
    if (account && isCash(account)) this.#touched.cashMoved(monthOf(record.date));
  }

  /** Later months carry over what is left. */
  budgeted(categoryId: string, month: string): void {
    this.#touched.categoryFrom(categoryId, month);
  }

  note(month: string): void {
    this.#touched.totalsFrom(month);
  }

  flagName(color: TransactionFlagColor): void {
    for (const { id, flag_color } of this.#books.transactions.values()) {
      if (flag_color === color) this.#touched.transactions.add(id);
    }
    this.#allScheduled();
  }

  /** The budget has more months than before; `first` is the earliest of them. */
  monthsAdded(first: string): void {
    this.#touched.cashMoved(first);
    this.#allCategories(first);
  }

  /** A new current month changes what every category shows. */
  monthBegan(month: string): void {
    this.#allCategories(month);
  }

  /** A new name shows wherever it is joined. */
  #name({ id, name }: Named, before: Named | undefined): void {
    if (before?.name === name) return;
    for (const transaction of this.#books.mentioning(id)) this.#touched.transactions.add(transaction);
    this.#allScheduled();
  }

  #posting(posting: Posting): void {
    switch (posting.to) {
      case 'income':
        this.#touched.totalsFrom(posting.month);
        return;
      case 'category':
        this.#touched.categoryFrom(posting.category_id, posting.month);
        return;
      case 'payment': {
        const category = this.#books.paymentCategory(posting.card);
        if (category) this.#touched.categoryFrom(category.id, posting.month);
      }
    }
  }

  /** They are few: not worth an index. */
  #allScheduled(): void {
    for (const id of this.#books.scheduled.keys()) this.#touched.scheduled.add(id);
  }

  #allCategories(month: string): void {
    for (const id of this.#books.categories.keys()) this.#touched.categoryFrom(id, month);
  }
}
