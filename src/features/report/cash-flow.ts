/**
 * What was spent or earned in each period, by category, group, payee, account or weekday. A line counts by its own category, on
 * the accounts of the budget. Transfers within the budget do not count. Refunds reduce spending. So the spending of a
 * category in a month is minus the `activity` that the service shows (docs/interface.md, Category and Transaction). Pure.
 *
 * Budgets may have a hundred thousand transactions: the loop creates no objects, and compares no dates.
 */
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Account, Transaction } from '../../model/replica/entities.ts';
import { isCredit } from '../../model/sums/budget-accounts.ts';
import type { Line } from '../../model/sums/lines.ts';
import { textTest } from '../../model/sums/text-search.ts';
import { type CountedCategories, countedCategories, type Flow } from './counted-categories.ts';
import type { Range } from './periods.ts';

export interface FlowQuery {
  readonly flow: Flow;
  readonly by: 'category' | 'group' | 'payee' | 'account' | 'weekday' | 'none';
  /** Ids of categories or of groups. */
  readonly category?: readonly string[] | undefined;
  readonly payee?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  /** Only lines in which these words occur. */
  readonly text?: string | undefined;
}

export interface FlowTotal {
  /** In milliunits. Positive is spent, or earned. */
  readonly amount: number;
  /** A split counts once. */
  readonly transactions: number;
}

export interface FlowRow extends FlowTotal {
  /** Null for lines without a category, or without a payee. Of a weekday, `1` for Monday to `7`. */
  readonly id: string | null;
  /** One for each period. They add up to `amount`. */
  readonly amounts: readonly number[];
}

export interface CashFlow {
  readonly periods: readonly FlowTotal[];
  /** Largest amount first, or all weekdays from Monday. They add up to the totals of the periods. Empty if `by` is `none`. */
  readonly rows: readonly FlowRow[];
  /** The part of all that is transfers to and from tracking accounts. Undefined if there are none. */
  readonly tracking: number | undefined;
  /** What refunds reduced the spending by. Transfers are no refunds. */
  readonly refunds: FlowTotal;
  /** Whether no sum can be larger than an exact integer. Otherwise the amounts are wrong. */
  readonly isExact: boolean;
}

/** `periods` do not overlap. */
export function cashFlow(replica: BudgetReplica, periods: readonly Range[], query: FlowQuery): CashFlow {
  const sums = new FlowSums(replica, periods.length, query);
  for (const [index, { since, until }] of periods.entries())
    sums.addPeriod(index, replica.transactions.list({ since_date: since, until_date: until }));
  return sums.result();
}

class Sum {
  readonly amounts: number[];
  transactions = 0;
  #last: Transaction | undefined;

  constructor(columns: number) {
    this.amounts = Array.from({ length: columns }, () => 0);
  }

  /** All lines of a transaction are added one after the other. */
  add(column: number, amount: number, transaction: Transaction): void {
    this.amounts[column] = (this.amounts[column] ?? 0) + amount;
    if (this.#last === transaction) return;
    this.#last = transaction;
    this.transactions += 1;
  }

  get amount(): number {
    return this.amounts.reduce((sum, amount) => sum + amount, 0);
  }
}

const WEEKDAYS = ['1', '2', '3', '4', '5', '6', '7'];

const weekdayOf = (date: string) => String(new Date(date).getUTCDay() || 7);

/** The key of the row of lines without a category or a payee. No id is empty. */
const NONE = '';

class FlowSums {
  readonly #query: FlowQuery;
  readonly #columns: number;
  readonly #budgetAccounts: ReadonlyMap<string, Account>;
  /** The keys of rows, by the ids of the categories that count. With rows by anything but category or group, the keys mean nothing. */
  readonly #keys: ReadonlyMap<string, string>;
  readonly #countsUncategorized: boolean;
  readonly #periods: readonly Sum[];
  readonly #hasText: ReturnType<typeof textTest> | undefined;
  readonly #rows = new Map<string, Sum>();
  #day = { date: '', weekday: '' };
  #absoluteSum = 0;
  #tracking: number | undefined;
  readonly #refunds = new Sum(1);

  constructor(replica: BudgetReplica, columns: number, query: FlowQuery) {
    this.#query = query;
    this.#columns = columns;
    this.#budgetAccounts = new Map(
      replica.accounts.list().flatMap((account) => (account.on_budget ? [[account.id, account]] : [])),
    );
    const counted = countedCategories(replica, query.flow, query.category);
    this.#keys = keysOf(counted, query.by);
    this.#countsUncategorized = counted.countsUncategorized;
    this.#hasText = query.text === undefined ? undefined : textTest(query.text, replica);
    this.#periods = Array.from({ length: columns }, () => new Sum(1));
    if (query.by === 'weekday') for (const each of WEEKDAYS) this.#row(each);
  }

  addPeriod(column: number, transactions: readonly Transaction[]): void {
    const { account: wanted, flow } = this.#query;
    for (const transaction of transactions) {
      const { account_id, subtransactions } = transaction;
      if (wanted !== undefined && !wanted.includes(account_id)) continue;
      const account = this.#budgetAccounts.get(account_id);
      if (account === undefined) continue;
      const isIncomeOfCard = flow === 'income' && isCredit(account);
      if (subtransactions.length === 0) this.#add(column, transaction, transaction, isIncomeOfCard);
      else for (const leg of subtransactions) this.#add(column, leg, transaction, isIncomeOfCard);
    }
  }

  #add(column: number, line: Line, transaction: Transaction, isIncomeOfCard: boolean): void {
    const { amount, category_id, transfer_account_id } = line;
    const { flow, payee: wanted } = this.#query;
    const key =
      category_id === null ? (this.#countsUncategorized ? NONE : undefined) : this.#keys.get(category_id);
    if (key === undefined) return;
    if (transfer_account_id !== null && this.#budgetAccounts.has(transfer_account_id)) return;
    // The debt with which a card is opened is not negative income.
    if (isIncomeOfCard && amount <= 0) return;
    const payee = line.payee_id ?? transaction.payee_id;
    if (wanted !== undefined && (payee === null || !wanted.includes(payee))) return;
    if (this.#hasText?.(transaction, line) === false) return;
    const counted = flow === 'spending' ? 0 - amount : amount;
    this.#absoluteSum += Math.abs(amount);
    this.#periods[column]?.add(0, counted, transaction);
    if (transfer_account_id !== null) this.#tracking = (this.#tracking ?? 0) + counted;
    else if (counted < 0) this.#refunds.add(0, -counted, transaction);
    const row = this.#rowKey(key, payee, transaction);
    if (row !== undefined) this.#row(row).add(column, counted, transaction);
  }

  /** Undefined without rows. */
  #rowKey(category: string, payee: string | null, { account_id, date }: Transaction): string | undefined {
    const { by } = this.#query;
    if (by === 'none') return undefined;
    if (by === 'payee') return payee ?? NONE;
    if (by === 'account') return account_id;
    if (by !== 'weekday') return category;
    // Transactions are in the order of their days.
    if (this.#day.date !== date) this.#day = { date, weekday: weekdayOf(date) };
    return this.#day.weekday;
  }

  #row(key: string): Sum {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = new Sum(this.#columns);
    this.#rows.set(key, row);
    return row;
  }

  result(): CashFlow {
    const rows = [...this.#rows].map(([key, { amount, amounts, transactions }]) => ({
      id: key === NONE ? null : key,
      amount,
      amounts,
      transactions,
    }));
    return {
      periods: this.#periods.map(({ amount, transactions }) => ({ amount, transactions })),
      rows: this.#query.by === 'weekday' ? rows : rows.sort((a, b) => b.amount - a.amount),
      tracking: this.#tracking,
      refunds: { amount: this.#refunds.amount, transactions: this.#refunds.transactions },
      isExact: this.#absoluteSum <= Number.MAX_SAFE_INTEGER,
    };
  }
}

function keysOf(
  { categories, uncategorizedIds, countsUncategorized }: CountedCategories,
  by: FlowQuery['by'],
): ReadonlyMap<string, string> {
  const keys = new Map(
    categories.map(({ id, category_group_id }) => [id, by === 'group' ? category_group_id : id]),
  );
  if (countsUncategorized) for (const id of uncategorizedIds) keys.set(id, NONE);
  return keys;
}
