/**
 * The computed amounts of every category in every month, and the totals of the months. They are stored, and
 * recomputed from the first month that a commit affects. `envelopes` and `age-of-money` contain the arithmetic.
 */
import {
  ageOfMoney,
  applyCashFlows,
  type CashFlow,
  INITIAL_MONEY_AGE,
  type MoneyAge,
} from './age-of-money.ts';
import { addMonths, monthRange } from './calendar.ts';
import type { DirtySet } from './dirty-set.ts';
import {
  type CategoryMonth,
  computeCategoryMonth,
  computeMonthTotals,
  type MonthTotals,
} from './envelopes.ts';
import type { LedgerState } from './ledger-state.ts';
import { linesOf } from './postings.ts';
import { type CategoryRecord, isCash, isCredit } from './records.ts';

/** The amounts that a category shows in a month, in milliunits. */
type ShownAmounts = Pick<CategoryMonth, 'budgeted' | 'activity' | 'balance'>;

const NOTHING: ShownAmounts = { budgeted: 0, activity: 0, balance: 0 };

export class DerivedMonths {
  readonly #state: LedgerState;
  readonly #sumsIncome: boolean;
  /** By month, then by category. */
  readonly #categoryMonths = new Map<string, Map<string, CategoryMonth>>();
  readonly #totals = new Map<string, MonthTotals>();
  readonly #ages = new Map<string, MoneyAge>();

  /** With `sumsIncome`, the category of income shows income. */
  constructor(state: LedgerState, sumsIncome: boolean) {
    this.#state = state;
    this.#sumsIncome = sumsIncome;
  }

  /** The category of income shows that of all months as its balance, which is not what is left to assign. */
  amounts(month: string, { id, role }: Pick<CategoryRecord, 'id' | 'role'>): ShownAmounts {
    if (role.kind !== 'inflow' || !this.#sumsIncome) return this.#categoryMonth(month, id) ?? NOTHING;
    const totals = this.#totals.get(month);
    return { budgeted: 0, activity: totals?.income ?? 0, balance: totals?.all_income ?? 0 };
  }

  totals(month: string): MonthTotals | undefined {
    return this.#totals.get(month);
  }

  ageOfMoney(month: string): number | null {
    return ageOfMoney(this.#ages.get(month) ?? INITIAL_MONEY_AGE);
  }

  /** Recomputes what is in `dirty`. Adds the payment categories that funding changed to `dirty`. */
  recompute(dirty: DirtySet): void {
    const { categories, lastMonth } = this.#state;
    const cards = [...this.#state.accounts.values()].filter(isCredit).map(({ id }) => id);

    for (const [id, from] of [...dirty.categories]) {
      const category = categories.get(id);
      if (category === undefined || category.role.kind === 'payment') continue;
      for (const month of monthRange(from, lastMonth)) this.#recomputeEnvelope(category, month, cards);
      for (const card of cards) {
        const payment = this.#state.paymentCategory(card);
        if (payment) dirty.categoryFrom(payment.id, from);
      }
    }
    for (const [id, from] of dirty.categories) {
      const category = categories.get(id);
      if (category?.role.kind !== 'payment') continue;
      for (const month of monthRange(from, lastMonth)) this.#recomputePayment(category, month);
    }
    if (dirty.monthsFrom !== undefined) {
      for (const month of monthRange(dirty.monthsFrom, lastMonth)) this.#recomputeTotals(month);
    }
    if (dirty.cashFrom !== undefined) {
      for (const month of monthRange(dirty.cashFrom, lastMonth)) this.#recomputeAge(month);
    }
  }

  #recomputeEnvelope({ id, role }: CategoryRecord, month: string, cards: readonly string[]): void {
    const { sums } = this.#state;
    const inflow = role.kind === 'inflow';
    const card_activity = new Map<string, number>();
    for (const card of cards) {
      const amount = sums.category(id, month, card);
      if (amount !== 0) card_activity.set(card, amount);
    }
    const categoryMonth = computeCategoryMonth({
      last_balance: this.#previousBalance(id, month),
      budgeted: inflow ? 0 : this.#state.budgeted(id, month),
      cash_activity: sums.category(id, month),
      card_activity,
    });
    this.#set(month, id, categoryMonth);
  }

  #recomputePayment({ id, role }: CategoryRecord, month: string): void {
    if (role.kind !== 'payment') return;
    let activity = this.#state.sums.payment(role.account_id, month);
    for (const categoryMonth of this.#categoryMonths.get(month)?.values() ?? [])
      activity += categoryMonth.to_cards.get(role.account_id) ?? 0;
    const categoryMonth = computeCategoryMonth({
      last_balance: this.#previousBalance(id, month),
      budgeted: this.#state.budgeted(id, month),
      cash_activity: activity,
      card_activity: new Map(),
    });
    this.#set(month, id, categoryMonth);
  }

  #recomputeTotals(month: string): void {
    const previous = this.#totals.get(addMonths(month, -1));
    const { categories, sums } = this.#state;
    const byCategory = [...(this.#categoryMonths.get(month) ?? [])].map(([id, amounts]) => ({
      isPayment: categories.get(id)?.role.kind === 'payment',
      amounts,
    }));
    this.#totals.set(month, computeMonthTotals(previous, sums.income(month), byCategory));
  }

  #recomputeAge(month: string): void {
    const previous = this.#ages.get(addMonths(month, -1)) ?? INITIAL_MONEY_AGE;
    this.#ages.set(month, applyCashFlows(previous, this.#cashFlows(month)));
  }

  /** The inflows and outflows of the cash accounts in a month, by date. */
  #cashFlows(month: string): CashFlow[] {
    const state = this.#state;
    const flows: CashFlow[] = [];
    for (const id of state.transactionIdsOf(month)) {
      const transaction = state.transactions.get(id);
      const account = transaction && state.account(transaction.account_id);
      if (!transaction || !account || !isCash(account)) continue;
      for (const line of linesOf(transaction)) {
        const other = line.transfer_account_id === null ? undefined : state.account(line.transfer_account_id);
        const isInternal = other !== undefined && isCash(other);
        if (!isInternal && line.amount !== 0) flows.push({ date: transaction.date, amount: line.amount });
      }
    }
    return flows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : b.amount - a.amount));
  }

  #previousBalance(categoryId: string, month: string): number {
    return this.#categoryMonth(addMonths(month, -1), categoryId)?.balance ?? 0;
  }

  #categoryMonth(month: string, categoryId: string): CategoryMonth | undefined {
    return this.#categoryMonths.get(month)?.get(categoryId);
  }

  #set(month: string, categoryId: string, categoryMonth: CategoryMonth): void {
    const byCategory = this.#categoryMonths.get(month);
    if (byCategory === undefined) this.#categoryMonths.set(month, new Map([[categoryId, categoryMonth]]));
    else byCategory.set(categoryId, categoryMonth);
  }
}
