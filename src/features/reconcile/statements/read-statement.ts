/**
 * Reads the file of a bank: which encoding and format it has, and which statements are in it. A file that can be read in several
 * ways is several statements, whose names say how they are read, so that a person can choose. Pure.
 */
import { present } from '../../../answers/text.ts';
import { invalidInput } from '../../../base/errors.ts';
import { memo } from '../../../base/memo.ts';
import { quoteStart } from '../../../base/quote.ts';
import { sumOf } from '../../../model/sums/sum.ts';
import type { BankRow } from '../bank-list.ts';
import { textOf } from './file-text.ts';
import { readMt940, readQif } from './line-readers.ts';
import { readTable } from './table-reader.ts';
import { readCamt, readOfx } from './tagged-readers.ts';
import type { WrittenFile, WrittenStatement } from './written-statement.ts';
import { type DateOrder, ordersOf, readDate, type WayToRead } from './written-values.ts';

export const MAX_FILE_BYTES = 10 * 2 ** 20;
/** A memo has room for more, but ten thousand rows are to be remembered for an hour. */
const MAX_TEXT = 200;

export interface Statement {
  readonly file: string;
  /** The account and the way of reading, if the file has several. */
  readonly labels: readonly string[];
  /** That of the file, with the labels. */
  readonly name: string;
  readonly format: string;
  /** Equal for files of one kind. */
  readonly kind: string;
  readonly account?: string | undefined;
  readonly currency?: string | undefined;
  /** In the order of the file, with amounts in milliunits. Not empty. */
  readonly rows: readonly BankRow[];
  readonly skipped: number;
  /** What is open in the file, and how it is read in this statement. */
  readonly reading?: string;
  /** What the file leaves open, by what is asked, and how it is read in this statement. Empty if its name is that of the file. */
  readonly ways: Readonly<Record<string, string>>;
  readonly openSigns?: WrittenFile['openSigns'];
}

/**
 * Throws `invalid_input` if the file cannot be read. `today` is the day of the user, and `digits` the number of decimals of the
 * currency.
 */
export function statementsIn(
  name: string,
  bytes: Uint8Array,
  today: string,
  digits = 2,
): readonly Statement[] {
  if (bytes.length > MAX_FILE_BYTES)
    throw invalidInput(`The file is larger than ${MAX_FILE_BYTES / 2 ** 20} MB.`);
  const file = byDecimals(readFile(textOf(bytes)), digits);
  const { statements, skipped } = file;
  if (statements.length === 0)
    throw invalidInput(
      `The file has no transactions${skipped > 0 ? `: ${skipped} lines have no readable date or amount, or are not booked` : ''}.`,
    );
  const orders = ordersIn(file, today);
  const isOpen = orders.length > 1;
  return statements.flatMap((statement, index) =>
    orders.map((order): Statement => {
      const { account, currency } = statement;
      const isOne = statements.length === 1;
      const labels = present([!isOne && `account ${index + 1}`, isOpen && order.way]);
      return {
        ...labelled(name, labels),
        format: file.format,
        kind: file.kind,
        account,
        currency,
        skipped,
        ways: {
          ...(!isOne && { account: [account, currency].join(' ') }),
          ...(isOpen && { order: order.way }),
        },
        ...(isOpen && { reading: `${quoteStart(order.written, 30)} is ${order.means}` }),
        rows: rowsOf(statement, order.way),
        openSigns: file.openSigns,
      };
    }),
  );
}

const labelled = (file: string, labels: readonly string[]) => ({
  file,
  labels,
  name: labels.length > 0 ? `${file} (${labels.join(', ')})` : file,
});

/** As the amounts are written, and the other way round. */
const signLabels = {
  signed: ['signs as written', 'signs turned'],
  unsigned: ['received', 'spent'],
  purchases: ['received', 'spent'],
} as const;

/** The two readings of a statement whose file does not say which amounts are outflows. None of another one. */
export function bothSigns({ openSigns, ...statement }: Statement): readonly Statement[] {
  const { file, labels, ways, rows } = statement;
  return (openSigns ? signLabels[openSigns] : []).map((label, index) => ({
    ...statement,
    ...labelled(file, [...labels, label]),
    ways: { ...ways, signs: index === 0 ? 'as written' : 'turned' },
    rows: index === 0 ? rows : rows.map((row) => ({ ...row, amount: 0 - row.amount })),
  }));
}

/** Chooses, from two marks that the decimals may have, the one whose amounts the currency can have. Throws `invalid_input` if both are. */
function byDecimals([first, second]: readonly WrittenFile[], digits: number): WrittenFile {
  if (!first) throw new RangeError('A file has at least one reading.');
  if (!second) return first;
  const amountsOf = ({ statements }: WrittenFile) =>
    statements.flatMap(({ rows }) => rows.map(({ amount }) => amount));
  const [one, other] = [first, second].filter((file) =>
    amountsOf(file).every((amount) => amount % 10 ** (3 - digits) === 0),
  );
  if (!one || !other) return one ?? first;
  const [size, otherSize] = [one, other].map((file) => sumOf(amountsOf(file), Math.abs));
  const isGrouped = Number(size) > Number(otherSize);
  if (digits === 0) return isGrouped ? one : other;
  if (digits === 3) return isGrouped ? other : one;
  throw invalidInput(
    'Each amount has three digits after its mark, which may group thousands or begin the decimals. Export the balance after each row too, or OFX, QIF, CAMT or MT940.',
  );
}

function readFile(source: string): readonly WrittenFile[] {
  const start = source.slice(0, 4_000);
  if (/^\s*OFXHEADER|<OFX>/i.test(start)) return readOfx(source);
  if (/BkToCstmr(Stmt|AcctRpt)/.test(start)) return readCamt(source);
  if (/^\s*</.test(start))
    throw invalidInput(
      'The file is XML that is neither OFX nor CAMT.052 or 053. Export CSV, OFX, QIF, CAMT or MT940.',
    );
  // Some programs write rows of QIF without a line for their type.
  if (/^\s*!(Type|Account|Option|Clear)/i.test(start) || /^\s*D[\d/.' -]+\n(?:[A-Z].*\n)*?\^/.test(start))
    return readQif(source.split('\n'));
  if (/^(\{4:)?:(20|25|28C?|60[FM]|61):/m.test(start)) return readMt940(source.split('\n'));
  return readTable(source);
}

/**
 * The orders of dates that fit all rows of the file, also those of other accounts and days of other columns. With a decimal comma the
 * day comes first: no country writes the one without the other.
 */
function ordersIn(
  { statements, otherDates = [], decimals }: WrittenFile,
  today: string,
): readonly WayToRead<DateOrder>[] {
  const own = new Set(statements.flatMap(({ rows }) => rows.map(({ date }) => date)));
  const others = [...new Set(otherDates)].filter((each) => each !== '' && !own.has(each));
  const all = ordersOf([...own], today);
  if (all.length === 0)
    throw invalidInput(
      'Not all dates of the file can be read in one way. Is it a table of one bank, unchanged?',
    );
  const fitting = all.filter(({ way }) => others.every((each) => readDate(each, way) !== undefined));
  const orders = fitting.length > 0 ? fitting : all;
  const dayFirst = orders.find(({ way }) => way === 'day first');
  return decimals === 'decimal comma' && dayFirst ? [dayFirst] : orders;
}

function rowsOf({ rows }: WrittenStatement, order: DateOrder): readonly BankRow[] {
  const dayOf = memo((written: string) => readDate(written, order) ?? '');
  return rows.map(({ date, amount, payee, purpose }) => {
    const [name, about] = [cut(payee), cut(purpose)];
    const memo = name !== '' && about !== name ? about : '';
    return { date: dayOf(date), amount, text: name || about || undefined, memo: memo || undefined };
  });
}

const cut = (text = ''): string => {
  const plain = text
    .slice(0, 2 * MAX_TEXT)
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > MAX_TEXT ? [...plain].slice(0, MAX_TEXT).join('') : plain;
};
