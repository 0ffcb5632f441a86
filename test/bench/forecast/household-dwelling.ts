/** What an invented household pays for its home, and how it moves to another. */

import { contract, firstOf } from './household-bills.ts';
import { type Day, dayOf, type Frequency } from './household-chance.ts';
import type { Happening, Home } from './household-home.ts';
import type { Regular } from './household-regular.ts';

/** More in winter (a positive swing) or in summer (a negative one). */
const season = (day: Day, swing: number): number =>
  1 + swing * Math.cos((2 * Math.PI * (day - dayOf('2021-01-18'))) / 365.25);

/** Metered: each bill is another one. */
function metered(home: Home, payee: string, cost: number, frequency: Frequency, swing: number): Regular {
  const { chance } = home;
  const spread = chance.between(0.05, 0.22);
  const amount = (due: Day) =>
    -Math.round(cost * home.prices(due) * season(due - 30, swing) * chance.around(1, spread));
  return home.regular({
    account: home.billsAccount,
    payee,
    frequency,
    first: firstOf(home, frequency),
    amount,
    varies: true,
    late: chance.pick([0, 0, 5]),
  });
}

function utility(home: Home, payee: string, monthly: number, swing: number): Regular[] {
  const { chance } = home;
  const frequency = chance.pick<Frequency>(['monthly', 'monthly', 'monthly', 'every3Months']);
  const cost = monthly * (frequency === 'monthly' ? 1 : 3);
  if (home.american || chance.of(0.3)) return [metered(home, payee, cost, frequency, swing)];
  // Equal parts through the year, and a bill or a refund for the difference once a year.
  const parts = contract(home, {
    payee,
    cost,
    frequency,
    raise: { probability: 0.6, low: -0.05, high: 0.2, round: 100 },
  });
  const difference = () => Math.round(monthly * chance.between(-2.2, 1.6));
  const first = firstOf(home, 'yearly');
  return [
    parts,
    home.regular({
      account: home.billsAccount,
      payee,
      frequency: 'yearly',
      first,
      amount: difference,
      varies: true,
    }),
  ];
}

/** Everything that belongs to one home, until the household moves. */
function dwelling(
  home: Home,
  owns: boolean,
  share: number,
): { readonly rent: number; readonly ends: readonly Regular[] } {
  const { chance, level } = home;
  const size =
    Math.sqrt(level / 300_000) *
    (0.75 + 0.2 * home.adults + 0.1 * home.children.length) *
    chance.around(1, 0.2);
  const rent = Math.round((level * share) / 500) * 500;
  const raise = owns
    ? { probability: 0.08, low: -0.12, high: 0.25 }
    : { probability: chance.pick([0.1, 0.4, 0.9]), low: 0.01, high: 0.07, round: 100 };
  const list: Regular[] = [];
  if (rent > 0) {
    list.push(
      contract(home, {
        payee: owns ? 'Mortgage' : 'Landlord',
        cost: rent,
        frequency: 'monthly',
        raise,
        byHand: chance.of(0.3),
      }),
    );
  }
  list.push(...utility(home, 'Electricity', 5500 * size, chance.pick([0.1, 0.2, -0.35, 0.4])));
  const heating = chance.number();
  if (heating < 0.55) list.push(...utility(home, 'Gas', 7000 * size, 0.75));
  else if (heating < 0.7) list.push(metered(home, 'Heating oil', 85_000 * size, 'yearly', 0));
  if (chance.of(0.6))
    list.push(
      metered(
        home,
        'Water',
        9000 * size,
        chance.pick<Frequency>(['monthly', 'every3Months', 'every3Months']),
        -0.15,
      ),
    );
  if (chance.of(0.4))
    list.push(
      contract(home, {
        payee: 'Waste collection',
        cost: 6500 * size,
        frequency: chance.pick<Frequency>(['every3Months', 'yearly']),
      }),
    );
  const internet = { cost: chance.pick([2999, 3499, 3999, 4990, 6500]), frequency: 'monthly' } as const;
  if (chance.of(0.95))
    list.push(
      contract(home, {
        payee: 'Internet',
        ...internet,
        raise: { probability: 0.3, low: -0.2, high: 0.25, round: 100 },
      }),
    );
  if (chance.of(0.6))
    list.push(
      contract(home, { payee: 'Home insurance', cost: (owns ? 48_000 : 12_000) * size, frequency: 'yearly' }),
    );
  if (owns) {
    const frequency = chance.pick<Frequency>(['every3Months', 'yearly', 'every3Months']);
    list.push(
      contract(home, {
        payee: 'Property tax',
        cost: level * (frequency === 'yearly' ? 0.35 : 0.09),
        frequency,
        byHand: true,
      }),
    );
  } else if (!home.american && chance.of(0.4)) {
    list.push(
      contract(home, {
        payee: 'Broadcasting fee',
        cost: 5508,
        frequency: 'every3Months',
        raise: { probability: 0.05, low: 0, high: 0.05 },
      }),
    );
  }
  return { rent, ends: list };
}

export function housing(home: Home): Happening {
  const { chance } = home;
  let owns = chance.of(home.pensioners ? 0.6 : 0.35);
  let share = owns && home.pensioners ? 0 : Math.min(0.42, chance.around(0.24, 0.25));
  let current = dwelling(home, owns, share);
  const restless = owns ? 0.0015 : chance.pick([0.002, 0.006, 0.018]);
  let settling = 0;
  return ({ date }) => {
    if (home.today < settling && chance.of(0.16))
      home.buy(
        chance.pick(['Furniture store', 'Hardware store', 'Lamps and more']),
        chance.around(9000, 1.1),
      );
    if (date !== 1 || home.wealth() < 0.2 || !chance.of(restless)) return;
    const old = current;
    const deposit = owns ? 0 : old.rent * chance.pick([1, 2, 3]);
    owns = owns || (share < 0.3 && chance.of(0.12));
    share = Math.min(0.42, share * chance.between(0.85, 1.35));
    for (const regular of old.ends) regular.end();
    current = dwelling(home, owns, share);
    settling = home.today + chance.whole(30, 120);
    const pay = (payee: string, amount: number, days: number) =>
      home.regular({
        account: home.main,
        payee,
        frequency: 'never',
        first: home.today + days,
        amount: () => Math.round(amount),
      });
    pay('Movers', -chance.around(90_000, 0.8), chance.whole(1, 20));
    if (!owns) pay('Deposit for the flat', -current.rent * chance.pick([1, 2, 3]), chance.whole(1, 10));
    if (deposit > 0) pay('Deposit returned', deposit * chance.between(0.5, 1), chance.whole(30, 150));
  };
}
