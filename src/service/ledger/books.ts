/**
 * The books of one budget: its records, the sums over them, and which transactions mention what. Every change goes
 * through a `put`, a `remove` or a `set`, which keep sums and mentions right, name what the change may touch, and
 * note in the journal how to undo it.
 *
 * They know the rules of posting (`postings`), but neither how anything is served nor what `server_knowledge` is,
 * and they take any record as valid: what a transfer or a new account consists of is decided by their callers.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { monthOf } from './calendar.ts';
import { type InternalIds, internalRecords } from './internal.ts';
import { Journal } from './journal.ts';
import { Mentions } from './mentions.ts';
import { MonthSpan } from './month-span.ts';
import { type Chart, type Posting, postingsOf } from './postings.ts';
import {
  type AccountRecord,
  type BankTransactionRecord,
  type CategoryRecord,
  type GroupRecord,
  isCredit,
  isOnBudget,
  type PayeeLocationRecord,
  type PayeeRecord,
  type ScheduledTransactionRecord,
  type TransactionRecord,
} from './records.ts';
import { Sums } from './sums.ts';
import { Touched } from './touched.ts';

export class Books implements Chart {
  readonly newId: () => string;
  readonly internal: InternalIds;
  readonly #journal = new Journal();
  readonly sums = new Sums(this.#journal);
  readonly #accounts = new Map<string, AccountRecord>();
  readonly accounts: ReadonlyMap<string, AccountRecord> = this.#accounts;
  readonly #groups = new Map<string, GroupRecord>();
  readonly groups: ReadonlyMap<string, GroupRecord> = this.#groups;
  readonly #categories = new Map<string, CategoryRecord>();
  readonly categories: ReadonlyMap<string, CategoryRecord> = this.#categories;
  readonly #payees = new Map<string, PayeeRecord>();
  readonly payees: ReadonlyMap<string, PayeeRecord> = this.#payees;
  readonly #locations = new Map<string, PayeeLocationRecord>();
  readonly locations: ReadonlyMap<string, PayeeLocationRecord> = this.#locations;
  readonly #transactions = new Map<string, TransactionRecord>();
  readonly transactions: ReadonlyMap<string, TransactionRecord> = this.#transactions;
  readonly #scheduled = new Map<string, ScheduledTransactionRecord>();
  readonly scheduled: ReadonlyMap<string, ScheduledTransactionRecord> = this.#scheduled;
  readonly #budgeted = new Map<string, Map<string, number>>();
  readonly #notes = new Map<string, string>();
  readonly #flagNames = new Map<TransactionFlagColor, string>();
  readonly #pending = new Map<string, BankTransactionRecord>();
  /** What banks have reported and nobody has imported yet; it counts nowhere. */
  readonly pending: ReadonlyMap<string, BankTransactionRecord> = this.#pending;
  readonly #mentions = new Mentions();
  #touched = new Touched();
  readonly #span: MonthSpan;

  constructor(today: string, newId: () => string) {
    this.newId = newId;
    this.#span = new MonthSpan(today, this.#journal);
    const { ids, groups, categories, payees } = internalRecords(newId);
    this.internal = ids;
    for (const group of groups) this.putGroup(group);
    for (const category of categories) this.putCategory(category);
    for (const payee of payees) this.putPayee(payee);
  }

  get today(): string {
    return this.#span.today;
  }
  get currentMonth(): string {
    return this.#span.current;
  }
  get firstMonth(): string {
    return this.#span.first;
  }
  get lastMonth(): string {
    return this.#span.last;
  }
  get uncategorized_id(): string {
    return this.internal.uncategorized_category_id;
  }

  account(id: string): AccountRecord | undefined {
    return this.#accounts.get(id);
  }
  role(categoryId: string): CategoryRecord['role'] | undefined {
    return this.#categories.get(categoryId)?.role;
  }
  budgeted(categoryId: string, month: string): number {
    return this.#budgeted.get(categoryId)?.get(month) ?? 0;
  }
  note(month: string): string | null {
    return this.#notes.get(month) ?? null;
  }
  flagName(color: TransactionFlagColor | null): string | null {
    return color === null ? null : (this.#flagNames.get(color) ?? null);
  }

  /** The ids of the transactions of an account, a payee, a category (legs count) or a month. */
  mentioning(id: string): ReadonlySet<string> {
    return this.#mentions.of(id);
  }

  /** Ends a commit: hands over what was touched since the last one. */
  takeTouched(): Touched {
    const touched = this.#touched;
    this.#touched = new Touched();
    this.#journal.forget();
    return touched;
  }

  /** Undoes everything since the last commit. */
  rollBack(): void {
    this.#journal.rollBack();
    this.#touched = new Touched();
  }

  /** The clock went on: a new month changes what every category shows. */
  setToday(date: string): void {
    if (!this.#span.setToday(date)) return;
    this.#reach(this.currentMonth);
    for (const id of this.#categories.keys()) this.#touched.categoryFrom(id, this.currentMonth);
  }

  putAccount(record: AccountRecord): void {
    if (this.#accounts.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#journal.set(this.#accounts, record.id, record);
    this.#touched.accounts.add(record.id);
  }

  putGroup(record: GroupRecord): void {
    this.#journal.set(this.#groups, record.id, record);
    this.#touched.groups.add(record.id);
    for (const category of this.#categories.values()) {
      if (category.group_id === record.id) this.#touched.categoryFrom(category.id, this.firstMonth);
    }
  }

  putCategory(record: CategoryRecord): void {
    if (this.#categories.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#journal.set(this.#categories, record.id, record);
    this.#touched.categoryFrom(record.id, this.firstMonth);
  }

  putPayee(record: PayeeRecord): void {
    if (this.#payees.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#journal.set(this.#payees, record.id, record);
    this.#touched.payees.add(record.id);
  }

  removePayee(id: string): void {
    this.#journal.set(this.#payees, id, undefined);
    this.#touched.payees.add(id);
  }

  putLocation(record: PayeeLocationRecord): void {
    this.#journal.set(this.#locations, record.id, record);
    this.#touched.locations.add(record.id);
  }

  removeLocation(id: string): void {
    this.#journal.set(this.#locations, id, undefined);
    this.#touched.locations.add(id);
  }

  putTransaction(record: TransactionRecord): void {
    this.#reach(monthOf(record.date));
    this.#replaceTransaction(record.id, record);
  }

  removeTransaction(id: string): void {
    this.#replaceTransaction(id, undefined);
  }

  putPending(record: BankTransactionRecord): void {
    this.#journal.set(this.#pending, record.id, record);
  }

  removePending(id: string): void {
    this.#journal.set(this.#pending, id, undefined);
  }

  putScheduled(record: ScheduledTransactionRecord): void {
    this.#journal.set(this.#scheduled, record.id, record);
    this.#touched.scheduled.add(record.id);
  }

  removeScheduled(id: string): void {
    this.#journal.set(this.#scheduled, id, undefined);
    this.#touched.scheduled.add(id);
  }

  setBudgeted(categoryId: string, month: string, amount: number): void {
    this.#reach(month);
    const months = this.#budgeted.get(categoryId) ?? new Map<string, number>();
    this.#budgeted.set(categoryId, months);
    const before = this.budgeted(categoryId, month);
    this.sums.budget(before, amount);
    this.#journal.set(months, month, amount);
    this.#touched.categoryFrom(categoryId, month);
  }

  setNote(month: string, note: string | null): void {
    this.#journal.set(this.#notes, month, note ?? undefined);
    this.#touched.totalsFrom(month);
  }

  setFlagName(color: TransactionFlagColor, name: string | null): void {
    this.#journal.set(this.#flagNames, color, name ?? undefined);
    for (const { id, flag_color } of this.#transactions.values()) {
      if (flag_color === color) this.#touched.transactions.add(id);
    }
    this.#touchAllScheduled();
  }

  #replaceTransaction(id: string, record: TransactionRecord | undefined): void {
    const before = this.#transactions.get(id);
    this.#touched.transactions.add(id);
    if (before) this.#count(before, -1);
    this.#journal.set(this.#transactions, id, record);
    if (record) this.#count(record, 1);
    this.#mentions.replace(before, record);
    this.#journal.note(() => this.#mentions.replace(record, before));
  }

  #count(record: TransactionRecord, sign: 1 | -1): void {
    const postings = postingsOf(record, this);
    this.sums.count(record, postings, sign);
    this.#touched.accounts.add(record.account_id);
    for (const posting of postings) this.#touchPosting(posting);
    const account = this.#accounts.get(record.account_id);
    if (account && isOnBudget(account) && !isCredit(account)) this.#touched.cashMoved(monthOf(record.date));
  }

  #touchPosting(posting: Posting): void {
    switch (posting.to) {
      case 'income':
        this.#touched.totalsFrom(posting.month);
        return;
      case 'category':
        this.#touched.categoryFrom(posting.category_id, posting.month);
        return;
      case 'payment': {
        const category = this.paymentCategory(posting.card);
        if (category) this.#touched.categoryFrom(category.id, posting.month);
      }
    }
  }

  #reach(month: string): void {
    const first = this.#span.reach(month);
    if (first === undefined) return;
    this.#touched.cashMoved(first);
    for (const id of this.#categories.keys()) this.#touched.categoryFrom(id, first);
  }

  #touchMentioning(id: string): void {
    for (const transaction of this.mentioning(id)) this.#touched.transactions.add(transaction);
    this.#touchAllScheduled();
  }

  /** They are few: not worth an index. */
  #touchAllScheduled(): void {
    for (const id of this.#scheduled.keys()) this.#touched.scheduled.add(id);
  }

  paymentCategory(card: string): CategoryRecord | undefined {
    for (const category of this.#categories.values()) {
      if (category.role.kind === 'payment' && category.role.account_id === card) return category;
    }
    return undefined;
  }
}
