/** A regular payment of an invented household: when it really happens, and the schedule that the person may keep for it. */

import type { ForecastHousehold } from './household.ts';
import {
  type Day,
  dateOf,
  dayOf,
  ends,
  type Frequency,
  occurrence,
  partsOf,
  workday,
} from './household-chance.ts';
import type { Home, Mutable } from './household-home.ts';
import { cardAccount } from './household-home.ts';

export interface Plan {
  readonly account: string;
  readonly payee: string;
  /** For a transfer: the account that takes the money. */
  readonly to?: string;
  readonly frequency: Frequency;
  readonly first: Day;
  /** Signed cents for a day on which it is due. 0: nothing happens. */
  readonly amount: (due: Day) => number;
  /** Where the bank moves a day that is no working day. */
  readonly moved?: -1 | 1;
  /** Paid by hand, so up to this many days late. */
  readonly late?: number;
  /** A different amount each time, so the person cannot schedule it. */
  readonly varies?: boolean;
  /** The person decides the amount, so a schedule is never off. */
  readonly own?: boolean;
  readonly until?: Day;
  readonly paid?: () => void;
}

type Schedule = Mutable<ForecastHousehold['schedules']>[number];

export class Regular {
  over = false;
  readonly #home: Home;
  readonly #plan: Plan;
  #index = 0;
  #due: Day = 0;
  #day: Day = 0;
  #lastDue: Day = 0;
  #wishedFrom: Day = Infinity;
  #wishedUntil: Day = Infinity;
  #schedule: Schedule | undefined;
  /** What the entries of the schedule differ from what was really paid. */
  #off = 0;
  #correctsOn: Day = Infinity;

  constructor(home: Home, plan: Plan) {
    this.#home = home;
    this.#plan = plan;
    while (occurrence(plan.frequency, plan.first, this.#index) <= home.today) this.#index += 1;
    this.#meet();
    const { chance } = home;
    if (plan.varies !== true && plan.account !== cardAccount && chance.of(home.scheduling)) {
      const later = plan.frequency !== 'never' && chance.of(0.25) ? chance.whole(30, 800) : 0;
      this.#wishedFrom = Math.max(home.schedulesFrom, home.today + later);
      if (chance.of(0.12)) this.#wishedUntil = this.#wishedFrom + chance.whole(200, 1300);
    }
  }

  /** Asked once a day. */
  pass(): void {
    const { today } = this.#home;
    if (this.over) return;
    if (this.#schedule === undefined) this.#mayBegin();
    else if (today === this.#correctsOn) this.#correct();
    else if (today >= this.#wishedUntil && today > this.#lastDue && today < this.#due) this.#close();
    if (today >= this.#day) this.#pay();
  }

  /** Nothing more is paid. */
  end(): void {
    this.#close();
    this.over = true;
  }

  #meet(): void {
    const { frequency, first, moved, late = 0, until = Infinity } = this.#plan;
    this.#due = occurrence(frequency, first, this.#index);
    if (this.#due > until || this.#due === Infinity) {
      // The person removes the schedule of a contract that has ended some days after the last payment.
      this.over = true;
      if (frequency !== 'never') this.#close();
      return;
    }
    const { chance } = this.#home;
    this.#day = moved === undefined ? this.#due : workday(this.#due, moved);
    if (late > 0 && chance.of(0.6)) this.#day += chance.whole(1, late);
  }

  #mayBegin(): void {
    const { today, chance } = this.#home;
    const wished = today >= this.#wishedFrom && today < this.#wishedUntil && this.#due > today;
    if (!(wished && this.#canBeFirst())) return;
    const right = this.#plan.amount(this.#due);
    if (right === 0) return;
    const rounded = Math.round(right / 1000) * 1000;
    const wrong = chance.of(0.5) && rounded !== 0 ? rounded : Math.round(right * chance.between(0.94, 1.06));
    this.#open(today, this.#plan.own !== true && chance.of(0.2) ? wrong : right);
  }

  /** Whether a schedule that begins on the next day of the payment has the same days: not if that is a short month's last. */
  #canBeFirst(): boolean {
    const { first, frequency } = this.#plan;
    const byWeeks = frequency === 'weekly' || frequency === 'everyOtherWeek';
    return byWeeks || partsOf(this.#due).date === partsOf(first).date;
  }

  #open(from: Day, amount: number): void {
    const { account, payee, to, frequency } = this.#plan;
    this.#schedule = {
      id: `schedule-${this.#home.schedules.length + 1}`,
      account,
      amount,
      payee,
      ...(to === undefined ? {} : { transferAccount: to }),
      frequency,
      first: dateOf(this.#due),
      knownFrom: dateOf(from),
    };
    this.#home.schedules.push(this.#schedule);
    this.#day = this.#due;
  }

  #close(): void {
    if (this.#schedule === undefined) return;
    const { account, payee } = this.#plan;
    if (this.#off !== 0)
      this.#home.enter(account, this.#off, this.#home.chance.of(0.5) ? payee : 'Balance adjustment');
    this.#off = 0;
    const until = Math.max(this.#home.today, this.#lastDue + 1, dayOf(this.#schedule.knownFrom));
    const at = this.#home.schedules.indexOf(this.#schedule);
    if (until <= ends) this.#home.schedules[at] = { ...this.#schedule, knownUntil: dateOf(until) };
    this.#schedule = undefined;
    this.#correctsOn = Infinity;
  }

  /** The old schedule ends today, the one with the right amount is entered on the next day. */
  #correct(): void {
    this.#close();
    this.#open(this.#home.today + 1, this.#plan.amount(this.#due));
  }

  #pay(): void {
    const { account, payee, to, amount, paid } = this.#plan;
    const { chance, today } = this.#home;
    const right = amount(this.#due);
    const entered = this.#schedule?.amount ?? right;
    const more = this.#schedule === undefined ? {} : { schedule: this.#schedule.id };
    if (to === undefined) this.#home.fund(account, -entered);
    if (to !== undefined && entered !== 0) this.#home.transfer(account, to, -entered, this.#schedule?.id);
    else if (entered !== 0) this.#home.enter(account, entered, payee, more);
    paid?.();
    if (this.#plan.own !== true) this.#off += right - entered;
    this.#lastDue = this.#due;
    this.#index += 1;
    this.#meet();
    if (this.#schedule === undefined || this.over) return;
    this.#day = this.#due;
    const next = amount(this.#due);
    const noticed = this.#plan.own === true || chance.of(this.#home.attention);
    if (next !== this.#schedule.amount && next !== 0 && this.#canBeFirst() && noticed) {
      this.#correctsOn = Math.min(this.#due - 2, today + chance.whole(1, 25));
    }
  }
}
