/**
 * The state of one budget: its records, the sums over them, and an index of transactions. Every change goes through
 * a `put`, `remove` or `set` method, which updates sums and index, records the undo step, and tells the change
 * tracker.
 *
 * It knows the posting rules (`postings`). It does not validate records: its callers decide what a transfer or a new
 * account consists of. Responses and `server_knowledge` are not its concern.
 */
import type { TransactionFlagColor } from '../resources.ts';
import { monthOf } from './calendar.ts';
import { ChangeTracker } from './change-tracker.ts';
import type { DirtySet } from './dirty-set.ts';
import { type InternalIds, internalRecords } from './internal.ts';
import { MonthSpan } from './month-span.ts';
import { type ChartOfAccounts, postingsOf } from './postings.ts';
import type {
  AccountRecord,
  BankTransactionRecord,
  CategoryRecord,
  GroupRecord,
  MoneyMovementGroupRecord,
  MoneyMovementRecord,
  PayeeLocationRecord,
  PayeeRecord,
  ScheduledTransactionRecord,
  TransactionRecord,
} from './records.ts';
import { Sums } from './sums.ts';
import { TransactionIndex } from './transaction-index.ts';
import { UndoLog } from './undo-log.ts';

export class LedgerState implements ChartOfAccounts {
  readonly newId: () => string;
  readonly internal: InternalIds;
  readonly #undoLog = new UndoLog();
  readonly sums = new Sums(this.#undoLog);
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
  /** Transactions that banks have reported and that are not imported yet. They count in no balance. */
  readonly pending: ReadonlyMap<string, BankTransactionRecord> = this.#pending;
  readonly #movements = new Map<string, MoneyMovementRecord>();
  readonly movements: ReadonlyMap<string, MoneyMovementRecord> = this.#movements;
  readonly #movementGroups = new Map<string, MoneyMovementGroupRecord>();
  readonly movementGroups: ReadonlyMap<string, MoneyMovementGroupRecord> = this.#movementGroups;
  readonly #transactionIndex = new TransactionIndex();
  readonly #changeTracker = new ChangeTracker(this);
  readonly #monthSpan: MonthSpan;

  constructor(today: string, newId: () => string) {
    this.newId = newId;
    this.#monthSpan = new MonthSpan(today, this.#undoLog);
    const { ids, groups, categories, payees } = internalRecords(newId);
    this.internal = ids;
    for (const group of groups) this.putGroup(group);
    for (const category of categories) this.putCategory(category);
    for (const payee of payees) this.putPayee(payee);
  }

  get today(): string {
    return this.#monthSpan.today;
  }
  get currentMonth(): string {
    return this.#monthSpan.current;
  }
  get firstMonth(): string {
    return this.#monthSpan.first;
  }
  get lastMonth(): string {
    return this.#monthSpan.last;
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

  /** The ids of the transactions of an account, a payee, a category (legs included) or a month. */
  transactionIdsOf(id: string): ReadonlySet<string> {
    return this.#transactionIndex.transactionIdsOf(id);
  }

  /** Ends a commit: returns the set of entities that it may have changed. */
  takeDirtySet(): DirtySet {
    this.#undoLog.clear();
    return this.#changeTracker.take();
  }

  /** Undoes all changes since the last commit. */
  rollBack(): void {
    this.#undoLog.rollBack();
    this.#changeTracker.take();
  }

  /** Sets the current date. */
  setToday(date: string): void {
    if (!this.#monthSpan.setToday(date)) return;
    this.#extendMonthsTo(this.currentMonth);
    this.#changeTracker.currentMonthChanged(this.currentMonth);
  }

  putAccount(record: AccountRecord): void {
    this.#changeTracker.account(record, this.#accounts.get(record.id));
    this.#undoLog.set(this.#accounts, record.id, record);
  }

  /** References to the account stay, as to all that is removed. */
  removeAccount(id: string): void {
    this.#changeTracker.removed('accounts', id);
    this.#undoLog.set(this.#accounts, id, undefined);
  }

  putGroup(record: GroupRecord): void {
    this.#changeTracker.group(record.id);
    this.#undoLog.set(this.#groups, record.id, record);
  }

  removeGroup(id: string): void {
    this.#changeTracker.removed('groups', id);
    this.#undoLog.set(this.#groups, id, undefined);
  }

  putCategory(record: CategoryRecord): void {
    this.#changeTracker.category(record, this.#categories.get(record.id));
    this.#undoLog.set(this.#categories, record.id, record);
  }

  /** Past months keep the category. */
  removeCategory(id: string): void {
    this.#changeTracker.budgetedChanged(id, this.currentMonth);
    this.#undoLog.set(this.#categories, id, undefined);
  }

  putPayee(record: PayeeRecord): void {
    this.#changeTracker.payee(record, this.#payees.get(record.id));
    this.#undoLog.set(this.#payees, record.id, record);
  }

  removePayee(id: string): void {
    this.#changeTracker.removed('payees', id);
    this.#undoLog.set(this.#payees, id, undefined);
  }

  putLocation(record: PayeeLocationRecord): void {
    this.#changeTracker.location(record.id);
    this.#undoLog.set(this.#locations, record.id, record);
  }

  removeLocation(id: string): void {
    this.#changeTracker.location(id);
    this.#undoLog.set(this.#locations, id, undefined);
  }

  putTransaction(record: TransactionRecord): void {
    this.#extendMonthsTo(monthOf(record.date));
    this.#replaceTransaction(record.id, record);
  }

  removeTransaction(id: string): void {
    this.#replaceTransaction(id, undefined);
  }

  putPending(record: BankTransactionRecord): void {
    this.#undoLog.set(this.#pending, record.id, record);
  }

  removePending(id: string): void {
    this.#undoLog.set(this.#pending, id, undefined);
  }

  putScheduled(record: ScheduledTransactionRecord): void {
    this.#changeTracker.scheduled(record.id);
    this.#undoLog.set(this.#scheduled, record.id, record);
  }

  removeScheduled(id: string): void {
    this.#changeTracker.scheduled(id);
    this.#undoLog.set(this.#scheduled, id, undefined);
  }

  setBudgeted(categoryId: string, month: string, amount: number): void {
    this.#extendMonthsTo(month);
    this.#changeTracker.budgetedChanged(categoryId, month);
    const months = this.#budgeted.get(categoryId) ?? new Map<string, number>();
    this.#budgeted.set(categoryId, months);
    const before = this.budgeted(categoryId, month);
    this.sums.changeBudgeted(before, amount);
    this.#undoLog.set(months, month, amount);
  }

  /** Money movements are in no delta, so the change tracker does not learn of them. */
  putMovement(record: MoneyMovementRecord): void {
    this.#undoLog.set(this.#movements, record.id, record);
  }

  putMovementGroup(record: MoneyMovementGroupRecord): void {
    this.#undoLog.set(this.#movementGroups, record.id, record);
  }

  setNote(month: string, note: string | null): void {
    this.#changeTracker.monthNote(month);
    this.#undoLog.set(this.#notes, month, note ?? undefined);
  }

  setFlagName(color: TransactionFlagColor, name: string | null): void {
    this.#changeTracker.flagName(color);
    this.#undoLog.set(this.#flagNames, color, name ?? undefined);
  }

  #replaceTransaction(id: string, record: TransactionRecord | undefined): void {
    const before = this.#transactions.get(id);
    this.#changeTracker.transaction(id);
    if (before) this.#count(before, -1);
    this.#undoLog.set(this.#transactions, id, record);
    if (record) this.#count(record, 1);
    this.#transactionIndex.replace(before, record);
    this.#undoLog.record(() => this.#transactionIndex.replace(record, before));
  }

  #count(record: TransactionRecord, sign: 1 | -1): void {
    const postings = postingsOf(record, this);
    this.sums.count(record, postings, sign);
    this.#changeTracker.balancesChanged(record, postings);
  }

  #extendMonthsTo(month: string): void {
    const firstAdded = this.#monthSpan.extendTo(month);
    if (firstAdded !== undefined) this.#changeTracker.monthsAdded(firstAdded);
  }
}
