/** What happens to an invented household now and then: fuel and the car, journeys, gifts, surprises, tax, small income, a child. */
import { type Day, dayIn, dayOf } from './household-chance.ts';
import type { Happening, Home } from './household-home.ts';
import type { Regular } from './household-regular.ts';

function driving(home: Home): Happening {
  const { chance } = home;
  let has = chance.of(home.american ? 0.9 : 0.65);
  let tank = chance.between(5, 50);
  let litre = chance.between(125, 175);
  let daily = chance.around(2.4, 0.6);
  const insurance = chance.pick([1, 3, 12]);
  const cost = Math.round(chance.around(62_000, 0.35));
  const date0 = chance.whole(1, 28);
  const month0 = chance.whole(1, 12);
  const fills = chance.of(0.7);
  return ({ weekday, date, month }) => {
    if (date === 1 && chance.of(0.006)) has = !has;
    if (!has) return;
    if (date === 1 && chance.of(0.015)) daily = chance.around(daily, 0.5);
    litre = Math.min(230, Math.max(110, chance.around(litre, 0.007)));
    tank -= daily * (weekday === 0 ? 1.2 : 1) * chance.around(0.9, 0.4);
    if (tank < (weekday === 6 ? 16 : 8)) {
      const litres = fills ? 50 - tank : Math.round(chance.pick([2000, 3000, 4000, 5000]) / litre);
      home.buy(chance.pick(['Shell', 'Aral', 'Station']), litres * litre);
      tank += litres;
    }
    if (date === date0 && (month - month0 + 12) % insurance === 0) {
      home.buy('Car insurance', ((cost * insurance) / 12) * home.prices(), home.billsAccount);
    }
    if (date === date0 && month === (month0 % 12) + 1) home.buy('Car tax', cost * 0.25, home.billsAccount);
    if (date === Math.ceil(date0 / 2) && (month === 4 || month === 10))
      home.buy('Tyre service', 6500 * home.prices());
    if (chance.of(1.1 / 365)) home.buy('Car repair shop', chance.heavy(13_000, 600_000) * home.prices());
  };
}

/** One large journey a year or more: booked early, paid in one or two parts, and life costs something else meanwhile. */
function travelling(home: Home): Happening {
  const { chance } = home;
  const journeys = chance.pick([0, 1, 1, 1, 2, 2, 3]);
  const style = chance.around(0.55, 0.5);
  let plans: { books: Day; leaves: Day; days: number; cost: number }[] = [];
  return ({ year, month, date }) => {
    if (month === 1 && date === 1) {
      plans = Array.from({ length: journeys }, (_, index) => {
        const school = home.childrenOf(6, 17) > 0;
        const inMonth =
          index === 0
            ? school
              ? chance.pick([7, 7, 8])
              : chance.pick([5, 6, 6, 7, 7, 8, 8, 9])
            : chance.pick([2, 4, 5, 10, 12]);
        const leaves = dayIn(year, inMonth, chance.whole(1, 28));
        const days = index === 0 ? chance.whole(6, 20) : chance.whole(2, 8);
        const cost = home.level * style * (days / 12) * home.prices() * chance.around(1, 0.3);
        return { books: Math.max(home.today + 3, leaves - chance.whole(5, 210)), leaves, days, cost };
      }).filter(() => chance.of(0.85));
    }
    // Most people stay at home when they have nothing.
    if (home.wealth() < 0.4) plans = plans.filter(({ books }) => books !== home.today || chance.of(0.2));
    for (const { books, leaves, days, cost } of plans) {
      if (home.today === books && leaves - books > 60 && chance.of(0.6)) {
        home.buy('Travel agency', cost * 0.3, home.main);
        const rest = -Math.round(cost * 0.7);
        home.regular({
          account: home.main,
          payee: 'Travel agency',
          frequency: 'never',
          first: leaves - 30,
          amount: () => rest,
        });
      } else if (home.today === books) {
        home.buy(chance.pick(['Airline', 'Railway']), cost * 0.45);
        home.buy(chance.pick(['Booking.com', 'Airbnb', 'Campsite']), cost * 0.55);
      }
      if (home.today === leaves) home.awayUntil = leaves + days;
      if (home.today < leaves || home.today >= leaves + days) continue;
      for (let times = chance.whole(0, 3); times > 0; times -= 1) {
        home.buy(
          chance.pick(['Restaurant', 'Beach bar', 'Museum', 'Supermarket', 'Souvenirs']),
          chance.around(2200 * (0.5 + home.adults / 2), 0.6) * home.freedom(),
        );
      }
    }
  };
}

const feasts = [
  ['2021-12-25', '2022-12-25', '2023-12-25', '2024-12-25', '2025-12-25'],
  ['2021-05-13', '2022-05-02', '2023-04-21', '2024-04-10', '2025-03-30'],
  ['2021-02-12', '2022-02-01', '2023-01-22', '2024-02-10', '2025-01-29'],
];

function giving(home: Home): Happening {
  const { chance } = home;
  const feast =
    chance.pick([feasts[0], feasts[0], feasts[0], feasts[0], feasts[1], feasts[2]])?.map(dayOf) ?? [];
  const gifts = chance.around(6, 0.6) + 3 * home.children.length;
  const cost = chance.around(2800, 0.35) * (home.level / 300_000) ** 0.4;
  const birthdays = new Set(Array.from({ length: chance.whole(2, 14) }, () => chance.whole(101, 1228)));
  return ({ month, date }) => {
    const near = feast.find((day) => day > home.today && day - home.today <= 35);
    const close = near === undefined ? 0 : Math.exp(-Math.abs(near - home.today - 9) / 9) / 16;
    if (chance.of(close * gifts))
      home.buy(
        chance.pick(['Toy shop', 'Amazon', 'Department store', 'Jeweller']),
        chance.around(cost, 0.6) * home.freedom(),
      );
    if (birthdays.has(month * 100 + date) && chance.of(0.8))
      home.buy(chance.pick(['Florist', 'Bookshop', 'Gift shop']), chance.around(cost, 0.6));
  };
}

function surprises(home: Home): Happening {
  const { chance } = home;
  const luck = chance.between(0.3, 1.8);
  const all = [
    ['Washing machine', 0.12, 25_000, 120_000],
    ['Refrigerator', 0.08, 30_000, 150_000],
    ['Phone repair', 0.3, 8000, 110_000],
    ['Plumber', 0.25, 9000, 400_000],
    ['Fine', 0.5, 2500, 50_000],
    ['Hospital', 0.12, 15_000, 800_000],
    ['Dentist', 0.15, 20_000, 350_000],
    ['Bicycle shop', 0.4, 4000, 250_000],
    ['Wedding of friends', 0.2, 15_000, 120_000],
    ['Lawyer', 0.04, 40_000, 600_000],
    ['Roofer', 0.03, 80_000, 1_500_000],
    ['Help for family', 0.15, 10_000, 400_000],
  ] as const;
  let phaseEnds = Infinity;
  return ({ date }) => {
    for (const [payee, yearly, least, most] of all) {
      if (chance.of((yearly * luck) / 365)) home.buy(payee, chance.heavy(least, most) * home.prices());
    }
    if (date === 1 && home.phase === 1 && chance.of(0.015)) {
      home.phase = chance.between(0.5, 1.35);
      phaseEnds = home.today + chance.whole(60, 300);
    }
    if (home.today >= phaseEnds) home.phase = 1;
  };
}

/** Income that does not come from work: for children, from the tax office, from friends and from things sold. */
function smallIncome(home: Home): Happening {
  const { chance } = home;
  const sells = chance.of(0.3) ? chance.between(0.2, 2) : 0;
  const shares = chance.of(0.5) ? chance.between(0.3, 4) : 0;
  const sideJob = chance.of(0.1) ? chance.between(0.5, 3) : 0;
  const childBenefit = home.american ? 0 : chance.whole(9, 22) * 1000;
  let forChildren: Regular | undefined;
  let entitled = 0;
  const refund = chance.of(0.25) ? -1 : 1;
  const refundMedian = home.level * (home.american ? 0.45 : 0.2) * refund;
  const taxMonths = home.american ? [2, 3, 3, 4] : [3, 4, 5, 6, 7, 8, 9, 10];
  let taxDay = dayIn(2021, chance.pick(taxMonths), chance.whole(2, 28));
  return ({ year }) => {
    const children = home.childrenOf(0, 17);
    if (childBenefit > 0 && children !== entitled) {
      forChildren?.end();
      entitled = children;
      const amount = childBenefit * children;
      const first = home.today + chance.whole(2, 26);
      if (children > 0)
        forChildren = home.regular({
          account: home.main,
          payee: 'Child benefit',
          frequency: 'monthly',
          first,
          amount: () => amount,
          moved: -1,
        });
    }
    if (home.today === taxDay) {
      const amount = Math.round(chance.around(refundMedian, 0.7));
      if (amount > 0) home.enter(home.main, amount, 'Tax refund');
      else if (chance.of(0.8)) {
        home.regular({
          account: home.main,
          payee: 'Tax office',
          frequency: 'never',
          first: home.today + chance.whole(10, 30),
          amount: () => amount,
        });
      }
      taxDay = dayIn(year + 1, chance.pick(taxMonths), chance.whole(2, 28));
    }
    if (chance.of(sells / 30))
      home.enter(
        chance.of(0.3) && home.has('cash') ? 'cash' : home.main,
        Math.round(chance.around(3500, 0.9)),
        'Flea market',
      );
    if (chance.of(shares / 30))
      home.enter(home.main, Math.round(chance.around(2200, 0.7)), chance.pick(['Alex', 'Sam', 'Robin']));
    if (chance.of(sideJob / 30)) home.enter(home.main, Math.round(chance.around(16_000, 0.5)), 'Side job');
    if (chance.of(0.35 / 365))
      home.enter(
        home.main,
        Math.round(chance.heavy(10_000, 1_500_000)),
        chance.pick(['Gift from parents', 'Insurance payout', 'Inheritance', 'Lottery']),
      );
  };
}

function family(home: Home): Happening {
  const { chance } = home;
  const yearly =
    home.adults === 2 && !home.pensioners && home.children.length < 3 ? chance.pick([0, 0.05, 0.2]) : 0;
  return ({ date }) => {
    if (date === 1 && home.children.length < 4 && chance.of(yearly / 12)) home.children.push(home.today);
  };
}

export function occasions(home: Home): Happening[] {
  return [family(home), driving(home), travelling(home), giving(home), surprises(home), smallIncome(home)];
}
