/**
 * The category that a payee had most, and suggestions of it for lines without a category. Categories that are hidden, or that
 * belong to the service itself, are not suggested. Ready to Assign is, for what comes in.
 */
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Category, Transaction } from '../replica/entities.ts';
import { type AccountIds, budgetAccountsOf } from './budget-accounts.ts';
import { type CategoryKinds, categoryKinds, uncategorizedIds } from './category-kinds.ts';
import { type Line, linesOf } from './lines.ts';
import { uncategorizedLines } from './uncategorized.ts';

/** The category that a payee had in `count` of its `of` lines with a category. */
export interface Suggestion {
  readonly category_id: string;
  readonly category_name: string;
  readonly count: number;
  readonly of: number;
}

interface CategoryOptions {
  readonly budgetAccounts: AccountIds;
  /** The ids of `uncategorizedIds`. */
  readonly withoutMeaning: ReadonlySet<string>;
  readonly categories: readonly Category[];
  readonly kinds: CategoryKinds;
}

export interface SuggestionOptions extends CategoryOptions {
  /** Only lines on or after this date get a suggestion. All lines count for one. */
  readonly since?: string | undefined;
}

/** The lines without a category, in the order of `transactions`, which are all of the budget, the newest first. */
export function suggestCategories(transactions: readonly Transaction[], options: SuggestionOptions) {
  const { budgetAccounts, withoutMeaning, since = '' } = options;
  const open: { readonly transaction: Transaction; readonly line: Line }[] = [];
  for (const transaction of transactions)
    if (transaction.date >= since)
      for (const line of uncategorizedLines(transaction, budgetAccounts, withoutMeaning))
        open.push({ transaction, line });
  const payees = new Set(open.flatMap(({ transaction, line }) => payeeOf(line, transaction) ?? []));
  const mostUsed = mostUsedCategories(payees, transactions, options);
  return open.map(({ transaction, line }) => {
    const payee_id = payeeOf(line, transaction);
    return {
      transaction_id: transaction.id,
      // The legs of a split cannot be changed.
      is_leg: line !== transaction,
      date: transaction.date,
      amount: line.amount,
      memo: line.memo,
      payee_id,
      name: line.payee_id === null ? transaction.payee_name : line.payee_name,
      account_id: transaction.account_id,
      account_name: transaction.account_name,
      suggestion: payee_id === null ? null : mostUsed(payee_id, line.amount),
    };
  });
}

const payeeOf = (line: Line, transaction: Transaction) => line.payee_id ?? transaction.payee_id;

/** The category that a payee had most, for an amount of this sign. */
export type MostUsed = (payeeId: string, amount: number) => Suggestion | null;

function mostUsedCategories(
  payees: ReadonlySet<string>,
  transactions: readonly Transaction[],
  options: CategoryOptions,
): MostUsed {
  const used = categoriesOf(payees, transactions, options);
  const { forPayments, forIncome } = suggestible(options);
  return (payeeId, amount) => mostUsedOf(used.get(payeeId), amount > 0 ? forIncome : forPayments);
}

/** How many lines of a payee have each category. The category that was used last comes first. */
type Counts = ReadonlyMap<string, number>;

function categoriesOf(
  payees: ReadonlySet<string>,
  transactions: readonly Transaction[],
  { budgetAccounts, withoutMeaning }: CategoryOptions,
): ReadonlyMap<string, Counts> {
  const used = new Map([...payees].map((payee) => [payee, new Map<string, number>()]));
  for (const transaction of transactions) {
    if (!budgetAccounts.has(transaction.account_id)) continue;
    for (const line of linesOf(transaction)) {
      const { category_id } = line;
      const counts = used.get(payeeOf(line, transaction) ?? '');
      if (!counts || category_id === null || withoutMeaning.has(category_id)) continue;
      counts.set(category_id, (counts.get(category_id) ?? 0) + 1);
    }
  }
  return used;
}

/** The names of the categories that may be suggested, by id. */
type Names = ReadonlyMap<string, string>;

function suggestible({ categories, kinds }: CategoryOptions): {
  readonly forPayments: Names;
  readonly forIncome: Names;
} {
  const namesOf = (wanted: readonly Category[]) => new Map(wanted.map(({ id, name }) => [id, name]));
  const own = categories.filter((each) => !each.hidden && !each.deleted && kinds.isOwn(each));
  const income = categories.filter(kinds.isReadyToAssign);
  return { forPayments: namesOf(own), forIncome: namesOf([...own, ...income]) };
}

function mostUsedOf(counts: Counts = new Map(), names: Names): Suggestion | null {
  let best: Suggestion | null = null;
  const of = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [category_id, count] of counts) {
    const category_name = names.get(category_id);
    if (category_name !== undefined && count > (best?.count ?? 0))
      best = { category_id, category_name, count, of };
  }
  return best;
}

/** Of all lines without a category since then, newest first. */
export const suggestionsIn = (replica: BudgetReplica, since?: string) =>
  suggestCategories(replica.transactions.list({}), { ...optionsFor(replica), since });

/** Of these payees. */
export const mostUsedIn = (replica: BudgetReplica, payees: ReadonlySet<string>): MostUsed =>
  mostUsedCategories(payees, replica.transactions.list({}), optionsFor(replica));

const optionsFor = (replica: BudgetReplica): CategoryOptions => ({
  budgetAccounts: budgetAccountsOf(replica.accounts.list()),
  withoutMeaning: uncategorizedIds(replica),
  categories: replica.categories.list(),
  kinds: categoryKinds(replica.groups.list()),
});
