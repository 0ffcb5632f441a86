/**
 * The books of one budget: its records, the sums over them, and which transactions mention what. Every change goes
 * through a `put`, a `remove` or a `set`, which keep sums and mentions right, and note in the journal how to undo it;
 * what it may show in is the business of `reach`.
 *
 * They know the rules of posting (`postings`), but neither how anything is served nor what `server_knowledge` is,
 * and they take any record as valid: what a transfer or a new account consists of is decided by their callers.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { monthOf } from './calendar.ts';
import { ChangeTracker } from './change-tracker.ts';
import type { DirtySet } from './dirty-set.ts';
import { type InternalIds, internalRecords } from './internal.ts';
import { MonthSpan } from './month-span.ts';
import { type Chart, postingsOf } from './postings.ts';
import type {
  AccountRecord,
  BankTransactionRecord,
  CategoryRecord,
  GroupRecord,
  PayeeLocationRecord,
  PayeeRecord,
  ScheduledTransactionRecord,
  TransactionRecord,
} from './records.ts';
import { Sums } from './sums.ts';
import { TransactionIndex } from './transaction-index.ts';
import { UndoLog } from './undo-log.ts';

export class LedgerState implements Chart {
  readonly newId: () => string;
  readonly internal: InternalIds;
  readonly #journal = new UndoLog();
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
  readonly #mentions = new TransactionIndex();
  readonly #reach = new ChangeTracker(this);
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

  paymentCategory(card: string): CategoryRecord | undefined {
    for (const category of this.#categories.values()) {
      if (category.role.kind === 'payment' && category.role.account_id === card) return category;
    }
    return undefined;
  }

  /** The ids of the transactions of an account, a payee, a category (legs count) or a month. */
  mentioning(id: string): ReadonlySet<string> {
    return this.#mentions.of(id);
  }

  /** Ends a commit: hands over what was touched since the last one. */
  takeTouched(): DirtySet {
    this.#journal.forget();
    return this.#reach.take();
  }

  /** Undoes everything since the last commit. */
  rollBack(): void {
    this.#journal.rollBack();
    this.#reach.take();
  }

  /** The clock went on. */
  setToday(date: string): void {
    if (!this.#span.setToday(date)) return;
    this.#growTo(this.currentMonth);
    this.#reach.monthBegan(this.currentMonth);
  }

  putAccount(record: AccountRecord): void {
    this.#reach.account(record, this.#accounts.get(record.id));
    this.#journal.set(this.#accounts, record.id, record);
  }

  putGroup(record: GroupRecord): void {
    this.#reach.group(record.id);
    this.#journal.set(this.#groups, record.id, record);
  }

  putCategory(record: CategoryRecord): void {
    this.#reach.category(record, this.#categories.get(record.id));
    this.#journal.set(this.#categories, record.id, record);
  }

  putPayee(record: PayeeRecord): void {
    this.#reach.payee(record, this.#payees.get(record.id));
    this.#journal.set(this.#payees, record.id, record);
  }

  removePayee(id: string): void {
    this.#reach.payeeGone(id);
    this.#journal.set(this.#payees, id, undefined);
  }

  putLocation(record: PayeeLocationRecord): void {
    this.#reach.location(record.id);
    this.#journal.set(this.#locations, record.id, record);
  }

  removeLocation(id: string): void {
    this.#reach.location(id);
    this.#journal.set(this.#locations, id, undefined);
  }

  putTransaction(record: TransactionRecord): void {
    this.#growTo(monthOf(record.date));
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
    this.#reach.scheduled(record.id);
    this.#journal.set(this.#scheduled, record.id, record);
  }

  removeScheduled(id: string): void {
    this.#reach.scheduled(id);
    this.#journal.set(this.#scheduled, id, undefined);
  }

  setBudgeted(categoryId: string, month: string, amount: number): void {
    this.#growTo(month);
    this.#reach.budgeted(categoryId, month);
    const months = this.#budgeted.get(categoryId) ?? new Map<string, number>();
    this.#budgeted.set(categoryId, months);
    const before = this.budgeted(categoryId, month);
    this.sums.budget(before, amount);
    this.#journal.set(months, month, amount);
  }

  setNote(month: string, note: string | null): void {
    this.#reach.note(month);
    this.#journal.set(this.#notes, month, note ?? undefined);
  }

  setFlagName(color: TransactionFlagColor, name: string | null): void {
    this.#reach.flagName(color);
    this.#journal.set(this.#flagNames, color, name ?? undefined);
  }

  #replaceTransaction(id: string, record: TransactionRecord | undefined): void {
    const before = this.#transactions.get(id);
    this.#reach.transaction(id);
    if (before) this.#count(before, -1);
    this.#journal.set(this.#transactions, id, record);
    if (record) this.#count(record, 1);
    this.#mentions.replace(before, record);
    this.#journal.note(() => this.#mentions.replace(record, before));
  }

  #count(record: TransactionRecord, sign: 1 | -1): void {
    const postings = postingsOf(record, this);
    this.sums.count(record, postings, sign);
    this.#reach.counted(record, postings);
  }

  #growTo(month: string): void {
    const added = this.#span.growTo(month);
    if (added !== undefined) this.#reach.monthsAdded(added);
  }
}
