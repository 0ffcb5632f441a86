/** What an invented household spends from day to day: groceries and many habits. */
import type { Happening, Home } from './household-home.ts';

interface Habit {
  readonly payees: readonly string[];
  /** How many households have it. */
  readonly share: number;
  /** Times a week, and the usual cost in cents, for a household with one adult and a usual income. */
  readonly weekly: number;
  readonly cost: number;
  readonly spread: number;
  /** How likely on each day of the week, from Sunday. */
  readonly days?: readonly number[];
  /** How likely in each month, from January. */
  readonly months?: readonly number[];
  /** The ages of the children that it is for. */
  readonly ages?: readonly [number, number];
  /** Not done less when there is little money. */
  readonly needed?: boolean;
}

const weekend = [1.2, 0.5, 0.6, 0.7, 0.9, 1.8, 2];
const work = [0, 1.4, 1.5, 1.5, 1.4, 1.2, 0];
const shops = [0.3, 0.9, 0.8, 0.9, 1, 1.3, 2];
const habits: readonly Habit[] = [
  {
    payees: ['Trattoria', 'Thai Garden', 'Burger Bar', 'Sushi Ko'],
    share: 0.9,
    weekly: 0.9,
    cost: 3400,
    spread: 0.5,
    days: weekend,
  },
  {
    payees: ['Pizza delivery', 'Deliveroo'],
    share: 0.6,
    weekly: 0.6,
    cost: 2400,
    spread: 0.35,
    days: weekend,
  },
  {
    payees: ['Canteen', 'Sandwich shop', 'Noodle bar'],
    share: 0.5,
    weekly: 2.6,
    cost: 850,
    spread: 0.3,
    days: work,
  },
  { payees: ['Coffee corner', 'Bakery'], share: 0.6, weekly: 2.2, cost: 480, spread: 0.45 },
  {
    payees: ['Pub', 'Wine bar', 'Cinema', 'Concert hall'],
    share: 0.7,
    weekly: 0.6,
    cost: 2500,
    spread: 0.7,
    days: weekend,
  },
  {
    payees: ['H&M', 'Zalando', 'Shoe shop', 'Sports shop'],
    share: 0.97,
    weekly: 0.35,
    cost: 5200,
    spread: 0.75,
    days: shops,
    months: [1.1, 0.6, 1, 1.2, 1.1, 0.9, 1.1, 0.8, 1.2, 1.2, 1.3, 1.2],
  },
  {
    payees: ['Amazon', 'Ebay', 'Online shop'],
    share: 0.9,
    weekly: 0.8,
    cost: 2600,
    spread: 0.9,
    months: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1, 1, 1.7, 1.6],
  },
  { payees: ['Drugstore'], share: 0.9, weekly: 0.7, cost: 1500, spread: 0.5, days: shops, needed: true },
  {
    payees: ['Pharmacy'],
    share: 0.9,
    weekly: 0.25,
    cost: 1600,
    spread: 0.7,
    months: [1.5, 1.5, 1.2, 1, 0.8, 0.7, 0.6, 0.7, 1, 1.2, 1.4, 1.5],
    needed: true,
  },
  {
    payees: ['Doctor', 'Dentist', 'Physiotherapy', 'Optician'],
    share: 0.8,
    weekly: 0.09,
    cost: 6500,
    spread: 1,
    days: work,
    needed: true,
  },
  {
    payees: ['Hairdresser'],
    share: 0.85,
    weekly: 0.17,
    cost: 3500,
    spread: 0.35,
    days: [0, 0.2, 1, 1, 1.2, 1.6, 1.5],
  },
  {
    payees: ['Hardware store', 'Garden centre'],
    share: 0.6,
    weekly: 0.22,
    cost: 3800,
    spread: 0.9,
    days: shops,
    months: [0.5, 0.6, 1.2, 1.8, 1.8, 1.3, 1, 0.9, 1, 0.9, 0.6, 0.4],
  },
  {
    payees: ['Bookshop', 'Hobby shop', 'Music store'],
    share: 0.6,
    weekly: 0.25,
    cost: 2300,
    spread: 0.8,
    days: shops,
  },
  {
    payees: ['Bus tickets', 'Train', 'Taxi', 'Parking'],
    share: 0.7,
    weekly: 0.8,
    cost: 900,
    spread: 0.9,
    needed: true,
  },
  { payees: ['Pet shop', 'Vet'], share: 0.3, weekly: 0.4, cost: 3000, spread: 0.7, needed: true },
  {
    payees: ['Market', 'Butcher', 'Kiosk'],
    share: 0.5,
    weekly: 1.1,
    cost: 1400,
    spread: 0.6,
    days: [0.2, 0.5, 0.8, 1, 0.8, 1.2, 2.4],
  },
  {
    payees: ['Electronics store', 'Furniture store'],
    share: 0.8,
    weekly: 0.045,
    cost: 18_000,
    spread: 0.9,
    days: shops,
    months: [1, 0.8, 0.8, 0.9, 0.9, 0.9, 0.9, 0.9, 1, 1, 1.9, 1.4],
  },
  {
    payees: ['Toy shop', 'Playground café', 'Zoo', 'Swimming pool'],
    share: 0.9,
    weekly: 0.5,
    cost: 2000,
    spread: 0.7,
    days: weekend,
    ages: [1, 12],
  },
  { payees: ['Baby shop'], share: 1, weekly: 0.9, cost: 2600, spread: 0.7, ages: [0, 1], needed: true },
  {
    payees: ['School', 'School trip', 'Stationer'],
    share: 1,
    weekly: 0.2,
    cost: 2800,
    spread: 0.8,
    months: [1, 1, 0.8, 0.8, 1, 0.8, 0.2, 2.2, 3, 0.8, 0.7, 0.6],
    ages: [6, 17],
    needed: true,
  },
];

function practise(home: Home, habit: Habit): Happening {
  const { chance } = home;
  const { payees, weekly, cost, spread, days, months, ages, needed = false } = habit;
  const favourites = payees.filter(() => chance.of(0.7));
  const means = (home.level / (home.adults === 2 ? 450_000 : 290_000)) ** 0.5;
  const usual = chance.around(weekly, 0.55) * (0.6 + 0.4 * home.adults);
  let often = usual;
  const price = chance.around(cost, 0.25) * means;
  const total = (list: readonly number[] | undefined) =>
    (list ?? [1]).reduce((sum, part) => sum + part, 0) / (list ?? [1]).length;
  return ({ month, weekday, date }) => {
    // Habits change: a new hobby, a diet, working from home.
    if (date === 1 && chance.of(0.018)) often = Math.min(usual * 4, chance.around(usual, 0.7));
    const people = ages === undefined ? 1 : home.childrenOf(...ages);
    if (people === 0 || home.today < home.awayUntil) return;
    const rate =
      (often / 7) *
      ((days?.[weekday] ?? 1) / total(days)) *
      ((months?.[month - 1] ?? 1) / total(months)) *
      people ** 0.7;
    const free = needed ? 1 : home.freedom();
    if (!chance.of(1 - Math.exp(-rate * free))) return;
    home.buy(
      chance.pick(favourites.length > 0 ? favourites : payees),
      chance.around(price, spread) * home.prices() * (needed ? 1 : free ** 0.3),
    );
  };
}

function groceries(home: Home): Happening {
  const { chance } = home;
  const markets = Array.from({ length: chance.whole(1, 4) }, () =>
    chance.pick(['Aldi', 'Lidl', 'Rewe', 'Carrefour', 'Trader Joe’s', 'Costco', 'Corner shop']),
  );
  const means = (home.level / 300_000) ** 0.35;
  const taste = chance.around(5200, 0.28) * means;
  let mainDay = chance.pick([1, 4, 5, 5, 6, 6, 6]);
  let large = chance.pick([0, 0.45, 0.7, 0.85]);
  const skips = chance.between(0.02, 0.2);
  const small = chance.between(0.8, 4.5);
  const closedOnSunday = chance.of(0.4);
  return ({ weekday, date, month }) => {
    if (date === 1 && chance.of(0.012)) {
      mainDay = chance.whole(1, 6);
      large = chance.pick([0, 0.45, 0.7, 0.85]);
    }
    if (home.today < home.awayUntil || (weekday === 0 && closedOnSunday)) return;
    const eaters = 1 + 0.7 * (home.adults - 1) + 0.35 * home.childrenOf(0, 9) + 0.6 * home.childrenOf(10, 17);
    const feast = month === 12 && date > 17 && date < 25 ? 1.5 : 1;
    const week = taste * eaters * home.prices() * feast * home.freedom() ** 0.4;
    if (weekday === mainDay && large > 0 && !chance.of(skips))
      home.buy(markets[0] ?? '', chance.around(week * large, 0.25));
    else if (chance.of(small / 7))
      home.buy(chance.pick(markets), chance.around((week * (1 - large)) / small, 0.5));
  };
}

export function dailyLife(home: Home): Happening[] {
  const own = habits.filter(({ share }) => home.chance.of(share)).map((habit) => practise(home, habit));
  return [groceries(home), ...own];
}
