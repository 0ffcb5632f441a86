/** Writes the transactions of the household day by day: pay, bills, shopping, card payments, and rare events. */

import { addDays, dayOf, daysBetween, daysInMonth } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addTransaction, type TransactionInput, updateTransaction } from '../ledger/transactions.ts';
import type { Directory } from './directory.ts';
import { INFLOW, LOANS, MONTHLY, type MonthlyPlan } from './household-bills.ts';
import { HABITS, type HabitPlan, MEMOS } from './household-habits.ts';
import type { Random } from './random.ts';

const CENT = 10;
const CARDS = ['Blue Card', 'Travel Card'];

type Entry = Omit<TransactionInput, 'cleared'>;

type Names = readonly [string, ...string[]];

/** The names of the categories and payees of the small purchases that fill up to a number of transactions. */
interface SmallPurchases {
  readonly categories: Names;
  readonly payees: Names;
}

export class HouseholdDiary {
  readonly #state: LedgerState;
  readonly #directory: Directory;
  readonly #random: Random;
  readonly #small: SmallPurchases;

  constructor(state: LedgerState, directory: Directory, random: Random, small: SmallPurchases) {
    this.#state = state;
    this.#directory = directory;
    this.#random = random;
    this.#small = small;
  }

  /** Writes from `first` to today. With `transactions`, small purchases and their refunds fill up to that number. */
  write(first: string, transactions?: number): void {
    const days = daysBetween(first, this.#state.today) + 1;
    const start = this.#state.transactions.size;
    for (let day = 0; day < days; day += 1) {
      const date = addDays(first, day);
      this.#writeDay(date);
      if (transactions === undefined) continue;
      // The number of regular transactions on later days is unknown. Those days add fewer fillers instead.
      const target = start + Math.floor(((transactions - start - RECENT_COUNT) * (day + 1)) / days);
      this.#addFillers(date, target);
    }
    this.#addRecent();
    if (transactions !== undefined) this.#addFillers(this.#state.today, transactions - DUE_COUNT);
  }

  #writeDay(date: string): void {
    for (const plan of MONTHLY) if (dayOf(date) === plan.day) this.#addMonthly(plan, date);
    for (const habit of HABITS) {
      const isInSeason = habit.months?.includes(Number(date.slice(5, 7))) ?? true;
      if (isInSeason && this.#random.chance(habit.per_month / daysInMonth(date)))
        this.#addPurchase(habit, date);
    }
    if (dayOf(date) === 20) for (const card of CARDS) this.#payCard(card, date);
    if (dayOf(date) === 28) this.#addLoanInterest(date);
    if (date.endsWith('-03-12')) {
      this.#add({
        ...this.#entry('Checking', date, -690_000, 'Compass Insurance'),
        category_id: this.#directory.category('Car Insurance'),
      });
    }
    if (date.endsWith('-12-15')) {
      this.#add({
        ...this.#entry('Checking', date, 900_000, 'Lindqvist Engineering'),
        category_id: this.#directory.category(INFLOW),
        memo: 'Bonus 🎉',
      });
    }
    if (date.endsWith('-01-02')) {
      this.#add(this.#entry('House', date, 4_000_000, 'Manual Balance Adjustment'));
      this.#add(
        this.#entry(
          'Pension Fund',
          date,
          this.#random.amount(400_000, 1_300_000, CENT),
          'Manual Balance Adjustment',
        ),
      );
    }
  }

  #addMonthly(plan: MonthlyPlan, date: string): void {
    const spread = plan.spread ?? 0;
    const payee = plan.transfer_to === undefined ? (plan.payee ?? '') : `Transfer : ${plan.transfer_to}`;
    this.#add({
      ...this.#entry(plan.account, date, plan.amount + this.#random.amount(-spread, spread, CENT), payee),
      category_id: plan.category === null ? null : this.#directory.category(plan.category),
      memo: plan.memo ?? null,
    });
  }

  #addPurchase(habit: HabitPlan, date: string): void {
    const random = this.#random;
    const amount = -random.amount(habit.min, habit.max, CENT);
    const entry: Entry = {
      ...this.#entry(random.pick(habit.accounts), date, amount, random.pick(habit.payees)),
      category_id: this.#directory.category(habit.category),
      memo: random.chance(0.08) ? random.pick(MEMOS) : null,
      flag_color: habit.category === 'Holiday' ? 'blue' : random.chance(0.03) ? 'green' : null,
    };
    if (habit.category === 'Groceries' && amount < -30_000 && random.chance(0.14)) {
      const householdGoods = Math.round(amount / 4 / CENT) * CENT;
      const legs = [
        { amount: amount - householdGoods, category_id: this.#directory.category('Groceries') },
        {
          amount: householdGoods,
          category_id: this.#directory.category('Household Goods'),
          memo: 'soap & such',
        },
      ];
      this.#add({ ...entry, category_id: null, legs });
      return;
    }
    this.#add(entry);
    if (habit.category === 'Clothing' && random.chance(0.15)) {
      const refundDate = addDays(date, random.integer(3, 9));
      const refund = { ...entry, date: refundDate, amount: -amount, memo: 'Refund, did not fit' };
      if (refundDate <= this.#state.today) this.#add(refund);
    }
  }

  #payCard(card: string, date: string): void {
    const { cleared, uncleared } = this.#state.sums.account(this.#directory.account(card));
    const debt = cleared + uncleared;
    if (debt < 0) this.#add(this.#entry('Checking', date, debt, `Transfer : ${card}`));
  }

  #addLoanInterest(date: string): void {
    for (const [loan, yearly] of LOANS) {
      const { cleared, uncleared } = this.#state.sums.account(this.#directory.account(loan));
      const interest = Math.round(((cleared + uncleared) * yearly) / 12 / CENT) * CENT;
      this.#add({ ...this.#entry(loan, date, interest, 'Interest'), debt_transaction_type: 'interest' });
    }
  }

  /**
   * Recent transactions that are not reviewed yet: unapproved, some without a category. One overspends a category.
   */
  #addRecent(): void {
    const { today } = this.#state;
    const unreviewed: readonly [string, number, string][] = [
      ['Checking', -23_400, 'Paybox 8841'],
      ['Blue Card', -12_990, 'Webshop Order'],
      ['Checking', 15_000, 'Jonas'],
    ];
    for (const [i, [account, amount, payee]] of unreviewed.entries()) {
      this.#add({ ...this.#entry(account, addDays(today, -i), amount, payee), approved: false });
    }
    this.#add({
      ...this.#entry('Checking', today, -104_000, 'Strings Attached'),
      category_id: this.#directory.category('Hobbies'),
      memo: 'New strings for the cello 🎻',
      flag_color: 'red',
      approved: false,
    });
  }

  #addFillers(date: string, count: number): void {
    const { categories, payees } = this.#small;
    if (categories.length > 1 || payees.length > 1) this.#addSmallPurchases(date, count);
    else this.#addRefundedPurchases(date, count);
  }

  /** Small purchases, some of them split, and one income as large as all of them. */
  #addSmallPurchases(date: string, count: number): void {
    const random = this.#random;
    const category = () => this.#directory.category(random.pickOften(this.#small.categories));
    let spent = 0;
    while (this.#state.transactions.size < count) {
      if (spent > 0 && this.#state.transactions.size === count - 1) {
        this.#add({
          ...this.#entry('Checking', date, spent, 'Market Stall'),
          category_id: this.#directory.category(INFLOW),
        });
        return;
      }
      const amount = random.amount(500, 15_000, CENT);
      const first = random.chance(0.05) ? random.amount(CENT, amount - CENT, CENT) : amount;
      const entry = {
        ...this.#entry(
          random.pick(['Checking', 'Blue Card']),
          date,
          -amount,
          random.pickOften(this.#small.payees),
        ),
        memo: random.chance(0.3) ? `${random.pick(MEMOS)}, receipt ${random.integer(1, 99_999)}` : null,
      };
      const legs = [first, amount - first].map((part) => ({ amount: -part, category_id: category() }));
      this.#add(first === amount ? { ...entry, category_id: category() } : { ...entry, legs });
      spent += amount;
    }
  }

  /** Purchases in one shop, each refunded on the same day. They add transactions without changing any balance. */
  #addRefundedPurchases(date: string, count: number): void {
    const random = this.#random;
    while (this.#state.transactions.size < count) {
      const amount = random.amount(500, 40_000, CENT);
      const entry = {
        ...this.#entry(
          random.pick(['Checking', 'Blue Card', 'Wallet']),
          date,
          -amount,
          this.#small.payees[0],
        ),
        category_id: this.#directory.category(this.#small.categories[0]),
      };
      this.#add(entry);
      if (this.#state.transactions.size < count) this.#add({ ...entry, amount, memo: 'Brought back' });
    }
  }

  #entry(account: string, date: string, amount: number, payee: string): Entry {
    return {
      account_id: this.#directory.account(account),
      date,
      amount,
      payee_id: this.#directory.payee(payee),
      approved: true,
    };
  }

  /**
   * Adds a transaction. Older ones are reconciled, and those of the last days are uncleared. The other side of a
   * transfer gets the same status.
   */
  #add(entry: Entry): void {
    const age = daysBetween(entry.date, this.#state.today);
    const cleared = age > 40 ? 'reconciled' : age > 6 ? 'cleared' : 'uncleared';
    const { transfer_transaction_id: otherSideId } = addTransaction(this.#state, { ...entry, cleared });
    if (otherSideId !== null) updateTransaction(this.#state, otherSideId, { cleared });
  }
}

/** The number of transactions that `#addRecent` adds after the fillers. */
const RECENT_COUNT = 60;
/** The number of scheduled transactions that come due while the budget is created. */
const DUE_COUNT = 1;
