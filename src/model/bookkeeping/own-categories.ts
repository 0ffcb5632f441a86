/**
 * Which categories belong to the service itself: those that hold the money that is ready to be assigned, and those that
 * gather what credit cards will be paid from. Newer versions of the service mark them as `internal`. In older versions
 * they are recognised by the names of their groups (docs/interface.md, Category). The amounts of internal categories may be
 * sums of all time and say nothing about a month: what is left to assign is `to_be_budgeted` of the month.
 */
import type { Category as BudgetCategory } from '../replica/entities.ts';

/** In older versions, the group of the internal categories. */
const INTERNAL_GROUP = 'Internal Master Category';

/** The group of the payment categories. The interface does not say whether they are marked as internal. */
const PAYMENT_GROUP = 'Credit Card Payments';

/** The internal category of transactions without a category. */
const UNCATEGORIZED = 'Uncategorized';

/** The names that the internal category of income has in English. Budgets in another language have another one. */
const READY_TO_ASSIGN = ['Inflow: Ready to Assign', 'Inflow: To be Budgeted'];

/** Where the service shows the user's hidden categories. */
const HIDDEN_GROUP = 'Hidden Categories';

interface Group {
  readonly name: string;
  readonly internal?: boolean | undefined;
}

/** Some versions leave out the name of the group. The caller then has to know it. */
interface Category extends Group {
  readonly category_group_name: string | null;
}

/** A group of the service itself, in which no category can be created. */
export const isOwnGroup = ({ internal, name }: Group): boolean =>
  internal ?? [INTERNAL_GROUP, PAYMENT_GROUP, HIDDEN_GROUP].includes(name);

export const isPaymentCategory = (category: Category, group = category.category_group_name): boolean =>
  group === PAYMENT_GROUP;

/** Its balance means nothing to users. The user's own hidden categories are not internal, though their group may be. */
export const isInternalCategory = (category: Category, group = category.category_group_name): boolean =>
  !isPaymentCategory(category, group) && (category.internal ?? group === INTERNAL_GROUP);

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The internal categories whose purpose is known. */
export interface InternalRoles<Row> {
  /** What comes in has it, and its money is left to assign. */
  readonly income: Row | undefined;
  /** What has no category may have it. */
  readonly uncategorized: Row | undefined;
}

/**
 * Which of the internal categories has which purpose: by their English names, otherwise by what is left when the other one is
 * known, and otherwise by `inflowOf`, the sum of what transactions bring in with the category of an id. Undefined where it
 * cannot be recognised.
 */
export function rolesOf<Row extends Named>(
  internal: readonly Row[],
  inflowOf: (id: string) => number,
): InternalRoles<Row> {
  const named = internal.find(({ name }) => name === UNCATEGORIZED);
  const others = internal.filter((each) => each !== named);
  const income =
    others.find(({ name }) => READY_TO_ASSIGN.includes(name)) ??
    (others.length === 1 ? others[0] : mostBy(others, ({ id }) => inflowOf(id)));
  const [rest, ...more] = others.filter((each) => each !== income);
  return { income, uncategorized: named ?? (income && more.length === 0 ? rest : undefined) };
}

/** The row with the highest amount above zero. */
function mostBy<Row>(rows: readonly Row[], amountOf: (row: Row) => number): Row | undefined {
  let most: { readonly row: Row; readonly amount: number } | undefined;
  for (const row of rows) {
    const amount = amountOf(row);
    if (amount > (most?.amount ?? 0)) most = { row, amount };
  }
  return most?.row;
}

/** An internal category as a replica has it, for sums: nothing is budgeted or left in it, and it has no goal. */
export const withoutOwnAmounts = (row: BudgetCategory): BudgetCategory => ({
  ...row,
  // `internal` stays as it was: its absence shows an older version. Months know the category by its group then.
  category_group_name: row.category_group_name ?? (row.internal ? null : INTERNAL_GROUP),
  budgeted: 0,
  balance: 0,
  ...noGoal,
});

/** The goal fields of a category without a goal. */
const noGoal = {
  goal_type: null,
  goal_needs_whole_amount: null,
  goal_day: null,
  goal_cadence: null,
  goal_cadence_frequency: null,
  goal_creation_month: null,
  goal_target: null,
  goal_target_month: null,
  goal_target_date: null,
  goal_percentage_complete: null,
  goal_months_to_budget: null,
  goal_under_funded: null,
  goal_overall_funded: null,
  goal_overall_left: null,
  goal_snoozed_at: null,
};
