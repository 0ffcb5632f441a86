/**
 * A budget with a month that it does not have yet, as the service makes it with the first amount: what is left is carried
 * over, and nothing is budgeted. Pure; amounts in milliunits.
 */
import { addMonths, lastOfMonth } from '../../base/calendar.ts';
import { compareTexts } from '../../base/compare.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Category, MonthDetail } from '../replica/entities.ts';
import { isCredit } from './budget-accounts.ts';
import { carriedOver } from './categories-of-month.ts';
import { uncategorizedIds } from './category-kinds.ts';
import { linesOf } from './lines.ts';
import { sumOf } from './sum.ts';

/** The parts of a budget that an assignment is computed from. */
export interface BudgetMonths
  extends Pick<BudgetReplica, 'groups' | 'categories' | 'categoryGroups' | 'transactions'> {
  readonly months: Pick<BudgetReplica['months'], 'list' | 'details' | 'summary' | 'detail' | 'category'>;
}

/** A month as it is, or as it will begin. Undefined for one before the first of the budget. */
export function monthIn(replica: BudgetReplica, month: string): MonthDetail | undefined {
  const known = replica.months.list().map((each) => each.month);
  if (known.includes(month)) return replica.months.detail(month);
  const isToCome = known.length > 0 && known.every((each) => each < month);
  return isToCome ? withMonth(replica, month).months.detail(month) : undefined;
}

/** `month` is a first day. The budget itself if the month is not after its last one. */
export function withMonth(replica: BudgetReplica, month: string): BudgetMonths {
  const { months, groups, categories, transactions } = replica;
  const last = months.details().reduce((last, each) => (each.month > last.month ? each : last));
  if (month <= last.month) return replica;
  const next: MonthDetail = {
    ...last,
    note: null,
    income: 0,
    budgeted: 0,
    activity: 0,
    to_be_budgeted: last.to_be_budgeted - overspentInCash(replica, last),
    age_of_money: null,
    categories: last.categories.map(carriedOver),
  };
  const added = new Map<string, MonthDetail>();
  const byId = new Map(next.categories.map((each) => [each.id, each]));
  for (let at = addMonths(last.month, 1); at <= month; at = addMonths(at, 1))
    added.set(at, { ...next, month: at });
  return {
    groups,
    categories,
    transactions,
    categoryGroups: () => replica.categoryGroups(),
    months: {
      list: () => [...months.list(), ...added.values()],
      details: () => [...months.details(), ...added.values()],
      summary: (each) => added.get(each) ?? months.summary(each),
      detail: (each) => added.get(each) ?? months.detail(each),
      category: (each, id) =>
        (added.has(each) ? byId.get(id) : undefined) ??
        months.category(added.has(each) ? last.month : each, id),
    },
  };
}

/** The amount that the next month has to pay for. */
function overspentInCash(
  replica: BudgetReplica,
  { month, categories }: Pick<MonthDetail, 'month' | 'categories'>,
): number {
  const [uncategorized] = uncategorizedIds(replica);
  const spent = spentByCard(replica, month);
  return sumOf(categories, ({ id, balance }) =>
    costNextMonth(spent, { id, balance: id === uncategorized ? uncategorizedLeft(replica, month) : balance }),
  );
}

/** The amount that the next month has to pay for a category. Overspending by card becomes debt instead. */
export function costNextMonth(
  spent: ReturnType<typeof spentByCard>,
  { id, balance }: Pick<Category, 'id' | 'balance'>,
): number {
  const byCards = sumOf([...spent.values()], (ofCard) => Math.max(ofCard.get(id) ?? 0, 0));
  return Math.max(-balance - byCards, 0);
}

/** The amounts that were spent in a month by card, less refunds: by account, then by category. */
export function spentByCard(
  replica: BudgetReplica,
  month: string,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const [uncategorized] = uncategorizedIds(replica);
  const accounts = new Map(replica.accounts.list().map((each) => [each.id, each]));
  const isOnBudget = (id: string | null) => id !== null && accounts.get(id)?.on_budget === true;
  const spent = new Map<string, Map<string, number>>();
  for (const each of replica.transactions.list({ since_date: month, until_date: lastOfMonth(month) })) {
    const account = accounts.get(each.account_id);
    if (!account?.on_budget || !isCredit(account)) continue;
    const ofCard = spent.get(account.id) ?? new Map<string, number>();
    spent.set(account.id, ofCard);
    for (const { amount, category_id, transfer_account_id } of linesOf(each)) {
      const id = category_id ?? uncategorized;
      if (id !== undefined && !isOnBudget(transfer_account_id))
        ofCard.set(id, (ofCard.get(id) ?? 0) - amount);
    }
  }
  return spent;
}

/**
 * What transactions without a category leave in a month, as in any other category: what came in is carried over, and what
 * was spent is paid for by the next month.
 */
export function uncategorizedLeft(replica: BudgetMonths, month: string): number {
  const ids = uncategorizedIds(replica);
  const months = replica.months.details().filter((each) => each.month <= month);
  return months
    .toSorted((a, b) => compareTexts(a.month, b.month))
    .reduce((left, { categories }) => {
      const activity = sumOf(categories, (each) => (ids.has(each.id) ? each.activity : 0));
      return Math.max(left, 0) + activity;
    }, 0);
}
