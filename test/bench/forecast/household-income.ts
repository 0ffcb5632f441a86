/** Where the money of an invented household comes from: salaries, irregular income of freelancers, pensions. */
import { begins, type Day, dayIn, type Frequency, partsOf } from './household-chance.ts';
import { type Happening, type Home, stepped } from './household-home.ts';
import type { Regular } from './household-regular.ts';

const employers = [
  'Harbor Logistics',
  'Nordlicht GmbH',
  'City Hospital',
  'Bluefield Software',
  'County Schools',
  'Mills & Sons',
  'Atlas Retail',
  'Vermeer Bouw',
];
const clients = [
  'Studio Kaya',
  'Pine Street Media',
  'Orbis AG',
  'Lumen Press',
  'Old Town Theatre',
  'Fernweh Travel',
];

/** Days of pay of one employer. A second day of the month is a payment of its own. */
function payDays(
  home: Home,
): { readonly frequency: Frequency; readonly first: Day; readonly parts: number }[] {
  const { chance } = home;
  const { year, month } = partsOf(home.today);
  const onDate = (date: number, parts: number, frequency: Frequency = 'monthly') => ({
    frequency,
    first: dayIn(year, date > 28 ? 1 : month, date),
    parts,
  });
  const friday = home.today + ((5 - partsOf(home.today).weekday + 7) % 7);
  const kind = chance.number();
  if (home.american && kind < 0.45) {
    return [{ frequency: 'everyOtherWeek', first: friday + chance.pick([0, 7]), parts: 12 / 26 }];
  }
  if (home.american && kind < 0.65) return [onDate(chance.pick([1, 5, 7, 10]), 0.5, 'twiceAMonth')];
  if (home.american && kind < 0.75) return [onDate(15, 0.5), onDate(31, 0.5)];
  if (home.american && kind < 0.85) return [{ frequency: 'weekly', first: friday, parts: 12 / 52 }];
  return [onDate(chance.pick([1, 5, 10, 15, 20, 25, 25, 27, 28, 31, 31, 31]), 1)];
}

class Job {
  #payments: Regular[] = [];
  readonly #home: Home;
  readonly monthly: (day: Day) => number;
  readonly employer: string;

  constructor(home: Home, account: string, monthly: number) {
    this.#home = home;
    const { chance } = home;
    this.employer = chance.pick(employers);
    const payee = this.employer;
    this.monthly = stepped(home, monthly, {
      probability: 0.7,
      low: 0.008,
      high: chance.of(0.2) ? 0.14 : 0.045,
    });
    const hourly = chance.of(0.2) ? chance.between(0.04, 0.22) : 0;
    const moved = chance.pick([-1, -1, -1, -1, 1, 0] as const);
    const paid = () => {
      home.lastPay = home.today;
    };
    for (const { parts, ...days } of payDays(home)) {
      const amount = (due: Day) =>
        Math.round(this.monthly(due) * parts * (hourly > 0 ? chance.around(1, hourly) : 1));
      const shift = partsOf(days.first).date === 31 ? -1 : moved;
      this.#payments.push(
        home.regular({
          account,
          payee,
          ...days,
          amount,
          varies: hourly > 0,
          paid,
          ...(shift === 0 ? {} : { moved: shift }),
        }),
      );
    }
    const { year } = partsOf(home.today);
    const extra = (month: number, amount: (due: Day) => number, varies: boolean) => {
      const first = dayIn(year, month, chance.pick([15, 25, 27, 28]));
      this.#payments.push(
        home.regular({ account, payee, frequency: 'yearly', first, amount, varies, moved: -1, paid }),
      );
    };
    if (!home.american && chance.of(0.4)) {
      const months = chance.pick([[11], [12], [12], [6, 11], [6, 12]]);
      for (const month of months) extra(month, (due) => Math.round(this.monthly(due) / months.length), false);
    }
    if (chance.of(0.3)) {
      const usual = chance.around(0.7, 0.6);
      const amount = (due: Day) =>
        chance.of(0.2) ? 0 : Math.round(this.monthly(due) * chance.around(usual, 0.5));
      extra(chance.pick([2, 3, 4, 7, 12]), amount, true);
    }
  }

  end(): void {
    for (const payment of this.#payments) payment.end();
    this.#payments = [];
    const severance = this.#home.chance.of(0.25) ? this.#home.chance.between(0.3, 3) : 0;
    if (severance > 0)
      this.#home.enter(
        this.#home.main,
        Math.round(this.monthly(this.#home.today) * severance),
        this.employer,
      );
  }
}

/** A person with a job, who may change it, lose it, or stay with a newborn child. */
export function employee(home: Home, account: string, monthly: number): Happening {
  const { chance } = home;
  let usual = monthly;
  let job: Job | undefined = new Job(home, account, usual);
  let benefit: Regular | undefined;
  let back: Day = Infinity;
  let children = home.children.length;
  const restless = chance.between(0.002, 0.016);
  const risk = chance.between(0.001, 0.006);

  function pause(months: number, part: number, payee: string): void {
    if (job === undefined) return;
    usual = job.monthly(home.today);
    job.end();
    job = undefined;
    back = home.today + Math.max(1, Math.round(months * 30.4));
    if (months < 1 || part === 0) return;
    const first = home.today + chance.whole(15, 60);
    const amount = Math.round(usual * part);
    benefit = home.regular({ account, payee, frequency: 'monthly', first, amount: () => amount, moved: 1 });
  }

  return ({ date }) => {
    if (home.children.length > children) {
      children = home.children.length;
      if (chance.of(home.adults === 2 ? 0.5 : 1))
        pause(chance.between(2, 14), chance.between(0.5, 0.8), 'Parental benefit');
    }
    if (home.today >= back) {
      benefit?.end();
      back = Infinity;
      usual *= chance.between(0.88, 1.22);
      job = new Job(home, account, usual);
    }
    if (date !== 1 || job === undefined) return;
    if (chance.of(restless)) pause(chance.of(0.65) ? 0 : chance.between(0.5, 3), 0, '');
    else if (chance.of(risk))
      pause(Math.min(14, chance.around(4, 0.7)), chance.between(0.4, 0.7), 'Unemployment benefit');
  };
}

/** A person with clients, who pay when they like, and with tax to pay each quarter. */
export function freelancer(home: Home, account: string, monthly: number): Happening {
  const { chance } = home;
  const perMonth = chance.between(0.7, 4.5);
  const spread = chance.between(0.25, 0.8);
  const quiet = [chance.whole(1, 12), chance.pick([1, 8])];
  const own = Array.from({ length: chance.whole(1, 5) }, () => chance.pick(clients));
  let drift = 1;
  let sinceTax = 0;
  const taxRate = chance.between(0.12, 0.28);
  const gross = monthly / (1 - taxRate);
  home.regular({
    account,
    payee: 'Tax office',
    frequency: 'every3Months',
    first: dayIn(2021, home.american ? 1 : 3, home.american ? 15 : 10),
    amount: () => -Math.round(sinceTax * taxRate * chance.around(1, 0.15)),
    varies: true,
    late: 3,
    paid: () => {
      sinceTax = 0;
    },
  });
  return ({ date, month, weekday }) => {
    if (date === 1) drift = Math.min(1.8, Math.max(0.4, chance.around(drift ** 0.93, 0.14)));
    const rate = ((perMonth * (quiet.includes(month) ? 0.5 : 1.05)) / 21) * (date < 12 ? 1.25 : 0.85);
    if (weekday % 6 === 0 || !chance.of(rate)) return;
    const amount = Math.round(
      (chance.around(gross / perMonth, spread) / Math.exp(spread ** 2 / 2)) * drift * home.prices(),
    );
    home.enter(account, amount, chance.pick(own));
    home.lastPay = home.today;
    sinceTax += amount;
    if (chance.of(0.15))
      home.buy(
        chance.pick(['Office supplies', 'Software licence', 'Accountant', 'Train']),
        chance.around(6000, 0.9),
        account,
      );
  };
}

function pension(home: Home, account: string, monthly: number): Happening {
  const { chance } = home;
  const parts = chance.pick([[1], [0.7, 0.3], [0.85, 0.15]]);
  for (const [index, part] of parts.entries()) {
    const amount = stepped(home, monthly * part, { probability: 0.85, low: 0.005, high: 0.05 });
    const first = dayIn(2021, 1, chance.pick([1, 3, 15, 23, 28, 31]));
    const paid = () => {
      home.lastPay = home.today;
    };
    home.regular({
      account,
      payee: index === 0 ? 'State pension' : 'Company pension',
      frequency: 'monthly',
      first,
      amount,
      moved: -1,
      paid,
    });
  }
  return () => undefined;
}

export function incomes(home: Home): Happening[] {
  const { chance, level } = home;
  const partners = home.second === 'partner' ? 'second' : home.main;
  const first = home.adults === 2 ? chance.pick([1, 0.8, 0.65, 0.6, 0.5]) : 1;
  const kind = (): typeof employee => (home.pensioners ? pension : chance.of(0.14) ? freelancer : employee);
  const earners = [kind()(home, home.main, level * (partners === 'second' ? Math.min(first, 0.7) : first))];
  const rest = partners === 'second' ? Math.max(1 - first, 0.3) : 1 - first;
  if (rest > 0) earners.push(kind()(home, partners, level * rest));
  home.lastPay = begins - chance.whole(1, 20);
  return earners;
}
