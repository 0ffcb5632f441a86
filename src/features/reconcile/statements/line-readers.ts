/** Reads QIF and MT940, whose lines begin with what they are. */

import { BALANCE, StatementRows, type WrittenFile } from './written-statement.ts';
import { readableDate } from './written-values.ts';

/** Lists of categories, of securities and of rules are left out, and so are the parts of a split. */
export function readQif(lines: readonly string[]): WrittenFile {
  const statements = new StatementRows();
  let kind = '';
  let account: string | undefined;
  let fields = new Map<string, string>();
  let skipped = 0;
  /** A row ends with `^`, and one without it is perhaps cut off. */
  const endRow = () => {
    if (fields.has('D') && isKindRead(kind)) skipped += 1;
    fields = new Map();
  };
  for (const line of lines) {
    const [code, value] = [line.charAt(0).toUpperCase(), line.slice(1).trim()];
    if (code === '!') {
      endRow();
      kind = value.toLowerCase();
    } else if (code !== '^') {
      if (!fields.has(code)) fields.set(code, value);
    } else {
      const [date = '', amount = ''] = [fields.get('D'), fields.get('T') ?? fields.get('U')];
      const text = fields.get('P') || fields.get('M') || '';
      if (kind === 'account') account = fields.get('N');
      else if (isKindRead(kind)) {
        if (date === '' || amount === '' || BALANCE.test(text)) skipped += 1;
        else statements.add({ date: readableDate(date), amount, text }, account);
      }
      fields = new Map();
    }
  }
  endRow();
  return { format: 'QIF', statements: statements.all, skipped };
}

const isKindRead = (kind: string) => /^type:\s*(bank|cash|ccard|oth)/.test(kind);

/**
 * Value date, date of booking, direction, and amount. The third letter of the currency may follow the direction. The amount is complete
 * if the letter of a kind follows.
 */
const ROW = /^(\d\d)(\d\d)(\d\d)(\d\d)?(\d\d)?(R?[CD])[A-Z]?(\d{1,15}(?:[,.]\d*)?)\s*[A-Z]/;

/** A row has at most six lines of 65 characters, and some banks write more. */
const MAX_CONTENT = 2_000;

/** One `:61:` is a row, and the `:86:` after it says what it was. */
export function readMt940(lines: readonly string[]): WrittenFile {
  const statements = new StatementRows();
  let account: string | undefined;
  let currency: string | undefined;
  let tag = '';
  let content = '';
  let row: { readonly date: string; readonly amount: string; readonly isOutflow: boolean } | undefined;
  let skipped = 0;
  const endRow = (text = '') => {
    if (row) statements.add({ ...row, text }, account, currency);
    row = undefined;
  };
  const endTag = () => {
    // Some banks write the currency after the number.
    if (tag === '25') account = content.split('\n', 1)[0]?.replace(/(?<=\d)[A-Z]{3}$/, '');
    if (/^60[FM]$/.test(tag)) currency = content.slice(7, 10);
    if (tag === '61') {
      endRow();
      const [, year = '', month = '', day = '', bookedMonth, bookedDay, direction, amount = ''] =
        ROW.exec(content.replaceAll('\n', '')) ?? [];
      if (amount === '') skipped += 1;
      else
        row = {
          date: `${bookingYear(year, month, bookedMonth)}-${bookedMonth ?? month}-${bookedDay ?? day}`,
          amount: amount.replace('.', ','),
          // A reversed credit takes money.
          isOutflow: direction === 'D' || direction === 'RC',
        };
    }
    if (tag === '86') endRow(textOf(content));
    if (/^(62|64|20)/.test(tag)) endRow();
    tag = '';
    content = '';
  };
  for (const line of lines) {
    const [, next, rest = ''] = /^(?:\{4:)?:(\d\d[A-Z]?):(.*)$/.exec(line) ?? [];
    if (next !== undefined) {
      endTag();
      tag = next;
      content = rest.slice(0, MAX_CONTENT);
    } else if (/^-\}?$/.test(line) || line.startsWith('{')) endTag();
    else if (content.length < MAX_CONTENT) content += `\n${line.slice(0, MAX_CONTENT)}`;
  }
  endTag();
  endRow();
  return { format: 'MT940', decimals: 'decimal comma', statements: statements.all, skipped };
}

/** The value date has the year. A booking in January may have a value date in December, and the other way round. */
function bookingYear(year: string, month: string, bookedMonth: string = month): number {
  const turns = month === '12' && bookedMonth === '01' ? 1 : month === '01' && bookedMonth === '12' ? -1 : 0;
  return 2000 + Number(year) + turns;
}

/** The name of the other side (`?32`, `/NAME/`), or else the purpose (`?20` to `?29`, `/REMI/`), or all of it. */
function textOf(content: string): string {
  const joined = content.replaceAll('\n', '');
  const german = new Map(
    [...joined.matchAll(/\?(\d\d)([^?]*)/g)].map(([, number = '', value = '']) => [number, value.trim()]),
  );
  const part = (from: number, to: number) =>
    [...german]
      .filter(([number]) => Number(number) >= from && Number(number) <= to)
      .map(([, value]) => value);
  if (german.size > 0) return part(32, 33).join('') || part(20, 29).join('') || part(0, 0).join('');
  const named = /\/NAME\/([^/]+)/.exec(joined)?.[1] ?? /\/REMI\/(.+?)(?=\/[A-Z]{3,4}\/|$)/.exec(joined)?.[1];
  return (named ?? content.replaceAll('\n', ' ')).trim();
}
