/** What an invented household has to pay regularly: contracts, insurance, loans, for children and the credit card's bill. */
import { begins, type Day, dayIn, type Frequency, partsOf } from './household-chance.ts';
import { cardAccount, type Happening, type Home, stepped } from './household-home.ts';
import type { Plan, Regular } from './household-regular.ts';

interface Contract {
  readonly payee: string;
  /** In cents, for each payment. */
  readonly cost: number;
  readonly frequency: Frequency;
  readonly account?: string;
  /** By hand: some days late. Otherwise debited, on the next working day. */
  readonly byHand?: boolean;
  readonly raise?: {
    readonly probability: number;
    readonly low: number;
    readonly high: number;
    readonly round?: number;
  };
  readonly until?: Day;
}

const usualRaise = { probability: 0.45, low: 0.01, high: 0.08 };

/** Begins at some day within the first period from today. */
export function firstOf(home: Home, frequency: Frequency): Day {
  const length = {
    weekly: 7,
    everyOtherWeek: 14,
    twiceAMonth: 30,
    monthly: 30,
    every3Months: 91,
    yearly: 365,
    never: 30,
  }[frequency];
  const { year, month, date } = partsOf(home.today + home.chance.whole(1, length));
  return dayIn(year, month, Math.min(home.chance.of(0.5) ? home.chance.pick([1, 1, 2, 3, 5, 15]) : date, 28));
}

export function contract(
  home: Home,
  { payee, cost, frequency, account, byHand, raise, until }: Contract,
): Regular {
  const price = stepped(home, cost, raise ?? usualRaise);
  const timing: Partial<Plan> = byHand === true ? { late: 6 } : home.chance.of(0.7) ? { moved: 1 } : {};
  return home.regular({
    account: account ?? home.billsAccount,
    payee,
    frequency,
    first: firstOf(home, frequency),
    amount: (due) => -price(due),
    ...timing,
    ...(until === undefined ? {} : { until }),
  });
}

const subscriptions: readonly (readonly [payee: string, cost: number])[] = [
  ['Netflix', 1299],
  ['Spotify', 999],
  ['Disney+', 899],
  ['Cloud storage', 299],
  ['Newspaper', 1990],
  ['Gym', 2990],
  ['Yoga studio', 5500],
  ['Audiobooks', 995],
  ['Video games', 1299],
  ['Meal boxes', 6490],
  ['Language course', 1299],
  ['Password manager', 360],
  ['Lottery', 1700],
];

function subscribing(home: Home): Happening {
  const { chance } = home;
  const appetite = chance.around(0.05, 0.8);
  const lifetime = chance.between(300, 1600);
  function begin(payee: string, cost: number): void {
    const until = home.today + Math.round(-Math.log(1 - chance.number()) * lifetime);
    const account = chance.of(home.cardShare) ? cardAccount : home.main;
    const yearly = chance.of(0.12);
    const frequency = yearly ? 'yearly' : payee === 'Meal boxes' ? 'weekly' : 'monthly';
    contract(home, {
      payee,
      cost: cost * (yearly ? 10 : 1),
      frequency,
      account,
      until,
      raise: { probability: 0.35, low: 0.06, high: 0.25, round: 10 },
    });
  }
  for (const [payee, cost] of subscriptions) if (chance.of(appetite * 5)) begin(payee, cost);
  return ({ month }) => {
    if (chance.of((appetite / 30) * (month === 1 ? 2.5 : 1))) begin(...chance.pick(subscriptions));
  };
}

/** Contracts that a household has or has not: probability, payee, cents and how often. */
function contracts(home: Home): void {
  const { chance, level, american } = home;
  const wealthy = level / 350_000;
  const all: readonly (readonly [number, string, number, Frequency])[] = [
    [0.9, 'Mobile phone', chance.pick([999, 1499, 1999, 2999, 4500]), 'monthly'],
    [home.adults === 2 ? 0.8 : 0, 'Mobile phone', chance.pick([999, 1499, 2999]), 'monthly'],
    [0.45, 'Liability insurance', 7200, 'yearly'],
    [0.25, 'Life insurance', 4500 * wealthy, 'monthly'],
    [american ? 0.5 : 0.15, 'Health insurance', 19_000 * wealthy, 'monthly'],
    [0.2, 'Dental insurance', 3200, 'monthly'],
    [0.2, 'Legal insurance', 24_000, 'yearly'],
    [0.35, 'Bank fees', chance.pick([290, 490, 990]), chance.pick<Frequency>(['monthly', 'every3Months'])],
    [0.3, 'Charity', chance.pick([1000, 1500, 2500, 5000]), 'monthly'],
    [0.25, 'Club', chance.whole(40, 250) * 100, 'yearly'],
    [0.15, 'Professional association', chance.whole(60, 400) * 100, 'yearly'],
    [0.3, 'Online shop membership', 8990, 'yearly'],
    [0.2, 'Pension plan', Math.round(level * 0.03), 'monthly'],
    [
      0.25,
      'Broker',
      chance.pick([5000, 10_000, 20_000, 30_000]) * Math.max(0.5, Math.round(wealthy)),
      'monthly',
    ],
    [home.pensioners ? 0.1 : 0.25, 'Commuter pass', chance.pick([4900, 6800, 9900]), 'monthly'],
    [0.15, 'Cleaner', chance.pick([4000, 5500, 7000]), 'everyOtherWeek'],
    [0.2, 'Piano lessons', 9500, 'monthly'],
  ];
  for (const [probability, payee, cost, frequency] of all) {
    if (!chance.of(probability)) continue;
    const until = chance.of(0.15) ? begins + chance.whole(200, 1800) : undefined;
    contract(home, {
      payee,
      cost,
      frequency,
      byHand: chance.of(0.15),
      ...(until === undefined ? {} : { until }),
    });
  }
  const never = { probability: 0, low: 0, high: 0 };
  for (const [probability, payee] of [
    [0.25, 'Student loan'],
    [0.3, 'Car loan'],
    [0.12, 'Consumer credit'],
  ] as const) {
    const until = begins + chance.whole(150, 3000);
    const cost = Math.round(level * chance.between(0.025, 0.07));
    if (!home.pensioners && chance.of(probability))
      contract(home, { payee, cost, frequency: 'monthly', until, raise: never });
  }
}

/** Day care, school and clubs change with the age of the children. */
function raising(home: Home): Happening {
  const { chance } = home;
  const stages = [
    {
      from: 1,
      to: 5,
      payee: 'Day care',
      cost: home.level * chance.between(0.02, 0.12),
      frequency: 'monthly',
    },
    { from: 6, to: 11, payee: 'After-school care', cost: chance.whole(40, 220) * 100, frequency: 'monthly' },
    { from: 6, to: 15, payee: 'Sports club', cost: chance.whole(30, 110) * 100, frequency: 'every3Months' },
    {
      from: 8,
      to: 17,
      payee: 'Pocket money',
      cost: chance.whole(2, 8) * 100,
      raise: { probability: 0.6, low: 0.1, high: 0.4, round: 50 },
      frequency: chance.pick<Frequency>(['weekly', 'monthly']),
    },
  ] as const;
  const active = new Map<string, Regular>();
  return ({ date }) => {
    if (date !== 1) return;
    for (const child of home.children) {
      const age = (home.today - child) / 365;
      for (const { from, to, ...stage } of stages) {
        const key = `${stage.payee} ${child}`;
        const wanted = age >= from && age < to + 1;
        if (wanted && !active.has(key)) active.set(key, contract(home, stage));
        else if (!wanted) active.get(key)?.end();
      }
    }
  };
}

/** The bill has all purchases up to some weeks before; some people pay only a part of it. */
function creditCard(home: Home): Happening {
  const { chance } = home;
  if (home.cardShare === 0) return () => undefined;
  const closes = chance.whole(1, 28);
  const days = chance.pick([3, 10, 21, 25]);
  const part = chance.of(0.15) ? chance.between(0.1, 0.6) : 1;
  home.enter(
    cardAccount,
    -Math.round(home.level * home.cardShare * chance.between(0.1, 0.4)),
    'Earlier purchases',
  );
  return ({ date }) => {
    const owed = -home.balance(cardAccount);
    if (date !== closes || owed <= 0) return;
    const pays = Math.round(part === 1 ? owed : Math.max(3000, owed * chance.around(part, 0.4)));
    const bill = Math.min(owed, pays);
    if (bill < owed) home.enter(cardAccount, -Math.round((owed - bill) * 0.016), 'Interest');
    const first = home.today + days;
    const paid = () => home.enter(cardAccount, bill, 'Paid');
    home.regular({
      account: home.main,
      payee: 'Credit card',
      frequency: 'never',
      first,
      amount: () => -bill,
      varies: true,
      moved: 1,
      paid,
    });
  };
}

export function bills(home: Home): Happening[] {
  contracts(home);
  return [subscribing(home), raising(home), creditCard(home)];
}
