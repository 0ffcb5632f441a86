/** The household's days, one after the other, into the register: pay, bills, shopping, cards paid, odd events. */

import { addDays, dayOf, daysBetween, daysInMonth } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addTransaction, type TransactionInput, updateTransaction } from '../ledger/transactions.ts';
import type { Directory } from './directory.ts';
import { INFLOW, MONTHLY, type MonthlyPlan } from './household-bills.ts';
import { HABITS, type HabitPlan, MEMOS } from './household-habits.ts';
import type { Random } from './random.ts';

const CENT = 10;
const CARDS = ['Blue Card', 'Travel Card'];

type Entry = Omit<TransactionInput, 'cleared'>;

export class HouseholdDiary {
  readonly #books: LedgerState;
  readonly #directory: Directory;
  readonly #random: Random;

  constructor(books: LedgerState, directory: Directory, random: Random) {
    this.#books = books;
    this.#directory = directory;
    this.#random = random;
  }

  /** From `first` to today. With `transactions`, small purchases and their refunds fill up to that number. */
  write(first: string, transactions?: number): void {
    const days = daysBetween(first, this.#books.today) + 1;
    const start = this.#books.transactions.size;
    for (let day = 0; day < days; day += 1) {
      const date = addDays(first, day);
      this.#live(date);
      if (transactions === undefined) continue;
      // The lives of the days to come are not known yet: what they add is made up for on the days after them.
      const due = start + Math.floor(((transactions - start - RESERVE) * (day + 1)) / days);
      this.#fill(date, due);
    }
    this.#lastDays();
    if (transactions !== undefined) this.#fill(this.#books.today, transactions - COMING_DUE);
  }

  #live(date: string): void {
    for (const plan of MONTHLY) if (dayOf(date) === plan.day) this.#monthly(plan, date);
    for (const habit of HABITS) {
      const season = habit.months?.includes(Number(date.slice(5, 7))) ?? true;
      if (season && this.#random.chance(habit.per_month / daysInMonth(date))) this.#buy(habit, date);
    }
    if (dayOf(date) === 20) for (const card of CARDS) this.#payOff(card, date);
    if (dayOf(date) === 28) this.#loans(date);
    if (date.endsWith('-03-12')) {
      this.#enter({
        ...this.#of('Checking', date, -690_000, 'Compass Insurance'),
        category_id: this.#directory.category('Car Insurance'),
      });
    }
    if (date.endsWith('-12-15')) {
      this.#enter({
        ...this.#of('Checking', date, 900_000, 'Lindqvist Engineering'),
        category_id: this.#directory.category(INFLOW),
        memo: 'Bonus 🎉',
      });
    }
    if (date.endsWith('-01-02')) {
      this.#enter(this.#of('House', date, 4_000_000, 'Manual Balance Adjustment'));
      this.#enter(
        this.#of(
          'Pension Fund',
          date,
          this.#random.amount(400_000, 1_300_000, CENT),
          'Manual Balance Adjustment',
        ),
      );
    }
  }

  #monthly(plan: MonthlyPlan, date: string): void {
    const spread = plan.spread ?? 0;
    const payee = plan.transfer_to === undefined ? (plan.payee ?? '') : `Transfer : ${plan.transfer_to}`;
    this.#enter({
      ...this.#of(plan.account, date, plan.amount + this.#random.amount(-spread, spread, CENT), payee),
      category_id: plan.category === null ? null : this.#directory.category(plan.category),
      memo: plan.memo ?? null,
    });
  }

  #buy(habit: HabitPlan, date: string): void {
    const random = this.#random;
    const amount = -random.amount(habit.min, habit.max, CENT);
    const entry: Entry = {
      ...this.#of(random.pick(habit.accounts), date, amount, random.pick(habit.payees)),
      category_id: this.#directory.category(habit.category),
      memo: random.chance(0.08) ? random.pick(MEMOS) : null,
      flag_color: habit.category === 'Holiday' ? 'blue' : random.chance(0.03) ? 'green' : null,
    };
    if (habit.category === 'Groceries' && amount < -30_000 && random.chance(0.14)) {
      const goods = Math.round(amount / 4 / CENT) * CENT;
      const legs = [
        { amount: amount - goods, category_id: this.#directory.category('Groceries') },
        { amount: goods, category_id: this.#directory.category('Household Goods'), memo: 'soap & such' },
      ];
      this.#enter({ ...entry, category_id: null, legs });
      return;
    }
    this.#enter(entry);
    if (habit.category === 'Clothing' && random.chance(0.15)) {
      const back = addDays(date, random.integer(3, 9));
      const refunded = { ...entry, date: back, amount: -amount, memo: 'Refund, did not fit' };
      if (back <= this.#books.today) this.#enter(refunded);
    }
  }

  #payOff(card: string, date: string): void {
    const { cleared, uncleared } = this.#books.sums.account(this.#directory.account(card));
    const debt = cleared + uncleared;
    if (debt < 0) this.#enter(this.#of('Checking', date, debt, `Transfer : ${card}`));
  }

  #loans(date: string): void {
    for (const [loan, yearly] of [
      ['Mortgage', 0.0215],
      ['Car Loan', 0.049],
    ] as const) {
      const { cleared, uncleared } = this.#books.sums.account(this.#directory.account(loan));
      const interest = Math.round(((cleared + uncleared) * yearly) / 12 / CENT) * CENT;
      this.#enter({ ...this.#of(loan, date, interest, 'Interest'), debt_transaction_type: 'interest' });
    }
  }

  /** What nobody has looked at yet: fresh from the bank, some without a category; and one envelope overspent. */
  #lastDays(): void {
    const { today } = this.#books;
    const open: readonly [string, number, string][] = [
      ['Checking', -23_400, 'Paybox 8841'],
      ['Blue Card', -12_990, 'Webshop Order'],
      ['Checking', 15_000, 'Jonas'],
    ];
    for (const [i, [account, amount, payee]] of open.entries()) {
      this.#enter({ ...this.#of(account, addDays(today, -i), amount, payee), approved: false });
    }
    this.#enter({
      ...this.#of('Checking', today, -104_000, 'Strings Attached'),
      category_id: this.#directory.category('Hobbies'),
      memo: 'New strings for the cello 🎻',
      flag_color: 'red',
      approved: false,
    });
  }

  /** Purchases in one shop, each brought back on the same day: they make numbers, not a difference. */
  #fill(date: string, count: number): void {
    const random = this.#random;
    while (this.#books.transactions.size < count) {
      const amount = random.amount(500, 40_000, CENT);
      const entry = {
        ...this.#of(random.pick(['Checking', 'Blue Card', 'Wallet']), date, -amount, 'Corner Pantry'),
        category_id: this.#directory.category('Groceries'),
      };
      this.#enter(entry);
      if (this.#books.transactions.size < count) this.#enter({ ...entry, amount, memo: 'Brought back' });
    }
  }

  #of(account: string, date: string, amount: number, payee: string): Entry {
    return {
      account_id: this.#directory.account(account),
      date,
      amount,
      payee_id: this.#directory.payee(payee),
      approved: true,
    };
  }

  /** Older entries are reconciled, those of the last days still uncleared; so is the other side of a transfer. */
  #enter(entry: Entry): void {
    const age = daysBetween(entry.date, this.#books.today);
    const cleared = age > 40 ? 'reconciled' : age > 6 ? 'cleared' : 'uncleared';
    const { transfer_transaction_id: other } = addTransaction(this.#books, { ...entry, cleared });
    if (other !== null) updateTransaction(this.#books, other, { cleared });
  }
}

/** Transactions that the last days add after the filling. */
const RESERVE = 60;
/** Scheduled transactions that come due while the budget is made. */
const COMING_DUE = 1;
