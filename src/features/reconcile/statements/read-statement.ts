/**
 * Reads the file of a bank: which encoding and format it has, and which statements are in it. A file that can be read in several
 * ways is several statements, whose names say how they are read, so that a person can choose. Pure.
 */
import { decodedText } from '../../../base/decoded-text.ts';
import { invalidInput } from '../../../base/errors.ts';
import { quoteStart } from '../../../base/quote.ts';
import type { BankRow } from '../bank-list.ts';
import { readCsv } from './csv-reader.ts';
import { readMt940, readQif } from './line-readers.ts';
import { readCamt, readOfx } from './tagged-readers.ts';
import type { WrittenFile, WrittenStatement } from './written-statement.ts';
import { decimalSigns, ordersOf, readAmount, readDate, waysToRead } from './written-values.ts';

export const MAX_FILE_BYTES = 10 * 2 ** 20;
/** A memo has room for more, but ten thousand rows are to be remembered for an hour. */
const MAX_TEXT = 200;

export interface Statement {
  /** The name of the file, with the account or the way of reading if the file has several. */
  readonly name: string;
  readonly format: string;
  readonly account?: string | undefined;
  readonly currency?: string | undefined;
  /** In the order of the file, with amounts in milliunits. Not empty. */
  readonly rows: readonly BankRow[];
  readonly skipped: number;
  /** What is open in the file, and how it is read in this statement. */
  readonly reading?: string;
  /** If the file does not say which amounts are outflows: this statement as it is written, and the other way round. */
  readonly signs?: { readonly areGiven: boolean; readonly written: Statement; readonly turned: Statement };
}

/** Throws `invalid_input` if the file cannot be read. `today` is the day of the user. */
export function statementsIn(name: string, bytes: Uint8Array, today: string): readonly Statement[] {
  if (bytes.length > MAX_FILE_BYTES)
    throw invalidInput(`The file is larger than ${MAX_FILE_BYTES / 2 ** 20} MB.`);
  const file = readFile(textOf(bytes));
  const { statements } = file;
  if (statements.length === 0) throw invalidInput('The file has no transactions.');
  return statements.flatMap((statement, index) =>
    readingsOf(file, statement, today).map(({ labels, ...read }): Statement => {
      const parts = [...(statements.length > 1 ? [`account ${index + 1}`] : []), ...labels];
      const named = (...more: readonly string[]) => {
        const all = [...parts, ...more];
        return { ...read, name: all.length > 0 ? `${name} (${all.join(', ')})` : name };
      };
      const { openSigns } = file;
      if (!openSigns) return named();
      const [asWritten, turned] = signLabels[openSigns];
      const turnedRows = read.rows.map((row) => ({ ...row, amount: 0 - row.amount }));
      const signs = {
        areGiven: openSigns === 'signed',
        written: named(asWritten),
        turned: { ...named(turned), rows: turnedRows },
      };
      return { ...named(), signs };
    }),
  );
}

/** By a byte order mark, else UTF-8 if it is valid, else windows-1252. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x50 && second === 0x4b) throw notText('a spreadsheet or an archive');
  if (first === 0x25 && second === 0x50) throw notText('a PDF');
  let text: string;
  try {
    text = decodedText(bytes, true);
  } catch {
    text = Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, (each) => OF_WINDOWS[each.charCodeAt(0) - 0x80] ?? each);
  }
  if (text.includes('\0')) throw notText('no text');
  return text;
}

/** What windows-1252 has from 0x80 to 0x9f. The decoder of Node.js 20 takes them for control characters. */
const OF_WINDOWS = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];

const notText = (what: string) => invalidInput(`The file is ${what}. Export CSV, OFX, QIF, CAMT or MT940.`);

function readFile(source: string): WrittenFile {
  const start = source.slice(0, 4_000);
  if (/^\s*OFXHEADER|<OFX>/i.test(start)) return readOfx(source);
  if (/BkToCstmr(Stmt|AcctRpt)/.test(start)) return readCamt(source);
  if (/^\s*</.test(start)) throw notText('XML that is neither OFX nor CAMT.052 or 053');
  if (/^\s*!(Type|Account|Option|Clear)/i.test(start)) return readQif(source.split(/\r\n|[\r\n]/));
  if (/^(\{4:)?:(20|25|28C?|60[FM]|61):/m.test(start)) return readMt940(source.split(/\r\n|[\r\n]/));
  return readCsv(source);
}

/** Several if the dates or the amounts can be read in several ways. */
function readingsOf(file: WrittenFile, { account, currency, rows }: WrittenStatement, today: string) {
  const written = file.statements.flatMap((each) => each.rows);
  // All rows of the file are written in one way, also those of other accounts.
  const orders = ordersOf([...new Set(written.map(({ date }) => date))], today);
  const amounts = [...new Set(written.flatMap(({ amount, fee = [] }) => [amount].concat(fee)))];
  const signs = waysToRead(amounts, file.decimals ? [file.decimals] : decimalSigns, readAmount);
  if (orders.length === 0) throw unreadable('dates');
  if (signs.length === 0) throw unreadable('amounts');
  return orders.flatMap((order) =>
    signs.map((sign) => {
      const reading = [
        orders.length > 1 && `${quoteStart(order.written, 30)} is ${order.means}`,
        signs.length > 1 && `amounts have a ${sign.way}`,
      ].filter((each) => typeof each === 'string');
      return {
        format: file.format,
        account,
        currency,
        skipped: file.skipped,
        labels: [...(orders.length > 1 ? [order.way] : []), ...(signs.length > 1 ? [sign.way] : [])],
        ...(reading.length > 0 && { reading: reading.join(', ') }),
        rows: rows.map((row) => {
          const size = readAmount(row.amount, sign.way) ?? 0;
          const text = row.text.replace(/\s+/g, ' ').trim();
          return {
            date: readDate(row.date, order.way) ?? '',
            amount: (row.isOutflow ? 0 - size : size) - (readAmount(row.fee ?? '', sign.way) ?? 0),
            ...(text !== '' && { text: [...text.slice(0, 2 * MAX_TEXT)].slice(0, MAX_TEXT).join('') }),
          };
        }),
      };
    }),
  );
}

/** As the amounts are written, and the other way round. */
const signLabels = {
  signed: ['signs as written', 'signs turned'],
  unsigned: ['received', 'spent'],
} as const;

const unreadable = (what: string) =>
  invalidInput(`Not all ${what} of the file can be read in one way. Is it a table of one bank, unchanged?`);
