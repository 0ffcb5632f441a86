/**
 * Invented households with cases for a review of new transactions: what it should show, and what only looks like it.
 * The author did not know the rules that these cases judge. A truth is what a sensible person would want to be shown.
 */
import { addDays } from '../../../src/base/calendar.ts';
import { type BlindTransaction, Book, type Case, cleaned, type Row } from './blind-book.helper.ts';
import {
  type Bought,
  bills,
  coffee,
  cost,
  everyDay,
  habits,
  regular,
  split,
  ticket,
} from './blind-life.helper.ts';
import type { AccountKey, PayeeKey, TransferKey } from './blind-names.helper.ts';

export interface BlindHousehold {
  /** The day on which the review is made. Nothing is later. */
  readonly today: string;
  readonly accounts: readonly { readonly name: string; readonly type: string }[];
  readonly categories: readonly string[];
  /** Of 12 to 18 months, oldest first. The older ones are approved. */
  readonly transactions: readonly BlindTransaction[];
  /** By the indices of transactions. */
  readonly truths: readonly Case<number>[];
  /** What a careless rule would show, and a sensible person would not want to see. */
  readonly lookAlikes: readonly Case<number>[];
}

const accountTypes = {
  checking: 'checking',
  savings: 'savings',
  cash: 'cash',
  card: 'creditCard',
  second: 'checking',
} as const;

/** The same seed, a whole number from 0, gives the same household. */
export function blindHousehold(seed: number): BlindHousehold {
  const book = new Book(seed);
  everyDay(book);
  regular(book);
  bills(book);
  mistyped(book);
  transfers(book);
  notTransfers(book);
  duplicates(book);
  notDuplicates(book);
  importedAgain(book);
  const accounts = book.accounts.map((key) => ({ name: book.names.accounts[key], type: accountTypes[key] }));
  return { today: book.today, accounts, categories: Object.values(book.names.categories), ...book.finish() };
}

/** Amounts typed with a misplaced decimal point, of which no bank has reported the right one yet. */
function mistyped(book: Book): void {
  const { chance } = book;
  const bread = -cost(book, 'bakery') * 10;
  if (chance.of(0.8))
    book.shown('unusual', 'ten times the usual price', book.typed('cash', book.newDay(), bread, 'bakery'));
  const yesterday = addDays(book.today, -chance.whole(0, 1));
  const food = -cost(book, 'market') * 100;
  if (chance.of(0.5))
    book.shown(
      'unusual',
      'a hundred times the usual price',
      book.typed('checking', yesterday, food, 'market'),
    );
}

/** Transfers between own accounts. Older ones are linked, and so is the last one if it is not a case. */
function transfers(book: Book): void {
  const { chance } = book;
  const move = (key: TransferKey, from: AccountKey, to: AccountKey, likely: number, units: number) => {
    const leaves = book.newDay(3);
    const arrives = addDays(leaves, chance.pick([0, 1, 1, 2, 2, 3]));
    const regularly = key === 'saving' || key === 'cardPayment' || key === 'other';
    if (regularly)
      for (const date of book.monthsBefore(leaves).slice(1)) book.linked([from, to], date, units);
    if (chance.of(likely))
      book.shown('transfer', key, ...book.unlinked(key, [from, to], [leaves, arrives], units));
    else if (regularly)
      book.notShown('transfer', 'already linked', ...book.linked([from, to], leaves, units));
  };
  move('saving', 'checking', 'savings', 0.85, chance.pick([100, 150, 250, 300]));
  move('cardPayment', 'checking', 'card', 0.85, chance.between(280, 900));
  move('withdrawal', 'checking', 'cash', 0.9, chance.pick([50, 60, 80]));
  move('withdrawal', 'checking', 'cash', 0.5, chance.pick([20, 40, 120, 200]));
  move('fromSavings', 'savings', 'checking', 0.8, chance.pick([400, 650, 1200]));
  move('payIn', 'cash', 'checking', 0.6, chance.pick([70, 130, 240]));
  const hasSecond = book.accounts.includes('second');
  if (!hasSecond) move('saving', 'checking', 'savings', 0.8, 75);
  if (hasSecond) move('other', 'checking', 'second', 0.85, chance.pick([100, 200, 350]));
  if (hasSecond) move('back', 'second', 'checking', 0.7, chance.between(30, 220));
}

/** Equal amounts out and in that are not transfers. */
function notTransfers(book: Book): void {
  const { chance } = book;
  const pair = (
    kind: 'transfer' | 'duplicate',
    because: string,
    units: number,
    payees: [PayeeKey, PayeeKey],
    to: AccountKey,
  ) => {
    const date = book.newDay(3);
    const paid = book.imported('card', date, -units, payees[0]);
    const got = book.imported(to, addDays(date, chance.whole(0, 3)), units, payees[1]);
    book.notShown(kind, because, paid, got);
  };
  const lent = chance.pick([20, 25, 40]);
  pair('transfer', 'refunded on another account', cost(book, 'clothes'), ['clothes', 'clothes'], 'checking');
  pair('transfer', 'paid to a friend, got from another', lent, ['friend', 'otherFriend'], 'checking');
  pair(
    'transfer',
    'a friend pays the dinner back',
    cost(book, 'restaurant'),
    ['restaurant', 'otherFriend'],
    'checking',
  );
  const [date, share] = [book.newDay(2), chance.pick([12, 18, 30])];
  const inCash = book.typed('cash', addDays(date, chance.whole(0, 2)), share, 'otherFriend');
  const lentOn = book.imported('checking', date, -share, 'friend');
  book.notShown('transfer', 'one friend gets money, another gives as much in cash', lentOn, inCash);
  for (const units of [30, 70])
    book.notShown('transfer', 'already linked', ...book.linked(['checking', 'cash'], book.newDay(), units));
  pair('duplicate', 'refunded on the same account', cost(book, 'online'), ['online', 'online'], 'card');
}

/** One purchase that was entered or reported twice. */
function duplicates(book: Book): void {
  const { chance, names } = book;
  const often = [
    'grocer',
    'market',
    'pharmacy',
    'fuel',
    'restaurant',
    'bistro',
    'clothes',
    'online',
  ] as const;
  const twice = (because: string, key: Bought, date: string, days: number, changes: Partial<Row> = {}) => {
    const { account } = habits[key];
    const units = -cost(book, key);
    const typed = book.typed(
      account,
      date,
      units,
      key,
      key === 'grocer' ? { ...split(book, units), ...changes } : changes,
    );
    book.shown('duplicate', because, typed, book.imported(account, addDays(date, days), units, key));
  };
  const shortName = (key: Bought) => {
    const [name] = names.payees[key];
    return { payee: chance.pick([name, name.toLowerCase(), name.split(' ')[0] ?? name]) };
  };
  for (let times = chance.whole(1, 3); times > 0; times -= 1) {
    const key = chance.pick(often.slice(1));
    twice('entered by hand and imported', key, book.newDay(2), chance.whole(0, 2), shortName(key));
  }
  if (chance.of(0.6)) twice('entered as a split and imported', 'grocer', book.newDay(2), chance.whole(0, 2));
  if (chance.of(0.5))
    twice('a dinner with a tip', 'restaurant', book.newDay(4), chance.whole(2, 4), shortName('restaurant'));
  if (chance.of(0.5)) {
    const payee = chance.pick(names.ownWords);
    twice(
      'entered in own words',
      chance.pick(['bistro', 'online', 'clothes']),
      book.newDay(2),
      chance.whole(0, 2),
      { payee },
    );
  }
  if (chance.of(0.6)) {
    const days = Array.from({ length: 9 }, (_, ago) => addDays(book.today, -4 - ago));
    const saturday = days.find((day) => new Date(day).getUTCDay() === 6) ?? book.today;
    twice('bought on a Saturday', chance.pick(['market', 'clothes']), saturday, chance.whole(2, 4));
  }
  for (let times = chance.whole(0, 2); times > 0; times -= 1) {
    const key = chance.pick(often);
    const { account } = habits[key];
    const [date, units] = [book.newDay(4), -cost(book, key)];
    const text = names.written.pending(names.payees[key][1], date, 0);
    const bank = { importPayee: cleaned(text), importPayeeOriginal: text, cleared: 'uncleared' } as const;
    const pending = book.imported(account, date, units, key, {
      ...bank,
      payee: cleaned(text),
      category: null,
    });
    const posted = book.imported(account, addDays(date, chance.whole(1, 4)), units, key);
    book.shown('duplicate', 'pending and posted', pending, posted);
  }
  if (chance.of(0.5)) {
    const date = book.newDay(2);
    const [out] = book.linked(['checking', 'cash'], date, 90);
    const imported = book.reported(
      'checking',
      addDays(date, chance.whole(0, 2)),
      -90,
      names.transfers.withdrawal[0],
    );
    book.shown('duplicate', 'a transfer entered by hand, and its import', out, imported);
  }
  if (chance.of(0.5)) {
    const [date, units] = [book.newDay(), -cost(book, 'market')];
    const typed = [{}, shortName('market')].map((changes) =>
      book.typed('cash', date, units, 'market', changes),
    );
    book.shown('duplicate', 'entered by two people', ...typed);
  }
}

function notDuplicates(book: Book): void {
  const { chance } = book;
  const twice = (because: string, units: number, payees: [PayeeKey, PayeeKey], days: number) => {
    const date = book.newDay(1);
    const [first, second] = payees;
    const rows = [
      book.imported('checking', date, -units, first),
      book.imported('checking', addDays(date, days), -units, second),
    ];
    book.notShown('duplicate', because, ...rows);
  };
  twice('two coffees on one day', coffee, ['cafe', 'cafe'], 0);
  twice('a coffee on each of two days', coffee, ['cafe', 'cafe'], 1);
  twice('two tickets of one day', ticket, ['transit', 'transit'], 0);
  twice(
    'the same amount at two shops',
    chance.pick([9.99, 12.5, 20]),
    ['grocer', 'pharmacy'],
    chance.whole(0, 1),
  );
  const [date, units] = [book.newDay(), -cost(book, 'bakery')];
  const accounts = [
    book.typed('cash', date, units, 'bakery'),
    book.imported('checking', date, units, 'bakery'),
  ];
  book.notShown('duplicate', 'the same amount from two accounts', ...accounts);
}

/** After a new connection a bank reports some days again, with other ids and perhaps with other texts. */
function importedAgain(book: Book): void {
  const { chance, names } = book;
  if (!chance.of(0.6)) return;
  const account = names.accounts[chance.pick(['checking', 'card'] as const)];
  const since = addDays(book.today, -30);
  const own = book.rows.filter((row) => row.account === account && row.date >= since);
  const once = own.filter(({ amount }) => own.filter((row) => row.amount === amount).length === 1);
  const days = once
    .filter((row) => row.importId !== null && row.date < book.today && !book.isInCase(row))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const start = chance.whole(0, Math.max(0, days.length - 4));
  const reworded = chance.of(0.5);
  for (const row of days.slice(start, start + chance.whole(2, 4))) {
    const payee = row.importPayee ?? row.payee;
    const words = reworded ? { payee, importPayeeOriginal: payee.toUpperCase(), category: null } : {};
    const date = chance.of(0.7) ? row.date : addDays(row.date, 1);
    book.shown('duplicate', 'imported again', row, book.again(row, { date, ...words }));
  }
}
