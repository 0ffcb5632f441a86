/**
 * The category that a payee had most, and suggestions of it for lines without a category. Categories that are hidden, or that
 * belong to the service itself, are not suggested. Ready to Assign is, for what comes in.
 */
import type { BudgetRows } from '../replica/budget-replica.ts';
import type { Category, Transaction } from '../replica/entities.ts';
import { budgetAccountsOf } from './budget-accounts.ts';
import { categoryKinds, uncategorizedIds } from './category-kinds.ts';
import { type Line, linesOf } from './lines.ts';
import { uncategorizedLinesIn } from './uncategorized.ts';

/** The category that a payee had in `count` of its `of` lines with a category. */
export interface Suggestion {
  readonly category_id: string;
  readonly category_name: string;
  readonly count: number;
  readonly of: number;
}

/** Of all lines without a category on or after a date, newest first. Earlier lines count for a suggestion too. */
export function suggestionsIn(budget: BudgetRows, since?: string) {
  const uncategorizedLines = uncategorizedLinesIn(budget);
  const open: { readonly transaction: Transaction; readonly line: Line }[] = [];
  for (const transaction of budget.transactions.list({ since_date: since }))
    for (const line of uncategorizedLines(transaction)) open.push({ transaction, line });
  const payees = new Set(open.flatMap(({ transaction, line }) => payeeOf(line, transaction) ?? []));
  const mostUsed = mostUsedIn(budget, payees);
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

/** Returns a function that finds the category that one of these payees had most, for an amount of this sign. */
export function mostUsedIn(budget: BudgetRows, payees: ReadonlySet<string>) {
  const used = categoriesOf(payees, budget);
  const kinds = categoryKinds(budget);
  const categories = budget.categories.list();
  const own = categories.filter((each) => !each.hidden && !each.deleted && kinds.isOwn(each));
  const forPayments = namesOf(own);
  const forIncome = namesOf([...own, ...categories.filter(kinds.isReadyToAssign)]);
  const found = new Map<string, Suggestion | null>();
  return (payeeId: string, amount: number): Suggestion | null => {
    const key = `${payeeId} ${amount > 0}`;
    const known = found.get(key);
    const suggestion =
      known === undefined ? mostUsedOf(used.get(payeeId), amount > 0 ? forIncome : forPayments) : known;
    found.set(key, suggestion);
    return suggestion;
  };
}

const namesOf = (categories: readonly Category[]) => new Map(categories.map(({ id, name }) => [id, name]));

/** How many lines of a payee have each category. The category that was used last comes first. */
type Counts = ReadonlyMap<string, number>;

function categoriesOf(payees: ReadonlySet<string>, budget: BudgetRows): ReadonlyMap<string, Counts> {
  const budgetAccounts = budgetAccountsOf(budget.accounts.list());
  const withoutMeaning = uncategorizedIds(budget);
  const used = new Map([...payees].map((payee) => [payee, new Map<string, number>()]));
  for (const transaction of budget.transactions.list({})) {
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

/** `names` are those of the categories that may be suggested, by id. */
function mostUsedOf(counts: Counts = new Map(), names: ReadonlyMap<string, string>): Suggestion | null {
  let best: Suggestion | null = null;
  const of = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [category_id, count] of counts) {
    const category_name = names.get(category_id);
    if (category_name !== undefined && count > (best?.count ?? 0))
      best = { category_id, category_name, count, of };
  }
  return best;
}
