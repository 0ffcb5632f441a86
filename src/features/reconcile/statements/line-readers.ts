/** Reads QIF and MT940, whose lines begin with what they are. */
import { invalidInput } from '../../../base/errors.ts';
import { isBalance } from './column-words.ts';
import { StatementRows, type WrittenFile } from './written-statement.ts';
import { decimalSigns, readAmount, readableDate, waysToRead } from './written-values.ts';

interface QifRow {
  readonly date: string;
  readonly amount: string;
  readonly payee: string;
  readonly purpose: string;
  readonly account: string | undefined;
  readonly line: number;
}

/** Lists of categories, of securities and of rules are left out, and so are the parts of a split. */
export function readQif(lines: readonly string[]): readonly WrittenFile[] {
  const rows: QifRow[] = [];
  // Some programs write only rows.
  let kind = 'type:bank';
  let account: string | undefined;
  let fields = new Map<string, string>();
  let skipped = 0;
  /** A row ends with `^`, and one without it is perhaps cut off. */
  const endRow = () => {
    if (fields.has('D') && isKindRead(kind)) skipped += 1;
    fields = new Map();
  };
  for (const [index, line] of lines.entries()) {
    const [code, value] = [line.charAt(0).toUpperCase(), line.slice(1).trim()];
    if (code === '!') {
      endRow();
      kind = value.toLowerCase();
    } else if (code !== '^') {
      if (!fields.has(code)) fields.set(code, value);
    } else {
      const [date = '', amount = ''] = [fields.get('D'), fields.get('T') ?? fields.get('U')];
      const [payee, purpose] = [fields.get('P') ?? '', fields.get('M') ?? ''];
      if (kind === 'account') account = fields.get('N');
      else if (isKindRead(kind)) {
        // A row that is a transfer from its own account is what it had at the beginning.
        const isOpening = rows.length === 0 && account !== undefined && fields.get('L') === `[${account}]`;
        if (date === '' || amount === '' || isBalance(payee || purpose) || isOpening) skipped += 1;
        else rows.push({ date: readableDate(date), amount, payee, purpose, account, line: index + 1 });
      }
      fields = new Map();
    }
  }
  endRow();
  const signs = waysToRead([...new Set(rows.map(({ amount }) => amount))], decimalSigns, readAmount);
  const odd = rows.find(({ amount }) => decimalSigns.every((sign) => readAmount(amount, sign) === undefined));
  if (odd || (signs.length === 0 && rows.length > 0))
    throw invalidInput(
      `Not all amounts of the file can be read in one way${odd ? `: see the row that ends in line ${odd.line}` : ''}.`,
    );
  return (signs.length > 0 ? signs : [{ way: decimalSigns[0], written: '' }]).map(({ way }) => {
    const statements = new StatementRows();
    for (const { date, amount, payee, purpose, account: of } of rows)
      statements.add({ date, amount: readAmount(amount, way) ?? 0, payee, purpose }, of);
    const isDecided =
      signs.length === 1 && rows.some(({ amount }) => amount.includes(way === 'decimal comma' ? ',' : '.'));
    return {
      format: 'QIF',
      kind: 'QIF',
      ...(isDecided && { decimals: way }),
      statements: statements.all,
      skipped,
    };
  });
}

const isKindRead = (kind: string) => /^type:\s*(bank|cash|ccard|oth)/.test(kind);

/**
 * Value date, date of booking, direction, and amount. Some banks write blanks for the date of booking. The third letter of the
 * currency, or that of the kind, may follow the direction.
 */
const ROW = /^(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)| {4})?(R?[CD])[A-Z]?(\d{1,15}(?:[,.]\d*)?)\s*([A-Z/].*)$/s;
/** The kind of a payment. The customer's reference comes after it, up to `//` and the bank's one, and a text in the next line. */
const KIND = /^[A-Z][A-Z\d]{3}/;
/** A row has at most six lines of 65 characters, and some banks write more. */
const MAX_CONTENT = 2_000;

interface MtRow {
  readonly date: string;
  readonly amount: number;
  readonly details: string;
  /** The last one of each tag. */
  readonly texts: Map<string, string>;
}

interface Texts {
  readonly payee?: string | undefined;
  readonly purpose?: string | undefined;
}

/** One `:61:` is a row, and the `:86:` after it, or the `:NS:` of some banks, says what it was. */
export function readMt940(lines: readonly string[]): readonly WrittenFile[] {
  const statements = new StatementRows();
  let account: string | undefined;
  let currency: string | undefined;
  let tag = '';
  let content = '';
  let row: MtRow | undefined;
  let skipped = 0;
  const endRow = () => {
    if (row) {
      const { date, amount, details } = row;
      const texts: Texts = Object.assign({}, ...[...row.texts.values()].map(textsOf));
      const isKnown = (texts.payee ?? texts.purpose ?? '') !== '';
      statements.add({ date, amount, ...(isKnown ? texts : { purpose: details }) }, account, currency);
    }
    row = undefined;
  };
  const endTag = () => {
    // Some banks write the currency after the number.
    if (tag === '25') account = content.split('\n', 1)[0]?.replace(/(?<=\d)[A-Z]{3}$/, '');
    if (/^60[FM]$/.test(tag)) currency = content.slice(7, 10);
    if (tag === '61') {
      endRow();
      row = rowOf(content);
      if (!row) skipped += 1;
    }
    if (tag === '86' || tag === 'NS') row?.texts.set(tag, content);
    if (/^(62|64|20)/.test(tag)) endRow();
    tag = '';
    content = '';
  };
  for (const line of lines) {
    const [, next, rest = ''] = /^(?:\{4:)?:(\d\d[A-Z]?|NS):(.*)$/.exec(line) ?? [];
    if (next !== undefined) {
      endTag();
      tag = next;
      content = rest.slice(0, MAX_CONTENT);
    } else if (/^-\}?$/.test(line) || line.startsWith('{')) endTag();
    else if (content.length < MAX_CONTENT) content += `\n${line.slice(0, MAX_CONTENT)}`;
  }
  endTag();
  endRow();
  return [{ format: 'MT940', kind: 'MT940', decimals: 'decimal comma', statements: statements.all, skipped }];
}

function rowOf(content: string): MtRow | undefined {
  const [, year = '', month = '', day = '', bookedMonth, bookedDay, direction, amount = '', rest = ''] =
    ROW.exec(content) ?? ROW.exec(content.replace('\n', '')) ?? [];
  const size = readAmount(amount.replace('.', ','), 'decimal comma');
  if (size === undefined) return undefined;
  const [first = ''] = rest.split('\n', 1);
  const [reference = '', text = ''] = KIND.test(first)
    ? [first.slice(4).split('//', 1)[0], rest.slice(first.length + 1)]
    : [];
  const own = /^(NONREF)?\s*$|^\d+$/.test(reference) ? '' : reference;
  return {
    date: `${bookingYear(year, month, bookedMonth)}-${bookedMonth ?? month}-${bookedDay ?? day}`,
    // A reversed credit takes money.
    amount: direction === 'D' || direction === 'RC' ? 0 - size : size,
    details: [own, text].join(' ').trim(),
    texts: new Map(),
  };
}

/** The value date has the year. A booking in January may have a value date in December, and the other way round. */
function bookingYear(year: string, month: string, bookedMonth: string = month): number {
  const turns = month === '12' && bookedMonth === '01' ? 1 : month === '01' && bookedMonth === '12' ? -1 : 0;
  return 2000 + Number(year) + turns;
}

/** Subfields by number: `?20`, with one of four marks, or lines of `:NS:` that begin with one. */
const subfields = (content: string): Map<number, string> => {
  const joined = content.replaceAll('\n', '');
  const [, one, other] = /^\d{3}([?>~^])|([?>~^])2\d/.exec(joined) ?? [];
  const mark = one ?? other;
  const found = mark ? joined.split(mark).slice(1) : /^\d\d\D/.test(content) ? content.split('\n') : [];
  return new Map(
    found.flatMap((each): [number, string][] =>
      /^\d\d/.test(each) ? [[Number(each.slice(0, 2)), each.slice(2)]] : [],
    ),
  );
};

/** The name of the other side (`?32`, `/NAME/`, line 15 of `:NS:`), and the purpose (`?20` to `?29`, `/REMI/`), or all of it. */
function textsOf(content: string): Texts {
  const fields = subfields(content);
  const part = (from: number, to: number) =>
    [...fields]
      .flatMap(([number, value]) => (number >= from && number <= to ? [value] : []))
      .join('')
      .trim();
  if (/^\d\d\D/.test(content) && fields.size > 0) return { payee: part(15, 16), purpose: part(1, 14) };
  if (fields.size > 0) return { payee: part(32, 33), purpose: part(20, 29) || part(60, 63) || part(0, 0) };
  const joined = content.replaceAll('\n', '');
  const payee = /\/(?:NAME|CNTP\/[^/]*\/[^/]*)\/([^/]+)/.exec(joined)?.[1];
  const purpose = /\/REMI\/(?:USTD\/\/)?([\s\S]{1,300}?)(?=\/[A-Z]{3,4}\/|\/?$)/.exec(joined)?.[1];
  if (payee === undefined && purpose === undefined) return { purpose: content.replaceAll('\n', ' ').trim() };
  return { payee: payee?.trim(), purpose: purpose?.trim() };
}
