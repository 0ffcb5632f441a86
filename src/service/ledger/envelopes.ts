/**
 * Envelope arithmetic: the balance of a category at the end of a month, and the amount that is left to be budgeted.
 * Pure functions on amounts in milliunits.
 *
 * Invariant: the money in the cash accounts of the budget equals `to_be_budgeted` plus all category balances plus
 * this month's credit overspending (money that was spent on credit and is not yet paid).
 */

export interface CategoryMonth {
  readonly budgeted: number;
  readonly activity: number;
  readonly balance: number;
  /** The part of a negative balance that was paid in cash. It is subtracted from next month's `to_be_budgeted`. */
  readonly cash_overspent: number;
  /**
   * The amounts moved from this category to the payment category of each card (negative for refunds), by account id.
   */
  readonly to_cards: ReadonlyMap<string, number>;
}

export interface CategoryInflow {
  /** Last month's balance. A negative balance is not carried over. */
  readonly last_balance: number;
  readonly budgeted: number;
  readonly cash_activity: number;
  /** Net activity on each credit account, by account id. */
  readonly card_activity: ReadonlyMap<string, number>;
}

const NO_CARDS: ReadonlyMap<string, number> = new Map();

/** The amount that is carried over from the previous month. */
export function carryOver(lastBalance: number): number {
  return Math.max(0, lastBalance);
}

/**
 * One category in one month. Cash spending is paid first. Then refunds on cards add money. Then card spending is
 * funded with the rest, card by card in the given order. Card spending that is not funded is credit overspending and
 * becomes debt.
 */
export function computeCategoryMonth(inflow: CategoryInflow): CategoryMonth {
  const { budgeted, cash_activity, card_activity } = inflow;
  const assigned = carryOver(inflow.last_balance) + budgeted;
  const cash = assigned + cash_activity;
  if (card_activity.size === 0) {
    return {
      budgeted,
      activity: cash_activity,
      balance: cash,
      cash_overspent: Math.max(0, -cash),
      to_cards: NO_CARDS,
    };
  }

  const toCards = new Map<string, number>();
  let activity = cash_activity;
  let available = cash;
  for (const [card, amount] of card_activity) {
    activity += amount;
    if (amount > 0) {
      available += amount;
      toCards.set(card, -amount);
    }
  }
  const cashOverspent = Math.max(0, -available);
  for (const [card, amount] of card_activity) {
    if (amount >= 0) continue;
    const funded = Math.min(-amount, Math.max(0, available));
    available -= funded;
    if (funded > 0) toCards.set(card, funded);
  }
  return {
    budgeted,
    activity,
    balance: assigned + activity,
    cash_overspent: cashOverspent,
    to_cards: toCards,
  };
}

export interface MonthTotals {
  readonly income: number;
  /** The income of this month and of all months before. */
  readonly all_income: number;
  readonly budgeted: number;
  readonly activity: number;
  readonly to_be_budgeted: number;
  readonly cash_overspent: number;
}

/**
 * The totals of one month, from its categories and the previous month (undefined for the first month). The activity of
 * payment categories repeats what was spent in other categories, so the month's activity does not include it.
 */
export function computeMonthTotals(
  previous: Pick<MonthTotals, 'all_income' | 'to_be_budgeted' | 'cash_overspent'> | undefined,
  income: number,
  categories: Iterable<{ readonly isPayment: boolean; readonly amounts: CategoryMonth }>,
): MonthTotals {
  let budgeted = 0;
  let activity = 0;
  let cashOverspent = 0;
  for (const { isPayment, amounts } of categories) {
    budgeted += amounts.budgeted;
    if (!isPayment) activity += amounts.activity;
    cashOverspent += amounts.cash_overspent;
  }
  return {
    income,
    all_income: (previous?.all_income ?? 0) + income,
    budgeted,
    activity,
    to_be_budgeted: (previous?.to_be_budgeted ?? 0) + income - budgeted - (previous?.cash_overspent ?? 0),
    cash_overspent: cashOverspent,
  };
}
