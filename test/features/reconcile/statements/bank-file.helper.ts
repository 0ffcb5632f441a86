/**
 * Writes files of banks from known rows, in the dialects of bank-dialects.helper.ts. The same seed writes the same file. A file has parts,
 * so that a test can take it apart and still know which rows it says.
 */
import { addDays } from '../../../../src/base/calendar.ts';
import { languages } from './bank-languages.helper.ts';
import { encoded } from './encoded.helper.ts';

export interface Dialect {
  readonly language: keyof typeof languages;
  /** `D` and `M` have two digits, `Y` has four and `y` two, and `N` is the name of a month in English. */
  readonly date: string;
  /** How 1234.56 is written, such as `1.234,56`, `1234.560` or `1,234`. The groups of `1,23,456.78` are those of India. */
  readonly number: string;
  /** How an amount below zero is written: `-#` if nothing else is there. */
  readonly minus?: string;
  readonly plus?: string;
  readonly encoding?: string;
  readonly newestFirst?: boolean;
  /** Own accounts whose rows the file has. */
  readonly accounts?: number;
  /** What a cell `letter` has for what was spent, and for what was received. */
  readonly letters?: readonly [spent: string, received: string];
  readonly currency?: string;
  readonly end?: string;
  /** Decimals of the currency, if not two. */
  readonly digits?: number;
  /** The cells of a row's text and memo, if they are not those of its payee and its purpose. */
  readonly texts?: readonly string[];
  /** Lines before the names of columns, before the rows and after them. `{opening}` is a value of the file. */
  readonly before?: readonly string[];
  readonly top?: readonly string[];
  readonly bottom?: readonly string[];
}

/** The columns are `name=cell`, with ` | ` between them, and a cell is one of `cells` or a text after a colon. */
export interface TableDialect extends Dialect {
  readonly columns: string;
  readonly by: string;
  readonly quoted?: 'all' | 'texts';
  readonly isHeaderless?: true;
}

/** A format whose rows are blocks of text, which have values such as `{date}`. */
export interface BlockDialect extends Dialect {
  readonly block: string;
}

export interface KnownRow {
  readonly date: string;
  /** In milliunits. */
  readonly amount: number;
  readonly payee: string;
  readonly memo: string;
  readonly account: number;
  /** Of its account, after the row. */
  readonly balance: number;
  readonly place: number;
}

/** The rows are one for each known row. A line of a table is a list of cells. */
export interface BankFile {
  readonly dialect: TableDialect | BlockDialect;
  readonly known: readonly KnownRow[];
  readonly header: readonly string[] | undefined;
  readonly rows: readonly (readonly string[])[];
}

/** What the reader has to find, by the own accounts in the order of the file: day, amount, text, and memo if there is one. */
export type Expected = readonly (readonly (readonly (string | number)[])[])[];

/** Numbers from 0 to 1, the same ones for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function bankFile(dialect: TableDialect | BlockDialect, seed: number): BankFile {
  const known = knownRows(dialect, seed);
  const columns = columnsOf(dialect);
  return {
    dialect,
    known,
    header: columns && !('isHeaderless' in dialect) ? columns.map(({ name }) => name) : undefined,
    rows: known.map((row) =>
      columns
        ? columns.map(({ cell }) => cellOf(dialect, cell, row, known))
        : 'block' in dialect
          ? [filledIn(dialect.block, dialect, row, known)]
          : [],
    ),
  };
}

const START = '2026-01-07';
const LAST_DAY = '2026-11-20';

function knownRows(
  { language, accounts = 1, newestFirst, number }: Dialect,
  seed: number,
): readonly KnownRow[] {
  const random = randomOf(seed);
  const upTo = (count: number) => Math.floor(random() * count);
  const { names, purposes } = languages[language];
  const [payees, memos] = [names.split('|'), purposes.split('|')];
  const cent = numberOf(number).digits === 0 ? 1_000 : 10;
  const balances = Array.from({ length: accounts }, () => cent * (upTo(900_000) + 10_000));
  const rows: KnownRow[] = [];
  const count = 5 * accounts + upTo(30);
  let date = addDays(START, upTo(60));
  for (let place = 0; place < count && date <= LAST_DAY; place += 1) {
    // Some payments come again with the same amount.
    const earlier = random() < 0.2 ? rows[upTo(rows.length)] : undefined;
    const size = cent * Math.ceil(10 ** (1 + random() * 4.2));
    const account = place < 2 * accounts ? place % accounts : upTo(accounts);
    const amount = earlier?.amount ?? (random() < 0.25 ? size : -size);
    const balance = (balances[account] ?? 0) + amount;
    balances[account] = balance;
    rows.push({
      date,
      amount,
      payee: earlier?.payee ?? payees[upTo(payees.length)] ?? '',
      memo: `${memos[upTo(memos.length)] ?? ''} ${1_000 + upTo(9_000)}`,
      account,
      balance,
      place,
    });
    date = addDays(date, upTo(7));
  }
  return newestFirst ? rows.toReversed() : rows;
}

interface ColumnSpec {
  readonly name: string;
  readonly cell: string;
}

function columnsOf(dialect: Dialect): readonly ColumnSpec[] | undefined {
  if (!('columns' in dialect) || typeof dialect.columns !== 'string') return undefined;
  return dialect.columns.split(' | ').map((each) => {
    const at = each.lastIndexOf('=');
    return { name: each.slice(0, at), cell: each.slice(at + 1) };
  });
}

/** By the newest or the oldest row first, the oldest one comes first. */
const oldestFirst = (known: readonly KnownRow[]) => known.toSorted((one, other) => one.place - other.place);

const cells: Readonly<
  Record<string, (row: KnownRow, dialect: Dialect, known: readonly KnownRow[]) => string>
> = {
  date: ({ date }, dialect) => dayText(date, dialect),
  /** A day or two after the booking, and before it. */
  valued: ({ date, place }, dialect) => dayText(addDays(date, place % 3), dialect),
  bought: ({ date, place }, dialect) => dayText(addDays(date, -(place % 4)), dialect),
  first: (_, dialect, known) => dayText(oldestFirst(known)[0]?.date ?? '', dialect),
  last: (_, dialect, known) => dayText(oldestFirst(known).at(-1)?.date ?? '', dialect),
  amount: ({ amount }, dialect) => amountText(amount, dialect),
  size: ({ amount }, dialect) => sizeText(amount, dialect),
  turned: ({ amount }, dialect) => amountText(-amount, dialect),
  spent: ({ amount }, dialect) => (amount < 0 ? sizeText(amount, dialect) : ''),
  received: ({ amount }, dialect) => (amount > 0 ? sizeText(amount, dialect) : ''),
  /** With the sign, although it has a column of its own. */
  minus: ({ amount }, dialect) => (amount < 0 ? amountText(amount, dialect) : ''),
  spentOrZero: ({ amount }, dialect) => sizeText(Math.min(amount, 0), dialect),
  receivedOrZero: ({ amount }, dialect) => sizeText(Math.max(amount, 0), dialect),
  balance: ({ balance }, dialect) => amountText(balance, dialect),
  balanceBefore: ({ balance, amount }, dialect) => amountText(balance - amount, dialect),
  /** Of the day: only its last row has one. */
  dayBalance: ({ balance, date, place, account }, dialect, known) =>
    known.some((each) => each.date === date && each.account === account && each.place > place)
      ? ''
      : amountText(balance, dialect),
  letter: ({ amount }, { letters = ['D', 'C'] }) => letters[amount < 0 ? 0 : 1],
  payee: ({ payee }) => payee,
  memo: ({ memo }) => memo,
  narrative: ({ payee, memo }) => `${payee} ${memo}`,
  payer: ({ payee, amount }, { language }) => (amount < 0 ? languages[language].owner : payee),
  paid: ({ payee, amount }, { language }) => (amount < 0 ? payee : languages[language].owner),
  owner: (_, { language }) => languages[language].owner,
  own: ({ account }) => ownAccount(account),
  /** Each is of another bank. */
  other: ({ payee }) =>
    `DE${20 + (payee.length % 70)}${1_000 + (payee.charCodeAt(0) % 9_000)}051700000${10_000 + payee.charCodeAt(1)}`,
  number: ({ place }) => String(100_001 + place),
  code: ({ place, amount }) => `${place.toString(36)}K${Math.abs(amount).toString(36)}Z`.toUpperCase(),
  currency: (_, { currency = 'EUR' }) => currency,
  zero: (_, dialect) => sizeText(0, dialect),
  empty: () => '',
  opening: (_, dialect, known) => amountText(endsOf(known)[0], dialect),
  closing: (_, dialect, known) => amountText(endsOf(known)[1], dialect),
  totalSpent: (_, dialect, known) =>
    amountText(
      sumOf(known, (each) => Math.min(each, 0)),
      dialect,
    ),
  totalReceived: (_, dialect, known) =>
    amountText(
      sumOf(known, (each) => Math.max(each, 0)),
      dialect,
    ),
  sizeSpent: (_, dialect, known) =>
    sizeText(
      sumOf(known, (each) => Math.min(each, 0)),
      dialect,
    ),
  net: (_, dialect, known) =>
    amountText(
      sumOf(known, (each) => each),
      dialect,
    ),
  count: (_, _dialect, known) => String(known.length),
  iso: ({ date }) => date,
  compact: ({ date }) => date.replaceAll('-', ''),
  yymmdd: ({ date }) => date.slice(2).replaceAll('-', ''),
  mmdd: ({ date }) => date.slice(5).replace('-', ''),
};

const sumOf = (known: readonly KnownRow[], part: (amount: number) => number) =>
  known.reduce((sum, { amount }) => sum + part(amount), 0);

function endsOf(known: readonly KnownRow[]): readonly [opening: number, closing: number] {
  const sorted = oldestFirst(known);
  const [first, last] = [sorted[0], sorted.at(-1)];
  return [(first?.balance ?? 0) - (first?.amount ?? 0), last?.balance ?? 0];
}

const ownAccount = (account: number) => `DE0212030000000020205${1 + account}`;

function cellOf(dialect: Dialect, cell: string, row: KnownRow, known: readonly KnownRow[]): string {
  if (cell.startsWith(':')) return cell.slice(1);
  const write = cells[cell];
  if (!write) throw new RangeError(`There is no cell ${cell}.`);
  return write(row, dialect, known);
}

const filledIn = (template: string, dialect: Dialect, row: KnownRow, known: readonly KnownRow[]) =>
  template.replace(/\{(\w+)\}/g, (_, cell: string) => cellOf(dialect, cell, row, known));

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

function dayText(iso: string, { date }: Dialect): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  const parts: Readonly<Record<string, string>> = {
    ...{ Y: year, y: year.slice(2), M: month, D: day, N: months[Number(month) - 1] ?? '' },
    ...{ d: String(Number(day)), m: String(Number(month)) },
  };
  return date.replace(/[YyMDNdm]/g, (each) => parts[each] ?? '');
}

function numberOf(sample: string) {
  if (sample === '1,23,456.78') return { groups: /\B(?=(\d\d)*\d{3}$)/g, group: ',', mark: '.', digits: 2 };
  const [, group = '', mark = '', decimals = ''] = /^1(\D?)234(?:(\D)(\d+))?$/.exec(sample) ?? [];
  return { groups: /\B(?=(\d{3})+$)/g, group, mark, digits: decimals.length };
}

function sizeText(amount: number, { number }: Dialect): string {
  const { groups, group, mark, digits } = numberOf(number);
  const [whole = '', part = ''] = (Math.abs(amount) / 1_000).toFixed(3).split('.');
  return whole.replace(groups, group) + mark + part.slice(0, digits);
}

function amountText(amount: number, dialect: Dialect): string {
  const { minus = '-#', plus = '#' } = dialect;
  return (amount < 0 ? minus : plus).replace('#', sizeText(amount, dialect));
}

/** The bytes of a file, or of parts of it. Lines before and after the rows say what they have to of the rows that are there. */
export function bytesOf({ dialect, known, header, rows }: BankFile, isBare = false): Uint8Array {
  const { before = [], top = [], bottom = [], end = '\r\n', encoding = 'utf-8' } = dialect;
  const [first] = known;
  const lines = (templates: readonly string[]) =>
    first && !isBare ? templates.map((each) => filledIn(each, dialect, first, known)) : [];
  const table = 'by' in dialect ? dialect : undefined;
  const lineOf = (row: readonly string[]) =>
    table ? row.map((cell) => cellText(cell, table)).join(table.by) : row.join('');
  const text = [
    ...lines(before),
    ...(header ? [lineOf(header)] : []),
    ...lines(top),
    ...rows.map(lineOf),
    ...lines(bottom),
    '',
  ].join(end);
  return encoded(text, encoding);
}

function cellText(cell: string, { by, quoted }: TableDialect): string {
  const isText = quoted === 'texts' && /\p{L}/u.test(cell);
  return quoted === 'all' || isText || cell.includes(by) || cell.includes('"')
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;
}

export function expectedOf({ dialect, known }: BankFile): Expected {
  const texts = dialect.texts ?? textsOf(dialect);
  const accounts = [...new Set(known.map(({ account }) => account))];
  return accounts.map((account) =>
    known
      .filter((row) => row.account === account)
      .map((row) => [row.date, row.amount, ...texts.map((cell) => cellOf(dialect, cell, row, known))]),
  );
}

function textsOf(dialect: TableDialect | BlockDialect): readonly string[] {
  const written =
    columnsOf(dialect)?.map(({ cell }) => cell) ??
    ('block' in dialect ? [...dialect.block.matchAll(/\{(\w+)\}/g)].map(([, cell]) => cell) : []);
  return ['narrative', 'payee', 'memo'].filter(
    (each) => written.includes(each) || (each === 'payee' && written.includes('payer')),
  );
}
