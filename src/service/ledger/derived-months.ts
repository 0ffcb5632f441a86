/**
 * The state of every category in every month, and the months' totals: kept, and worked out again from the first
 * month that a commit touched. The arithmetic itself is in `envelopes` and `age-of-money`.
 */
import { ageOfMoney, type CashFlow, type MoneyAge, NO_MONEY, spend } from './age-of-money.ts';
import { addMonths, monthRange } from './calendar.ts';
import type { DirtySet } from './dirty-set.ts';
import { type CategoryMonth, type MonthTotals, settleCategory, settleMonth } from './envelopes.ts';
import type { LedgerState } from './ledger-state.ts';
import { leavesOf } from './postings.ts';
import { type CategoryRecord, isCash, isCredit } from './records.ts';

export class DerivedMonths {
  readonly #books: LedgerState;
  /** By month, then by category. */
  readonly #cells = new Map<string, Map<string, CategoryMonth>>();
  readonly #totals = new Map<string, MonthTotals>();
  readonly #ages = new Map<string, MoneyAge>();

  constructor(books: LedgerState) {
    this.#books = books;
  }

  cell(month: string, categoryId: string): CategoryMonth | undefined {
    return this.#cells.get(month)?.get(categoryId);
  }

  totals(month: string): MonthTotals | undefined {
    return this.#totals.get(month);
  }

  ageOfMoney(month: string): number | null {
    return ageOfMoney(this.#ages.get(month) ?? NO_MONEY);
  }

  /** Works out what was touched, and adds the payment categories that funding moved to `touched`. */
  settle(touched: DirtySet): void {
    const { categories, lastMonth } = this.#books;
    const cards = [...this.#books.accounts.values()].filter(isCredit).map(({ id }) => id);

    for (const [id, from] of [...touched.categories]) {
      const category = categories.get(id);
      if (category === undefined || category.role.kind === 'payment') continue;
      for (const month of monthRange(from, lastMonth)) this.#settleEnvelope(category, month, cards);
      for (const card of cards) {
        const payment = this.#books.paymentCategory(card);
        if (payment) touched.categoryFrom(payment.id, from);
      }
    }
    for (const [id, from] of touched.categories) {
      const category = categories.get(id);
      if (category?.role.kind !== 'payment') continue;
      for (const month of monthRange(from, lastMonth)) this.#settlePayment(category, month);
    }
    if (touched.monthsFrom !== undefined) {
      for (const month of monthRange(touched.monthsFrom, lastMonth)) this.#settleTotals(month);
    }
    if (touched.cashFrom !== undefined) {
      for (const month of monthRange(touched.cashFrom, lastMonth)) this.#settleAge(month);
    }
  }

  #settleEnvelope({ id, role }: CategoryRecord, month: string, cards: readonly string[]): void {
    const { sums } = this.#books;
    const inflow = role.kind === 'inflow';
    const card_activity = new Map<string, number>();
    for (const card of cards) {
      const amount = sums.category(id, month, card);
      if (amount !== 0) card_activity.set(card, amount);
    }
    const cell = settleCategory({
      last_balance: this.#lastBalance(id, month),
      budgeted: inflow ? 0 : this.#books.budgeted(id, month),
      cash_activity: sums.category(id, month),
      card_activity,
    });
    this.#keep(month, id, cell);
  }

  #settlePayment({ id, role }: CategoryRecord, month: string): void {
    if (role.kind !== 'payment') return;
    let activity = this.#books.sums.payment(role.account_id, month);
    for (const cell of this.#cells.get(month)?.values() ?? [])
      activity += cell.to_cards.get(role.account_id) ?? 0;
    const cell = settleCategory({
      last_balance: this.#lastBalance(id, month),
      budgeted: this.#books.budgeted(id, month),
      cash_activity: activity,
      card_activity: new Map(),
    });
    this.#keep(month, id, cell);
  }

  #settleTotals(month: string): void {
    const last = this.#totals.get(addMonths(month, -1));
    const cells = this.#cells.get(month)?.values() ?? [];
    this.#totals.set(month, settleMonth(last, this.#books.sums.income(month), cells));
  }

  #settleAge(month: string): void {
    const last = this.#ages.get(addMonths(month, -1)) ?? NO_MONEY;
    this.#ages.set(month, spend(last, this.#cashFlows(month)));
  }

  /** What entered and left the cash accounts of the budget in a month, by date. */
  #cashFlows(month: string): CashFlow[] {
    const books = this.#books;
    const flows: CashFlow[] = [];
    for (const id of books.mentioning(month)) {
      const transaction = books.transactions.get(id);
      const account = transaction && books.account(transaction.account_id);
      if (!transaction || !account || !isCash(account)) continue;
      for (const leaf of leavesOf(transaction)) {
        const other = leaf.transfer_account_id === null ? undefined : books.account(leaf.transfer_account_id);
        const moved = other !== undefined && isCash(other);
        if (!moved && leaf.amount !== 0) flows.push({ date: transaction.date, amount: leaf.amount });
      }
    }
    return flows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : b.amount - a.amount));
  }

  #lastBalance(categoryId: string, month: string): number {
    return this.cell(addMonths(month, -1), categoryId)?.balance ?? 0;
  }

  #keep(month: string, categoryId: string, cell: CategoryMonth): void {
    const cells = this.#cells.get(month);
    if (cells === undefined) this.#cells.set(month, new Map([[categoryId, cell]]));
    else cells.set(categoryId, cell);
  }
}
