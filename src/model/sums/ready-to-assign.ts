/** The amount that is left to assign in each month once something is budgeted. Pure; amounts in milliunits. */
import { compareTexts } from '../../base/compare.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Category, MonthDetail } from '../replica/entities.ts';
import { categoryKinds } from './category-kinds.ts';
import { costNextMonth, spentByCard, withMonth } from './month-to-come.ts';
import { sumOf } from './sum.ts';

/** The amount that a category has in a month afterwards. `month` is a first day. */
export interface BudgetedAmount {
  readonly month: string;
  readonly category_id: string;
  readonly budgeted: number;
}

export interface ReadyInMonth {
  readonly month: string;
  readonly before: number;
  readonly after: number;
}

/**
 * The first month that is budgeted in and all later ones, in their order. Each month pays for what was overspent in cash in the
 * month before, so that money which covers overspending is not missing later. If there are several amounts for one category in one month, the
 * last one counts.
 */
export function readyAfter(
  replica: BudgetReplica,
  budgeted: readonly BudgetedAmount[],
): readonly ReadyInMonth[] {
  const [first = '', ...others] = budgeted.map(({ month }) => month).toSorted(compareTexts);
  const months = withMonth(replica, others.at(-1) ?? first)
    .months.details()
    .filter(({ month }) => month >= first)
    .toSorted((a, b) => compareTexts(a.month, b.month));
  let change = 0;
  /** How much more of each category is carried over from the month before. */
  let carried = new Map<string, number>();
  return months.map((detail) => {
    const { month, to_be_budgeted } = detail;
    const amounts = new Map(
      budgeted.flatMap((each) => (each.month === month ? [[each.category_id, each.budgeted]] : [])),
    );
    const raised = detail.categories.map((row) => {
      const added = (amounts.get(row.id) ?? row.budgeted) - row.budgeted;
      return { ...row, added, balance: row.balance + added + (carried.get(row.id) ?? 0) };
    });
    const spent = spentByCard(replica, month);
    const set = setAsideForCards(replica, detail, raised, spent);
    const categories = raised.map((row) => ({ ...row, balance: row.balance + (set.get(row.id) ?? 0) }));
    change -= sumOf(categories, ({ added }) => added);
    const after = to_be_budgeted + change;
    change += sumOf(detail.categories, (row) => costNextMonth(spent, row));
    change -= sumOf(categories, (row) => costNextMonth(spent, row));
    carried = new Map(
      categories.map(({ id, balance }, index) => [
        id,
        Math.max(balance, 0) - Math.max(detail.categories[index]?.balance ?? 0, 0),
      ]),
    );
    return { month, before: to_be_budgeted, after };
  });
}

/** How much more the payment categories of cards get when other categories have the balances of `raised`. By id. */
function setAsideForCards(
  replica: BudgetReplica,
  { categories }: Pick<MonthDetail, 'categories'>,
  raised: readonly Category[],
  spent: ReturnType<typeof spentByCard>,
): ReadonlyMap<string, number> {
  const { isPayment } = categoryKinds(replica);
  const sums = new Map<string, number>();
  for (const [index, row] of categories.entries()) {
    const now = raised[index]?.balance ?? row.balance;
    if (now === row.balance || isPayment(row)) continue;
    const byCard = [...spent].map(([id, ofCard]) => ({ id, amount: Math.max(ofCard.get(row.id) ?? 0, 0) }));
    const all = sumOf(byCard, ({ amount }) => amount);
    const before = shared(byCard, row.balance + all);
    for (const [at, amount] of shared(byCard, now + all).entries()) {
      const id = byCard[at]?.id ?? '';
      sums.set(id, (sums.get(id) ?? 0) + amount - (before[at] ?? 0));
    }
  }
  const names = new Map([...sums].map(([id, sum]) => [replica.accounts.get(id).name, sum]));
  return new Map(
    categories.flatMap((row) => (isPayment(row) ? [[row.id, names.get(row.name) ?? 0] as const] : [])),
  );
}

/** Money for what was spent, one card after another. */
function shared(byCard: readonly { readonly amount: number }[], available: number): number[] {
  let left = Math.max(available, 0);
  return byCard.map(({ amount }) => {
    const part = Math.min(amount, left);
    left -= part;
    return part;
  });
}
