/** The accounts of an invented household, the character of its people, and how they pay. */

import type { ForecastHousehold } from './household.ts';
import {
  begins,
  type Chance,
  type Day,
  dateOf,
  dayOf,
  ends,
  type Parts,
  partsOf,
} from './household-chance.ts';
import { type Plan, Regular } from './household-regular.ts';

export type Mutable<List> = List extends readonly (infer Item)[] ? Item[] : never;

/** Takes what belongs on no account: purchases by credit card, which are paid by its bill. */
export const cardAccount = 'card';

/** What happens to a household, asked every day. */
export type Happening = (parts: Parts) => void;

export class Home {
  readonly chance: Chance;
  readonly accounts: Mutable<ForecastHousehold['accounts']> = [];
  readonly events: Mutable<ForecastHousehold['events']> = [];
  readonly schedules: Mutable<ForecastHousehold['schedules']> = [];
  today: Day = begins;

  /** Usual income of a month. What people can afford depends on it. */
  readonly level: number;
  readonly american: boolean;
  readonly pensioners: boolean;
  adults: number;
  /** Days of birth. */
  readonly children: Day[] = [];
  readonly main = 'checking';
  /** A second checking account is the partner's, or only for bills. */
  readonly second: 'partner' | 'bills' | undefined;
  readonly billsAccount: string;

  /** The share of regular payments that the person enters as schedules, and since when. */
  readonly scheduling: number;
  readonly schedulesFrom: Day;
  /** How likely an amount that is off is noticed before the next payment. */
  readonly attention: number;

  readonly cardShare: number;
  readonly cashShare: number;
  /** People who spend more in the days after their pay. */
  readonly paydayEffect: number;
  readonly #inflation: number;
  readonly #generosity: number;
  lastPay: Day = begins;
  awayUntil: Day = 0;
  /** Months of care after a bad experience, or of few limits: a factor for what is not necessary. */
  phase = 1;
  mood = 1;
  #regulars: Regular[] = [];
  readonly #balances = new Map<string, number>();

  constructor(chance: Chance) {
    this.chance = chance;
    this.american = chance.of(0.4);
    this.pensioners = chance.of(0.1);
    this.adults = chance.of(0.55) ? 2 : 1;
    const level = chance.around(this.adults === 2 ? 4700 : 2900, 0.42) * (this.pensioners ? 0.75 : 1);
    this.level = Math.round(100 * Math.min(14_000, Math.max(1300, level)));
    const youngest = this.pensioners
      ? 0
      : chance.pick(this.adults === 2 ? [0, 0, 0, 1, 1, 2, 2, 3] : [0, 0, 0, 0, 0, 1, 2]);
    for (let child = 0; child < youngest; child += 1) this.children.push(begins - chance.whole(60, 16 * 365));

    this.#open(this.main, 'checking', chance.around(0.5, 0.8));
    this.second = chance.of(this.adults === 2 ? 0.45 : 0.15)
      ? chance.pick(this.adults === 2 ? ['partner', 'partner', 'bills'] : ['bills'])
      : undefined;
    if (this.second) this.#open('second', 'checking', chance.around(0.3, 0.7));
    this.billsAccount = this.second === 'bills' ? 'second' : this.main;
    if (chance.of(0.75)) this.#open('savings', 'savings', chance.around(2.5, 1.3));
    const keepsCash = chance.of(0.5);
    if (keepsCash) this.#open('cash', 'cash', chance.around(0.03, 0.7));

    this.scheduling = chance.pick([0, 0.15, 0.25, 0.33, 0.33, 0.33, 0.33, 0.4, 0.6, 0.95]);
    this.schedulesFrom = chance.of(0.3) ? begins + chance.whole(60, 1000) : begins;
    this.attention = chance.between(0.15, 0.95);
    this.cardShare = chance.of(this.american ? 0.75 : 0.35) ? chance.pick([0.3, 0.6, 0.85, 0.95]) : 0;
    this.cashShare = keepsCash ? chance.between(0.1, 0.9) : 0;
    this.paydayEffect = chance.of(0.35) ? chance.between(0.2, 0.9) : 0;
    this.#inflation = chance.between(0.01, 0.05);
    this.#generosity = chance.between(0.1, 0.6);
  }

  #open(id: string, type: 'checking' | 'savings' | 'cash', months: number): void {
    const opening = Math.round(this.level * Math.min(24, months));
    this.accounts.push({ id, type, opening });
    this.#balances.set(id, opening);
  }

  has = (account: string): boolean => this.accounts.some(({ id }) => id === account);
  balance = (account: string): number => this.#balances.get(account) ?? 0;
  /** How much dearer things have become since the beginning. */
  prices = (day: Day = this.today): number => (1 + this.#inflation) ** ((day - begins) / 365);
  /** The children in an age of whole years, both ages included. */
  childrenOf = (from: number, to: number): number =>
    this.children.filter((born) => this.today >= born + from * 365 && this.today < born + (to + 1) * 365)
      .length;

  enter(
    account: string,
    amount: number,
    payee: string,
    more: { transferAccount?: string; schedule?: string } = {},
  ): void {
    this.#balances.set(account, this.balance(account) + amount);
    if (account !== cardAccount)
      this.events.push({ date: dateOf(this.today), account, amount, payee, ...more });
  }

  transfer(from: string, to: string, amount: number, schedule?: string): void {
    const more = schedule === undefined ? {} : { schedule };
    this.enter(from, -amount, `Transfer : ${to}`, { transferAccount: to, ...more });
    this.enter(to, amount, `Transfer : ${from}`, { transferAccount: from, ...more });
  }

  /** Something is bought, with what these people have at hand for such an amount. */
  buy(payee: string, cost: number, account?: string): void {
    const amount = Math.round(cost);
    if (amount < 50) return;
    if (amount > 60_000 && amount - this.balance('savings') > this.balance(this.main) + this.level / 4) {
      this.#finance(payee, amount);
      return;
    }
    if (
      account === undefined &&
      amount < 8000 &&
      this.balance('cash') >= amount &&
      this.chance.of(this.cashShare)
    ) {
      this.enter('cash', -amount, payee);
    } else if (account === undefined && this.chance.of(this.cardShare))
      this.enter(cardAccount, -amount, payee);
    else {
      const own = this.second === 'partner' && this.chance.of(0.35) && this.balance('second') > amount;
      const from = account ?? (own ? 'second' : this.main);
      this.fund(from, amount);
      this.enter(from, -amount, payee);
    }
  }

  /** Who cannot pay at once pays in parts. */
  #finance(payee: string, amount: number): void {
    const parts = this.chance.pick([6, 10, 12, 24]);
    const part = -Math.ceil((amount * 1.04) / parts);
    const until = this.today + parts * 30.4;
    const first = this.today + this.chance.whole(5, 30);
    this.regular({ account: this.main, payee, frequency: 'monthly', first, amount: () => part, until });
  }

  /** Before a large payment people take from their savings. */
  fund(account: string, amount: number): void {
    if (account === cardAccount) return;
    const missing = Math.ceil((amount - this.balance(account)) / 10_000) * 10_000;
    if (amount > 20_000 && missing > 0 && this.balance('savings') > missing)
      this.transfer('savings', account, missing);
  }

  /** All that people have and owe, in usual months' income. */
  wealth(): number {
    return [...this.#balances.values()].reduce((sum, balance) => sum + balance, 0) / this.level;
  }

  /** How freely people spend today on what they do not need. */
  freedom(): number {
    const sincePay = this.today - this.lastPay;
    const free = this.balance(this.main) + this.balance(cardAccount) / 2;
    const mood = free < -0.3 * this.level ? 0.3 : this.mood;
    return mood * this.phase * (1 + this.paydayEffect * (Math.exp(-sincePay / 4) - 0.25));
  }

  regular(plan: Plan): Regular {
    const regular = new Regular(this, plan);
    this.#regulars.push(regular);
    return regular;
  }

  live(happenings: readonly Happening[]): ForecastHousehold {
    for (; this.today <= ends; this.today += 1) {
      const parts = partsOf(this.today);
      if (parts.date === 1) {
        const wealth = this.wealth();
        this.mood =
          wealth < 2
            ? Math.max(0.2, 0.45 + 0.275 * wealth)
            : 1 + this.#generosity * Math.min(1, (wealth - 2) / 10);
      }
      for (const regular of this.#regulars) regular.pass();
      this.#regulars = this.#regulars.filter((regular) => !regular.over);
      for (const happening of happenings) happening(parts);
    }
    const { accounts, events, schedules } = this;
    return { accounts, events, schedules, begins: dateOf(begins), ends: dateOf(ends) };
  }
}

/** An amount that changes by a part of itself, mostly once a year: rent, prices of contracts, salaries. */
export function stepped(
  home: Home,
  base: number,
  change: {
    readonly probability: number;
    readonly low: number;
    readonly high: number;
    readonly round?: number;
  },
): (day: Day) => number {
  const { chance } = home;
  const round = change.round ?? 1;
  const steps = [{ day: 0, amount: Math.round(base / round) * round }];
  let amount = base;
  for (
    let day = home.today + chance.whole(30, 365);
    day <= ends + 366;
    day += chance.of(0.8) ? 365 : chance.whole(200, 700)
  ) {
    if (!chance.of(change.probability)) continue;
    amount *= 1 + chance.between(change.low, change.high);
    const { year, month } = partsOf(day);
    steps.push({
      day: dayOf(`${year}-${String(month).padStart(2, '0')}-01`),
      amount: Math.round(amount / round) * round,
    });
  }
  return (day) => steps.findLast((step) => step.day <= day)?.amount ?? 0;
}
