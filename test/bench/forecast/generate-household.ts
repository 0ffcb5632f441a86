/** Invents households by which forecasts are judged: five years of all that happens on their accounts. */

import type { ForecastHousehold } from './household.ts';
import { bills } from './household-bills.ts';
import { begins, Chance, dayIn, workday } from './household-chance.ts';
import { housing } from './household-dwelling.ts';
import { dailyLife } from './household-habits.ts';
import { type Happening, Home } from './household-home.ts';
import { incomes } from './household-income.ts';
import { occasions } from './household-occasions.ts';
import type { Regular } from './household-regular.ts';

/** The same seed, a whole number from 0, gives the same household. */
export function generateHousehold(seed: number): ForecastHousehold {
  const home = new Home(new Chance(seed));
  const life = [incomes(home), [housing(home)], bills(home), dailyLife(home), occasions(home)];
  return home.live([...life.flat(), saving(home), cash(home), shared(home), balancing(home)]);
}

const rounded = (amount: number, to: number): number => Math.round(amount / to) * to;

/** Every month the same amount, or what is left, or now and then; and back when the account is low. */
function saving(home: Home): Happening {
  const { chance, main, level } = home;
  if (!home.has('savings')) return () => undefined;
  const habit = chance.pick(['fixed', 'fixed', 'fixed', 'rest', 'rest', 'sometimes']);
  const account = home.second === 'partner' && chance.of(0.2) ? 'second' : main;
  let regular: Regular | undefined;
  const start = (share: number) => {
    const amount = -Math.max(2500, rounded(level * share, 2500));
    const first = dayIn(2021, 1, chance.pick([1, 2, 3, 5, 15, 27, 28]));
    regular = home.regular({
      account,
      to: 'savings',
      payee: 'Transfer : savings',
      frequency: 'monthly',
      first,
      amount: () => amount,
      own: true,
    });
  };
  if (habit === 'fixed') start(chance.between(0.02, 0.16));
  const restDay = chance.whole(1, 28);
  const keeps = level * chance.between(0.2, 1);
  const yields = chance.between(0, 1.3);
  const monthlyInterest = chance.of(0.4);
  return ({ year, month, date }) => {
    if (habit === 'fixed' && date === 1 && chance.of(home.wealth() < 0.3 ? 0.3 : 0.03)) {
      regular?.end();
      if (home.wealth() > 0.8 || chance.of(0.2)) start(chance.between(0.02, 0.16));
    }
    const rest = rounded(home.balance(main) - keeps, 5000);
    const saves = habit === 'rest' ? date === restDay && chance.of(0.85) : chance.of(0.012);
    if (habit !== 'fixed' && saves && rest > 0)
      home.transfer(main, 'savings', rounded(rest * chance.between(0.4, 1), 1000));
    if (date === 31 && (month === 12 || (monthlyInterest && month % 2 === 1))) {
      const rate =
        ([0.001, 0.004, 0.018, 0.024, 0.016][year - 2021] ?? 0) * yields * (monthlyInterest ? 1 / 6 : 1);
      const interest = Math.round(home.balance('savings') * rate);
      if (interest > 0) home.enter('savings', interest, 'Interest');
    }
  };
}

/** Cash is withdrawn when little is left, or every week or month whatever is left. */
function cash(home: Home): Happening {
  const { chance, main } = home;
  if (!home.has('cash')) return () => undefined;
  const amount = chance.pick([4000, 5000, 6000, 10_000, 15_000, 20_000]);
  const low = amount * chance.between(0.1, 0.5);
  if (chance.of(0.25)) {
    const frequency = chance.pick(['weekly', 'everyOtherWeek', 'monthly'] as const);
    const first = dayIn(2021, 1, chance.whole(2, 14));
    home.regular({
      account: main,
      to: 'cash',
      payee: 'Transfer : cash',
      frequency,
      first,
      amount: () => -amount,
      own: true,
    });
  }
  const hoard = amount * 8;
  return ({ weekday }) => {
    const often = weekday === 6 || weekday === 5 ? 0.5 : 0.2;
    if (home.balance('cash') < low && home.balance(main) > amount && chance.of(often)) {
      home.transfer(main, 'cash', chance.of(0.8) ? amount : amount * 2);
    } else if (home.balance('cash') > hoard && chance.of(0.1))
      home.transfer('cash', main, rounded(home.balance('cash') - hoard / 2, 1000));
  };
}

/** The partner pays a part of the common costs, or the account for bills gets what it needs. */
function shared(home: Home): Happening {
  const { chance, main, level, second } = home;
  if (second === undefined) return () => undefined;
  const [from, to] = second === 'partner' ? (['second', main] as const) : ([main, 'second'] as const);
  let share = second === 'partner' ? 0.15 : 0.48;
  const first = dayIn(2021, 1, chance.pick([1, 2, 3, 15, 28]));
  const own = true;
  const amount = () => -rounded(level * share, 5000);
  home.regular({ account: from, to, payee: `Transfer : ${to}`, frequency: 'monthly', first, amount, own });
  return ({ date }) => {
    if (date !== 20) return;
    // People adapt the amount when it has been too much or too little for long.
    if (chance.of(0.5) && home.balance('second') > level * 0.9) share *= second === 'partner' ? 1.25 : 0.8;
    if (chance.of(0.5) && home.balance('second') < level * 0.1) share *= second === 'partner' ? 0.75 : 1.15;
    share = Math.min(0.9, Math.max(0.03, share));
  };
}

/** People see that an account is nearly empty, or that more money is there than they need. */
function balancing(home: Home): Happening {
  const { chance, main, level } = home;
  const low = level * chance.between(-0.1, 0.15);
  const watches = chance.between(0.1, 0.8);
  const enough = chance.between(3, 14);
  const accounts = home.second === undefined ? [main] : [main, 'second'];
  return () => {
    for (const account of accounts) {
      const missing = low - home.balance(account);
      if (missing <= 0 || !chance.of(watches)) continue;
      const amount = rounded(missing + level * chance.between(0.05, 0.3), 10_000);
      const source = ['savings', ...accounts].find(
        (other) => other !== account && home.balance(other) > amount + Math.max(0, low),
      );
      if (source !== undefined && amount > 0) home.transfer(source, account, amount);
    }
    if (home.balance(main) < -0.35 * level && chance.of(0.1)) {
      home.enter(main, rounded(level * chance.between(0.3, 0.8), 10_000), 'Parents');
    }
    if (home.wealth() > enough && home.today > begins + 60 && chance.of(0.004)) {
      const invested = rounded(home.wealth() * level * chance.between(0.1, 0.5), 50_000);
      const source = ['savings', main].find((account) => home.balance(account) > invested + level / 2);
      if (source !== undefined && workday(home.today, 1) === home.today)
        home.enter(source, -invested, chance.pick(['Broker', 'Kitchen studio', 'Car dealer', 'Builder']));
    }
  };
}
