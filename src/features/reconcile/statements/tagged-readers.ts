/**
 * Reads OFX and QFX, of versions 1 (SGML without most end tags) and 2 (XML), and CAMT.052 and 053. One scanner is enough for all of
 * them. It knows no document types: the only entities are those of XML, so that none can be defined or grow.
 */
import { invalidInput } from '../../../base/errors.ts';
import { groupBy } from '../../../base/group-by.ts';
import { StatementRows, type WrittenFile, type WrittenRow } from './written-statement.ts';
import { rateSign, readAmount } from './written-values.ts';

/** Is called for each element with a text of its own, with the names of the elements around it: `Stmt/Acct/Id`. */
type Found = (name: string, value: string, around: string) => void;

const MAX_DEPTH = 40;
/** Forty for each of 10,000 rows. */
const MAX_ELEMENTS = 400_000;
/** No path of a statement is longer. What is in a longer one is taken for a part of its last element that has room. */
const MAX_PATH = 400;

interface Token {
  readonly tag?: string;
  readonly text?: string;
}

/** In time that grows with the length only, whatever is not closed. A `<` without a `>` before the next one is text. */
function* tokensOf(source: string): Generator<Token> {
  const sections = [
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
  ] as const;
  let at = 0;
  while (at < source.length) {
    const section = sections.find(([begin]) => source.startsWith(begin, at));
    const end = section && source.indexOf(section[1], at);
    if (section && end !== undefined) {
      if (end === -1) throw invalidInput('The file ends within a comment or a text.');
      if (section[1] === ']]>') yield { text: source.slice(at + section[0].length, end) };
      at = end + section[1].length;
      continue;
    }
    const close = source.indexOf('>', at);
    if (source[at] !== '<' || close === -1) {
      const next = close === -1 ? -1 : source.indexOf('<', at);
      const until = next === -1 ? source.length : next;
      yield { text: decoded(source.slice(at, until)) };
      at = until;
      continue;
    }
    const begin = source.lastIndexOf('<', close);
    if (begin > at) yield { text: decoded(source.slice(at, begin)) };
    yield { tag: source.slice(begin + 1, close) };
    at = close + 1;
  }
}

/**
 * `ended` is called with the end of an element that has others in it. An element that has a text ends with it, so that its end tag
 * may be missing.
 */
function scan(source: string, found: Found, ended: (name: string) => void): void {
  const open: { readonly name: string; readonly path: string }[] = [];
  const around = () => open.at(-1)?.path ?? '';
  let count = 0;
  let name = '';
  let value = '';
  const takeText = () => {
    const path = around();
    if (name !== '' && value.trim() !== '') found(name, value.trim(), path);
    else if (name !== '')
      open.push({ name, path: path.length > MAX_PATH ? path : path === '' ? name : `${path}/${name}` });
    if (open.length > MAX_DEPTH) throw invalidInput('The file has more levels than any statement.');
    name = '';
    value = '';
  };
  for (const { tag, text } of tokensOf(source)) {
    if (tag === undefined) {
      value += text ?? '';
      continue;
    }
    if (/^!(DOCTYPE|ENTITY)/i.test(tag))
      throw invalidInput('The file defines a document type, which no bank needs.');
    if (/^[!?]/.test(tag)) continue;
    const plain = /^\/?(?:[\w.-]{1,40}:)?([\w.-]{1,40})/.exec(tag)?.[1] ?? '';
    if (!tag.startsWith('/')) {
      count += 1;
      if (count > MAX_ELEMENTS) throw invalidInput('The file has more elements than any statement.');
      takeText();
      const currency = /\bCcy\s*=\s*["']([A-Z]{3})["']/.exec(tag)?.[1];
      if (currency !== undefined) found('@Ccy', currency, `${around()}/${plain}`);
      if (!tag.endsWith('/')) name = plain;
      continue;
    }
    const isOwn = plain === name;
    if (!isOwn || value.trim() !== '') takeText();
    name = '';
    value = '';
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

/** The day is the one that is written, whatever time zone follows: a bank writes its own day. */
export function readOfx(source: string): readonly WrittenFile[] {
  const statements = new StatementRows();
  let account: string | undefined;
  let currency: string | undefined;
  let bank = '';
  let fields = new Map<string, string>();
  let [skipped, count] = [0, 0];
  scan(
    source,
    (name, value, around) => {
      const tag = name.toUpperCase();
      if (tag === 'NAME' && /\/PAYEE$/i.test(around)) fields.set('NAME', value);
      // That of ORIGCURRENCY is the one before the amount was converted.
      else if (tag === 'CURSYM' && /\/CURRENCY$/i.test(around)) fields.set('CURRENCY', value);
      else if (/\/STMTTRN(?=\/|$)/i.test(around)) {
        // The account of a transfer is within its row.
        if (!fields.has(tag)) fields.set(tag, value);
      } else if (tag === 'ACCTID') account = value;
      else if (tag === 'CURDEF') currency = value;
      else if (tag === 'FID' || tag === 'BANKID') bank ||= value;
    },
    (name) => {
      const tag = name.toUpperCase();
      if (/^(STMTRS|CCSTMTRS|INVSTMTRS)$/.test(tag)) account = undefined;
      if (tag !== 'STMTTRN') return;
      count += 1;
      const [date = '', amount = ''] = [fields.get('DTPOSTED')?.slice(0, 8), fields.get('TRNAMT')];
      const [payee, purpose] = [fields.get('NAME'), fields.get('MEMO')];
      const ofRow = fields.get('CURRENCY') ?? currency;
      fields = new Map();
      // Amounts have no groups, and some banks write a comma.
      if (date === '' || amount === '') skipped += 1;
      else
        statements.add(
          { date, amount: amountOf(amount.replace(',', '.'), count), payee, purpose },
          account,
          ofRow,
        );
    },
  );
  return [
    { format: 'OFX', kind: `OFX ${bank}`, decimals: 'decimal point', statements: statements.all, skipped },
  ];
}

export function readCamt(source: string): readonly WrittenFile[] {
  const statements = new StatementRows();
  let account: string | undefined;
  let entry: Entry = {};
  let open: { readonly row: WrittenRow; readonly currency: string | undefined }[] = [];
  let [skipped, count] = [0, 0];
  scan(
    source,
    (name, value, around) => {
      // The account of the statement comes before its entries, or after its number.
      if (isAccount(name, around)) account = value;
      if (!around.includes('/Ntry')) return;
      for (const [field, , end] of entryFields.get(name) ?? [])
        if (entry[field] === undefined && around.endsWith(end)) entry[field] = value;
    },
    (name) => {
      if (name === 'Ntry') {
        count += 1;
        const { booked, valued, amount, direction = '', currency, status = '' } = entry;
        const { debtor, creditor, purpose, additional, information } = entry;
        const payee = direction === 'DBIT' ? creditor : debtor;
        const date = (booked ?? valued ?? '').slice(0, 10);
        if (date === '' || amount === undefined || /PDNG|INFO|FUTR/.test(status)) skipped += 1;
        else if (!/^(CRDT|DBIT)$/.test(direction))
          throw invalidInput('An entry of the file says neither CRDT nor DBIT.');
        else {
          const size = amountOf(amount, count);
          const row = {
            date,
            amount: direction === 'DBIT' ? 0 - size : size,
            payee,
            purpose: purpose ?? additional ?? information,
          };
          open.push({ row, currency });
        }
        entry = {};
      }
      if (name !== 'Stmt' && name !== 'Rpt') return;
      for (const { row, currency } of open) statements.add(row, account, currency);
      open = [];
      account = undefined;
    },
  );
  return [{ format: 'CAMT', kind: 'CAMT', decimals: 'decimal point', statements: statements.all, skipped }];
}

const isAccount = (name: string, around: string) =>
  (name === 'IBAN' && /(Stmt|Rpt)\/Acct\/Id$/.test(around)) ||
  (name === 'Id' && /(Stmt|Rpt)\/Acct\/Id\/Othr$/.test(around));

const fields = [
  ['amount', 'Amt', '/Ntry'],
  ['currency', '@Ccy', '/Ntry/Amt'],
  ['direction', 'CdtDbtInd', '/Ntry'],
  ['status', 'Sts', '/Ntry'],
  ['status', 'Cd', '/Ntry/Sts'],
  ['booked', 'Dt', '/Ntry/BookgDt'],
  ['booked', 'DtTm', '/Ntry/BookgDt'],
  ['valued', 'Dt', '/Ntry/ValDt'],
  ['valued', 'DtTm', '/Ntry/ValDt'],
  ['debtor', 'Nm', '/RltdPties/Dbtr'],
  ['debtor', 'Nm', '/RltdPties/Dbtr/Pty'],
  ['creditor', 'Nm', '/RltdPties/Cdtr'],
  ['creditor', 'Nm', '/RltdPties/Cdtr/Pty'],
  ['purpose', 'Ustrd', '/RmtInf'],
  ['additional', 'AddtlTxInf', ''],
  ['information', 'AddtlNtryInf', ''],
] as const;

/**
 * The first of each within an entry, by the name of its element and the end of the path around it. The direction is that of the
 * booking, also of one that reverses another.
 */
const entryFields = groupBy(fields, ([, name]): string => name);

type Entry = Partial<Record<(typeof fields)[number][0], string>>;
