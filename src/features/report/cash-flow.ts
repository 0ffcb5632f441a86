/**
 * Sums what was spent or earned in each period, in rows by category, payee or another grouping. A line counts by its own category, on
 * the accounts of the budget. Transfers within the budget do not count. Refunds reduce spending. So the spending of a
 * category in a month is minus the `activity` that the service shows (docs/interface.md, Category and Transaction). Pure.
 *
 * Budgets may have a hundred thousand transactions: the loop creates no objects, and compares no dates.
 */
import { balanceEntryOf } from '../../model/bookkeeping/payee-names.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { budgetAccountsOf, isCredit, isTypeKnown } from '../../model/sums/budget-accounts.ts';
import { incomeIds } from '../../model/sums/category-kinds.ts';
import type { Line } from '../../model/sums/lines.ts';
import { textTest } from '../../model/sums/text-search.ts';
import { countedCategories, type Flow, keysOf, NONE } from './counted-categories.ts';
import { type GroupingId, groupingOf, payeeOf } from './groupings.ts';
import type { Range } from './periods.ts';

export interface FlowQuery {
  readonly flow: Flow;
  readonly by: GroupingId;
  /** Ids of categories or of groups. */
  readonly category?: readonly string[] | undefined;
  readonly payee?: readonly string[] | undefined;
  readonly account?: readonly string[] | undefined;
  /** Only lines in which these words occur. */
  readonly text?: string | undefined;
  readonly flag_color?: string | undefined;
}

/** Amounts in milliunits, positive for what is spent or earned, and numbers of transactions. `periods` do not overlap. */
export function cashFlow(replica: BudgetReplica, periods: readonly Range[], query: FlowQuery) {
  const { flow, by } = query;
  const unknownAccounts = new Set<string>();
  const keyOf = rowKeys(replica, query, unknownAccounts);
  const totals = periods.map(() => ({ all: new Sum(1), starting_balances: 0, adjustments: 0 }));
  const balanceEntries = new Map(
    flow === 'income' ? replica.payees.list().map(({ id, name }) => [id, balanceEntryOf(name)]) : [],
  );
  const refunds = new Sum(1);
  const { keys } = groupingOf(by);
  const rows = new Map(keys?.map((each) => [each, new Sum(periods.length)]));
  let absoluteSum = 0;
  let tracking: number | undefined;
  const add = (column: number, line: Line, transaction: Transaction) => {
    const key = keyOf(line, transaction);
    if (key === undefined) return;
    const amount = flow === 'spending' ? 0 - line.amount : line.amount;
    absoluteSum += Math.abs(amount);
    const total = totals[column];
    total?.all.add(0, amount, transaction);
    const setsBalance = balanceEntries.get(payeeOf(line, transaction) ?? '');
    if (total && setsBalance) total[setsBalance] += amount;
    if (line.transfer_account_id !== null) tracking = (tracking ?? 0) + amount;
    else if (amount < 0) refunds.add(0, -amount, transaction);
    let row = rows.get(key);
    if (!row) {
      row = new Sum(periods.length);
      rows.set(key, row);
    }
    row.add(column, amount, transaction);
  };
  for (const [column, { since, until }] of periods.entries())
    for (const transaction of replica.transactions.list({ since_date: since, until_date: until })) {
      const { subtransactions } = transaction;
      if (subtransactions.length === 0) add(column, transaction, transaction);
      else for (const leg of subtransactions) add(column, leg, transaction);
    }
  const found = [...rows].map(([key, { amount, amounts, transactions }]) => ({
    id: key === NONE ? null : key,
    amount,
    /** One for each period. They add up to `amount`. */
    amounts,
    transactions,
  }));
  if (!keys) found.sort((a, b) => b.amount - a.amount);
  return {
    /** `starting_balances` and `adjustments` are the parts of an income that no money came in for. */
    periods: totals.map(({ all: { amount, transactions }, starting_balances, adjustments }) => ({
      amount,
      transactions,
      ...(flow === 'income' && { starting_balances, adjustments }),
    })),
    /** Largest amount first, or in the order of the keys that are always there. They add up to the totals of the periods. Empty if `by` is `none`. */
    rows: by === 'none' ? [] : found,
    /** The part of all that is transfers to and from tracking accounts. Undefined if there are none. */
    tracking,
    /** What refunds reduced the spending by. Transfers are no refunds. */
    refunds: { amount: refunds.amount, transactions: refunds.transactions },
    /** The ids of accounts whose outflow was left out of the income, because it is not known whether they hold debt. */
    unknownAccounts,
    /** Whether the category of income could not be recognised. Then no income was found. */
    isIncomeUnknown: flow === 'income' && incomeIds(replica).size === 0,
    /** Whether no sum can be larger than an exact integer. Otherwise the amounts are wrong. */
    isExact: absoluteSum <= Number.MAX_SAFE_INTEGER,
  };
}

class Sum {
  readonly amounts: number[];
  transactions = 0;
  #last: Transaction | undefined;

  constructor(columns: number) {
    this.amounts = Array.from({ length: columns }, () => 0);
  }

  /** All lines of a transaction are added one after the other, so that a split counts once. */
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

/**
 * Returns a function that gives the key of the row of a line. Undefined if the line does not count. It adds accounts to
 * `unknownAccounts`.
 */
function rowKeys(
  replica: BudgetReplica,
  { flow, by, category, payee: wantedPayees, account: wantedAccounts, text, flag_color }: FlowQuery,
  unknownAccounts: Set<string>,
): (line: Line, transaction: Transaction) => string | undefined {
  const accounts = replica.accounts.list();
  const budgetAccounts = budgetAccountsOf(accounts);
  const ofAccounts = wantedAccounts && new Set(wantedAccounts);
  const ofPayees = wantedPayees && new Set(wantedPayees);
  const debts = new Set(accounts.filter(isCredit).map(({ id }) => id));
  const unknown = new Set(accounts.filter((each) => !isTypeKnown(each)).map(({ id }) => id));
  const { categories, uncategorizedIds, countsUncategorized } = countedCategories(replica, flow, category);
  const { ofCategory, ofLine } = groupingOf(by);
  const keyOfLine = ofLine?.();
  // Without rows by category or group, a key says only that the category counts.
  const keys = keysOf(categories, by);
  if (countsUncategorized) for (const id of uncategorizedIds) keys.set(id, NONE);
  const ofNone = countsUncategorized ? NONE : undefined;
  // A category that the service has not sent is a row of its own, also by group.
  const countsUnknown = flow === 'spending' && category === undefined;
  const keyOfUnknown = (id: string) =>
    countsUnknown && !replica.categories.has(id) ? (ofCategory ? id : NONE) : undefined;
  const hasText = text === undefined ? undefined : textTest(text, replica);
  return (line, transaction) => {
    const { amount, category_id, transfer_account_id } = line;
    const { account_id } = transaction;
    if (!budgetAccounts.has(account_id) || ofAccounts?.has(account_id) === false) return undefined;
    const key = category_id === null ? ofNone : (keys.get(category_id) ?? keyOfUnknown(category_id));
    if (key === undefined) return undefined;
    if (transfer_account_id !== null && budgetAccounts.isWithin(line)) return undefined;
    // The debt with which a card is opened is not negative income.
    if (flow === 'income' && amount <= 0 && debts.has(account_id)) return undefined;
    const payee = payeeOf(line, transaction);
    if (ofPayees && (payee === null || !ofPayees.has(payee))) return undefined;
    if (flag_color !== undefined && transaction.flag_color !== flag_color) return undefined;
    if (hasText?.(transaction, line) === false) return undefined;
    if (flow === 'income' && amount < 0 && unknown.has(account_id)) {
      unknownAccounts.add(account_id);
      return undefined;
    }
    return keyOfLine ? (keyOfLine(line, transaction) ?? NONE) : key;
  };
}
