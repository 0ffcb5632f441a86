/**
 * Reads OFX and QFX, of versions 1 (SGML without most end tags) and 2 (XML), and CAMT.052 and 053. One scanner is enough for all of
 * them. It knows no document types: the only entities are those of XML, so that none can be defined or grow.
 */
import { invalidInput } from '../../../base/errors.ts';
import { groupBy } from '../../../base/group-by.ts';
import {
  MAX_ROWS,
  StatementRows,
  tooManyRows,
  type WrittenFile,
  type WrittenRow,
} from './written-statement.ts';
import { rateSign, readAmount } from './written-values.ts';

/** Is called for each element with a text of its own, with the names of the elements around it: `STMT/ACCT/ID`. */
type Found = (name: string, value: string, around: string) => void;

const MAX_DEPTH = 40;
/** Forty for each of 10,000 rows. */
const MAX_ELEMENTS = 400_000;
/** No path of a statement is longer. What is in a longer one is taken for a part of its last element that has room. */
const MAX_PATH = 400;

/** A text, a comment, a tag, or what is between tags. A `<` without a `>` before the next one is text. */
const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<([^<>]*)>|[^<]+|</g;

/**
 * `ended` is called with the end of an element that has others in it. An element that has a text ends with it, so that its end tag
 * may be missing. Names are in capital letters.
 */
function scan(source: string, found: Found, ended: (name: string) => void): void {
  const open: { readonly name: string; readonly path: string }[] = [];
  const around = () => open.at(-1)?.path ?? '';
  let [count, name, value] = [0, '', ''];
  const takeText = () => {
    const path = around();
    if (name !== '' && value.trim() !== '') found(name, value.trim(), path);
    else if (name !== '')
      open.push({ name, path: path.length > MAX_PATH ? path : path === '' ? name : `${path}/${name}` });
    if (open.length > MAX_DEPTH) throw invalidInput('The file has more levels than any statement.');
    [name, value] = ['', ''];
  };
  // Then each of them ends, and is looked at once.
  for (const [begin, end] of [
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
  ] as const)
    if (source.lastIndexOf(begin) > source.lastIndexOf(end))
      throw invalidInput('The file ends within a comment or a text.');
  for (const [token, section, tag] of source.matchAll(TOKEN)) {
    if (tag === undefined) {
      if (!token.startsWith('<!--')) value += section ?? decoded(token);
      continue;
    }
    if (/^!(DOCTYPE|ENTITY)/i.test(tag))
      throw invalidInput('The file defines a document type, which no bank needs.');
    if (/^[!?]/.test(tag)) continue;
    const plain = (/^\/?(?:[\w.-]{1,40}:)?([\w.-]{1,40})/.exec(tag)?.[1] ?? '').toUpperCase();
    if (!tag.startsWith('/')) {
      count += 1;
      if (count > MAX_ELEMENTS) throw invalidInput('The file has more elements than any statement.');
      takeText();
      const currency = /\bCcy\s*=\s*["']([A-Z]{3})["']/.exec(tag)?.[1];
      if (currency !== undefined) found('@CCY', currency, `${around()}/${plain}`);
      if (!tag.endsWith('/')) name = plain;
      continue;
    }
    const isOwn = plain === name;
    if (!isOwn || value.trim() !== '') takeText();
    [name, value] = ['', ''];
    if (isOwn || !open.some((each) => each.name === plain)) continue;
    // What was left open within it ends with it.
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      ended(last.name);
      if (last.name === plain) break;
    }
  }
  takeText();
  if (open.length > 0)
    throw invalidInput('The file ends within an element: perhaps a part of it is missing.');
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

const decoded = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, named) => {
    if (named !== undefined) return entities.get(named) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** The amount of a row. Throws `invalid_input` for one that no budget can have. */
function amountOf(written: string, row: number): number {
  const amount = readAmount(written, 'decimal point');
  if (amount !== undefined) return amount;
  throw invalidInput(
    rateSign(written.replace(/^[-+]0*|^0+/, '')) === undefined
      ? `The amount of transaction ${row} of the file cannot be read.`
      : `The amount of transaction ${row} of the file has more decimals than a thousandth: no budget has parts of a cent.`,
  );
}

/** The elements of a transaction and of a statement, and their fields: the names of the elements, and the ends of the paths around them. */
const ofx = {
  format: 'OFX',
  row: 'STMTTRN',
  statement: /^(CC|INV)?STMTRS$/,
  ofRow: [
    ['booked', 'DTPOSTED'],
    ['amount', 'TRNAMT'],
    ['payee', 'NAME'],
    ['purpose', 'MEMO'],
    ['currency', 'CURRENCY'],
    // That of ORIGCURRENCY is the one before the amount was converted.
    ['currency', 'CURSYM', '/CURRENCY'],
  ],
  ofStatement: [
    ['account', 'ACCTID'],
    ['currency', 'CURDEF'],
    ['bank', 'FID'],
    ['bank', 'BANKID'],
  ],
} as const;

const camt = {
  format: 'CAMT',
  row: 'NTRY',
  statement: /^(STMT|RPT)$/,
  ofRow: [
    ['amount', 'AMT', '/NTRY'],
    ['currency', '@CCY', '/NTRY/AMT'],
    // That of the booking, also of one that reverses another.
    ['direction', 'CDTDBTIND', '/NTRY'],
    ['status', 'STS', '/NTRY'],
    ['status', 'CD', '/NTRY/STS'],
    ['booked', 'DT', '/NTRY/BOOKGDT'],
    ['booked', 'DTTM', '/NTRY/BOOKGDT'],
    ['valued', 'DT', '/NTRY/VALDT'],
    ['valued', 'DTTM', '/NTRY/VALDT'],
    ['debtor', 'NM', '/RLTDPTIES/DBTR'],
    ['debtor', 'NM', '/RLTDPTIES/DBTR/PTY'],
    ['creditor', 'NM', '/RLTDPTIES/CDTR'],
    ['creditor', 'NM', '/RLTDPTIES/CDTR/PTY'],
    ['purpose', 'USTRD', '/RMTINF'],
    ['additional', 'ADDTLTXINF'],
    ['information', 'ADDTLNTRYINF'],
  ],
  ofStatement: [
    ['account', 'IBAN', 'STMT/ACCT/ID'],
    ['account', 'IBAN', 'RPT/ACCT/ID'],
    ['account', 'ID', 'STMT/ACCT/ID/OTHR'],
    ['account', 'ID', 'RPT/ACCT/ID/OTHR'],
  ],
} as const;

type Format = typeof ofx | typeof camt;
type Place = readonly [Format['ofRow' | 'ofStatement'][number][0], string, string?];
type Fields = Partial<Record<Place[0], string | undefined>>;

export const readOfx = (source: string) => readTagged(source, ofx);
export const readCamt = (source: string) => readTagged(source, camt);

/** The account of a statement may come after its rows. The first field of a row counts, and the last one of a statement. */
function readTagged(source: string, { format, row, statement, ...places }: Format): readonly WrittenFile[] {
  const statements = new StatementRows();
  const [ofRow, ofStatement] = [places.ofRow, places.ofStatement].map((each: readonly Place[]) =>
    groupBy(each, ([, name]) => name),
  );
  let [head, fields]: [Fields, Fields] = [{}, {}];
  let rows: { readonly written: WrittenRow; readonly currency: string | undefined }[] = [];
  let [skipped, count] = [0, 0];
  const endStatement = () => {
    for (const { written, currency = head.currency } of rows) statements.add(written, head.account, currency);
    rows = [];
    head = { bank: head.bank };
  };
  scan(
    source,
    (name, value, around) => {
      // A row may name another account, as that of a transfer.
      const isOfRow = `${around}/`.includes(`/${row}/`);
      for (const [field, , end = ''] of (isOfRow ? ofRow : ofStatement)?.get(name) ?? [])
        if (!around.endsWith(end)) continue;
        else if (isOfRow) fields[field] ??= value;
        else head[field] = value;
    },
    (name) => {
      if (statement.test(name)) endStatement();
      if (name !== row) return;
      count += 1;
      const written = rowOf(fields, count, format === 'CAMT');
      if (written) rows.push({ written, currency: fields.currency });
      else skipped += 1;
      if (rows.length > MAX_ROWS) throw tooManyRows();
      fields = {};
    },
  );
  endStatement();
  const kind = [format, head.bank].join(' ');
  return [{ format, kind, decimals: 'decimal point', statements: statements.all, skipped }];
}

/** Undefined if it has no day or no amount, or is not booked. The day is the one that is written, whatever time zone follows. */
function rowOf(fields: Fields, count: number, isDirected: boolean): WrittenRow | undefined {
  const { booked, valued, amount, direction = '', status = '', payee, debtor, creditor } = fields;
  const { purpose, additional, information } = fields;
  const date = (booked ?? valued ?? '').replaceAll('-', '').slice(0, 8);
  if (date === '' || amount === undefined || /PDNG|INFO|FUTR/.test(status)) return undefined;
  const isSpent = direction === 'DBIT';
  if (isDirected && !isSpent && direction !== 'CRDT')
    throw invalidInput('An entry of the file says neither CRDT nor DBIT.');
  // Amounts have no groups, and some banks write a comma.
  const size = amountOf(amount.replace(',', '.'), count);
  return {
    date,
    amount: isSpent ? 0 - size : size,
    payee: payee ?? (isSpent ? creditor : debtor),
    purpose: purpose ?? additional ?? information,
  };
}
