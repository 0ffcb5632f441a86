/**
 * The envelope arithmetic, pure: what is in a category at the end of a month and what is left to be budgeted. It
 * knows amounts only (milliunits), neither names nor where they are kept.
 *
 * The law that ties it together: the money in the cash accounts of the budget equals `to_be_budgeted` plus all
 * category balances plus this month's credit overspending (money that was spent, but is still owed and not gone).
 */

export interface CategoryMonth {
  readonly budgeted: number;
  readonly activity: number;
  readonly balance: number;
  /** The part of a negative balance that was paid in cash: next month's `to_be_budgeted` bears it. */
  readonly cash_overspent: number;
  /** What moved from here to the payment category of each card (negative for refunds), by account id. */
  readonly to_cards: ReadonlyMap<string, number>;
}

export interface CategoryInflow {
  /** Last month's balance; a negative one is not carried over. */
  readonly last_balance: number;
  readonly budgeted: number;
  readonly cash_activity: number;
  /** Net activity on each credit account, by account id. */
  readonly card_activity: ReadonlyMap<string, number>;
}

const NO_CARDS: ReadonlyMap<string, number> = new Map();

/** What a category starts the month with. */
export function carryOver(lastBalance: number): number {
  return Math.max(0, lastBalance);
}

/**
 * One category in one month. Cash spending uses up what there is first; then refunds to cards give money back;
 * then card spending is funded as far as the money goes, card by card in the order given. What is not funded is
 * credit overspending: it becomes debt.
 */
export function settleCategory(inflow: CategoryInflow): CategoryMonth {
  const { budgeted, cash_activity, card_activity } = inflow;
  const before = carryOver(inflow.last_balance) + budgeted;
  const cash = before + cash_activity;
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
  return { budgeted, activity, balance: before + activity, cash_overspent: cashOverspent, to_cards: toCards };
}

export interface MonthTotals {
  readonly income: number;
  readonly budgeted: number;
  readonly activity: number;
  readonly to_be_budgeted: number;
  readonly cash_overspent: number;
}

/** One month from its categories and the month before (undefined for the first). */
export function settleMonth(
  last: Pick<MonthTotals, 'to_be_budgeted' | 'cash_overspent'> | undefined,
  income: number,
  categories: Iterable<CategoryMonth>,
): MonthTotals {
  let budgeted = 0;
  let activity = 0;
  let cashOverspent = 0;
  for (const category of categories) {
    budgeted += category.budgeted;
    activity += category.activity;
    cashOverspent += category.cash_overspent;
  }
  return {
    income,
    budgeted,
    activity,
    to_be_budgeted: (last?.to_be_budgeted ?? 0) + income - budgeted - (last?.cash_overspent ?? 0),
    cash_overspent: cashOverspent,
  };
}
