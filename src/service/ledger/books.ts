/**
 * The books of one budget: its records, the sums over them, and which transactions mention what. Every change goes
 * through a `put`, a `remove` or a `set`, which keep sums and mentions right and name what the change may touch.
 *
 * They know the rules of posting (`postings`), but neither how anything is served nor what `server_knowledge` is,
 * and they take any record as valid: what a transfer or a new account consists of is decided by their callers.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { addMonths, monthOf, monthRange } from './calendar.ts';
import { type InternalIds, internalRecords } from './internal.ts';
import { Mentions } from './mentions.ts';
import { type Chart, type Posting, postingsOf } from './postings.ts';
import {
  type AccountRecord,
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
  readonly sums = new Sums();
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
  readonly #mentions = new Mentions();
  #touched = new Touched();
  #today: string;
  #firstMonth: string;
  #lastMonth: string;

  constructor(today: string, newId: () => string) {
    this.newId = newId;
    this.#today = today;
    this.#firstMonth = monthOf(today);
    this.#lastMonth = this.#firstMonth;
    const { ids, groups, categories, payees } = internalRecords(newId);
    this.internal = ids;
    for (const group of groups) this.putGroup(group);
    for (const category of categories) this.putCategory(category);
    for (const payee of payees) this.putPayee(payee);
  }

  get today(): string {
    return this.#today;
  }
  get currentMonth(): string {
    return monthOf(this.#today);
  }
  get firstMonth(): string {
    return this.#firstMonth;
  }
  get lastMonth(): string {
    return this.#lastMonth;
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

  /** Hands over what was touched since the last time. */
  takeTouched(): Touched {
    const touched = this.#touched;
    this.#touched = new Touched();
    return touched;
  }

  /** The clock went on: a new month changes what every category shows. */
  setToday(date: string): void {
    const turned = monthOf(date) !== this.currentMonth;
    this.#today = date;
    if (!turned) return;
    this.#reach(this.currentMonth);
    for (const id of this.#categories.keys()) this.#touched.categoryFrom(id, this.currentMonth);
  }

  putAccount(record: AccountRecord): void {
    if (this.#accounts.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#accounts.set(record.id, record);
    this.#touched.accounts.add(record.id);
  }

  putGroup(record: GroupRecord): void {
    this.#groups.set(record.id, record);
    this.#touched.groups.add(record.id);
    for (const category of this.#categories.values()) {
      if (category.group_id === record.id) this.#touched.categoryFrom(category.id, this.#firstMonth);
    }
  }

  putCategory(record: CategoryRecord): void {
    if (this.#categories.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#categories.set(record.id, record);
    this.#touched.categoryFrom(record.id, this.#firstMonth);
  }

  putPayee(record: PayeeRecord): void {
    if (this.#payees.get(record.id)?.name !== record.name) this.#touchMentioning(record.id);
    this.#payees.set(record.id, record);
    this.#touched.payees.add(record.id);
  }

  removePayee(id: string): void {
    this.#payees.delete(id);
    this.#touched.payees.add(id);
  }

  putLocation(record: PayeeLocationRecord): void {
    this.#locations.set(record.id, record);
    this.#touched.locations.add(record.id);
  }

  removeLocation(id: string): void {
    this.#locations.delete(id);
    this.#touched.locations.add(id);
  }

  putTransaction(record: TransactionRecord): void {
    this.#reach(monthOf(record.date));
    this.#takeOut(record.id);
    this.#transactions.set(record.id, record);
    this.#count(record, 1);
    this.#mentions.add(record);
  }

  removeTransaction(id: string): void {
    this.#takeOut(id);
    this.#transactions.delete(id);
  }

  putScheduled(record: ScheduledTransactionRecord): void {
    this.#scheduled.set(record.id, record);
    this.#touched.scheduled.add(record.id);
  }

  removeScheduled(id: string): void {
    this.#scheduled.delete(id);
    this.#touched.scheduled.add(id);
  }

  setBudgeted(categoryId: string, month: string, amount: number): void {
    this.#reach(month);
    const months = this.#budgeted.get(categoryId) ?? new Map<string, number>();
    this.#budgeted.set(categoryId, months.set(month, amount));
    this.#touched.categoryFrom(categoryId, month);
  }

  setNote(month: string, note: string | null): void {
    if (note === null) this.#notes.delete(month);
    else this.#notes.set(month, note);
    this.#touched.totalsFrom(month);
  }

  setFlagName(color: TransactionFlagColor, name: string | null): void {
    if (name === null) this.#flagNames.delete(color);
    else this.#flagNames.set(color, name);
    for (const { id, flag_color } of this.#transactions.values()) {
      if (flag_color === color) this.#touched.transactions.add(id);
    }
    this.#touchAllScheduled();
  }

  #takeOut(id: string): void {
    this.#touched.transactions.add(id);
    const record = this.#transactions.get(id);
    if (record === undefined) return;
    this.#count(record, -1);
    this.#mentions.delete(record);
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

  /** The months of a budget have no gap and never become fewer. */
  #reach(month: string): void {
    const added =
      month < this.#firstMonth
        ? monthRange(month, addMonths(this.#firstMonth, -1))
        : monthRange(addMonths(this.#lastMonth, 1), month);
    const [first] = added;
    if (first === undefined) return;
    if (month < this.#firstMonth) this.#firstMonth = month;
    else this.#lastMonth = month;
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
