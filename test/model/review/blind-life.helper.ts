/** The everyday life of an invented household: what it buys, its rhythms, and cases that come with them. */
import { addDays } from '../../../src/base/calendar.ts';
import { type Book, milliunits, type Row } from './blind-book.helper.ts';
import type { AccountKey, PayeeKey } from './blind-names.helper.ts';

interface Habit {
  readonly weekly: number;
  readonly cost: number;
  readonly spread: number;
  readonly account: AccountKey;
}

/** What is bought so often that its payee has a history. */
const bought = [
  'grocer',
  'market',
  'bakery',
  'pharmacy',
  'fuel',
  'restaurant',
  'bistro',
  'clothes',
  'online',
  'gifts',
  'hotel',
] as const;
export type Bought = (typeof bought)[number];

export const habits: Readonly<Record<Bought, Habit>> = {
  grocer: { weekly: 2, cost: 41, spread: 0.55, account: 'checking' },
  market: { weekly: 0.8, cost: 27, spread: 0.5, account: 'checking' },
  bakery: { weekly: 1.4, cost: 6.3, spread: 0.35, account: 'cash' },
  pharmacy: { weekly: 0.3, cost: 17, spread: 0.5, account: 'checking' },
  fuel: { weekly: 0.4, cost: 58, spread: 0.2, account: 'checking' },
  restaurant: { weekly: 0.5, cost: 47, spread: 0.35, account: 'card' },
  bistro: { weekly: 0.6, cost: 19, spread: 0.3, account: 'card' },
  clothes: { weekly: 0.25, cost: 72, spread: 0.5, account: 'card' },
  online: { weekly: 0.6, cost: 34, spread: 0.7, account: 'card' },
  gifts: { weekly: 0.2, cost: 33, spread: 0.5, account: 'card' },
  hotel: { weekly: 0.08, cost: 230, spread: 0.6, account: 'card' },
};

export const ticket = 3.2;
export const coffee = 3.9;

/** Never so far from the usual that a person would wonder. */
export function cost({ chance }: Book, key: Bought): number {
  const { cost: usual, spread } = habits[key];
  return Math.min(usual * 2.5, Math.max(usual * 0.3, chance.around(usual, spread)));
}

export function split({ chance, names: { categories } }: Book, units: number): Partial<Row> {
  const amount = milliunits(units);
  const food = milliunits(units * chance.between(0.5, 0.9));
  const legs = [
    { amount: food, category: categories.groceries },
    { amount: amount - food, category: categories.health },
  ];
  return { category: null, legs };
}

export function everyDay(book: Book): void {
  const { chance } = book;
  for (const account of book.accounts)
    book.typed(account, book.begins, account === 'card' ? -120 : 2400, 'salary', {
      payee: 'Starting Balance',
    });
  for (let date = book.begins; date <= book.today; date = addDays(date, 1)) {
    const isNew = book.isNew(date);
    const beforeChristmas = date.slice(5) >= '12-01' && date.slice(5) <= '12-24';
    for (const key of bought) {
      const { weekly, account } = habits[key];
      const festive = beforeChristmas && key === 'gifts';
      if (!chance.of((weekly * (festive ? 5 : 1)) / 7)) continue;
      const units = -cost(book, key) * (festive ? chance.between(1, 1.6) : 1);
      if (account === 'cash') book.typed(account, date, units, key);
      else {
        const changes = key === 'grocer' && !isNew && chance.of(0.08) ? split(book, units) : {};
        const row = book.imported(account, date, units, key, changes);
        if (festive && isNew) book.notShown('unusual', 'presents before Christmas', row);
        if (key === 'grocer' && isNew && units < -75)
          book.notShown('unusual', 'amounts vary at this shop', row);
      }
    }
    if (chance.of(0.35)) book.imported('checking', date, -ticket * chance.pick([1, 1, 1, 2]), 'transit');
    if (chance.of(0.3)) book.imported('checking', date, -coffee, 'cafe');
    if (chance.of(0.03)) book.imported('checking', date, -chance.pick([10, 15, 20, 40]), 'friend');
    if (chance.of(0.03)) book.imported('checking', date, chance.pick([10, 15, 25, 60]), 'otherFriend');
    if (chance.of(0.07) && !isNew) book.linked(['checking', 'cash'], date, chance.pick([40, 50, 100]));
  }
}

/** The two subscriptions of a family, a course every week, and a rent that a side job may pay by chance. */
export function regular(book: Book): void {
  const { chance } = book;
  const last = book.newDay(3);
  for (const date of book.monthsBefore(last)) {
    const first = book.imported('checking', date, -24.99, 'family');
    const second = book.imported('checking', addDays(date, chance.pick([0, 0, 1])), -24.99, 'family');
    if (date === last) book.notShown('duplicate', 'subscriptions of two people', first, second);
  }
  let before: Row | undefined;
  for (let date = addDays(book.begins, chance.whole(0, 6)); date <= book.today; date = addDays(date, 7)) {
    const row = book.imported('checking', date, -18, 'course');
    if (before && book.isNew(before.date)) book.notShown('duplicate', 'a course of every week', before, row);
    before = row;
  }
  const hasSecond = book.accounts.includes('second');
  const equal = hasSecond && chance.of(0.7);
  const rent = Math.round(chance.between(620, 1450));
  const payday = book.newDay(3);
  const later = chance.whole(0, 3);
  for (const date of book.monthsBefore(payday)) {
    const paid = book.imported(hasSecond ? 'second' : 'checking', addDays(date, later), -rent, 'rent');
    const got = book.imported('checking', date, equal ? rent : 430, 'sideJob');
    if (equal && date === payday) book.notShown('transfer', 'an income equal to the rent', paid, got);
  }
}

/** Bills and incomes of every month. The last one is unusual in some households. */
export function bills(book: Book): void {
  const { chance } = book;
  const monthly = (
    key: PayeeKey,
    usual: number,
    spread: number,
    likely: number,
    factor: number,
    why: string,
  ) => {
    const odd = chance.of(likely);
    const [last] = book.monthsBefore(book.newDay()).map((date, ago) => {
      const units = usual * chance.between(1 - spread, 1 + spread) * (ago === 0 && odd ? factor : 1);
      return book.imported('checking', date, units, key);
    });
    if (last && odd) book.shown('unusual', why, last);
  };
  monthly(
    'energy',
    -chance.between(58, 110),
    0.12,
    0.85,
    chance.between(2.8, 3.6),
    'three times the usual bill',
  );
  monthly(
    'phone',
    -chance.pick([14.99, 19.99, 29.99]),
    0,
    0.6,
    chance.between(2.9, 6),
    'a bill with roaming',
  );
  monthly(
    'salary',
    chance.between(2100, 3900),
    0.01,
    0.4,
    chance.between(0.3, 0.5),
    'half of the salary or less',
  );
  const doubled = chance.of(0.6);
  const [music] = book.monthsBefore(book.newDay()).map((date, ago) => {
    return book.imported('checking', date, ago > 0 ? -10.99 : doubled ? -21.98 : -11.99, 'music');
  });
  if (music && doubled) book.shown('unusual', 'a subscription costs twice as much', music);
  else if (music) book.notShown('unusual', 'a subscription costs a tenth more', music);
  const first = addDays(book.approvedUntil, -chance.whole(5, 50));
  book.imported('checking', first, -chance.between(12, 30), 'newShop');
  const dear = book.imported('checking', book.newDay(), -chance.between(70, 140), 'newShop');
  book.notShown('unusual', 'a payee with only one earlier payment', dear);
  for (const key of ['hotel', 'clothes'] as const) {
    const row = book.imported('card', book.newDay(), -habits[key].cost * chance.between(1.6, 2.3), key);
    book.notShown('unusual', 'what is paid here varies', row);
  }
}
