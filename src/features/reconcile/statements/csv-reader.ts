/** Reads tables with any delimiter, with or without names of columns, and with lines before and after them. */
import { CsvError, parse } from 'csv-parse/sync';
import { invalidInput } from '../../../base/errors.ts';
import { type Column, isOutflow, knownNames, plain } from './csv-column.ts';
import { columnsOf } from './csv-columns.ts';
import { BALANCE, MAX_ROWS, StatementRows, tooManyRows, type WrittenFile } from './written-statement.ts';
import { looksLikeAmount, looksLikeDate } from './written-values.ts';

type Line = readonly string[];

const delimiters = [',', ';', '\t', '|'];
const MAX_OTHER_LINES = 200;
/** The first lines say which delimiter a file has. */
const SAMPLED_LINES = 500;
const MAX_LINE_LENGTH = 20_000;
const MAX_COLUMNS = 40;

export function readCsv(source: string): WrittenFile {
  const scores = delimiters.map((delimiter) => scoreOf(linesOf(source, delimiter, SAMPLED_LINES)));
  const delimiter = delimiters[scores.indexOf(Math.max(...scores))] ?? ',';
  const best = linesOf(source, delimiter, MAX_ROWS + MAX_OTHER_LINES + 1);
  if (best.length > MAX_ROWS + MAX_OTHER_LINES) throw tooManyRows();
  const begin = best.findIndex((line) => isRow(line));
  if (begin === -1)
    throw invalidInput('No line has a date and an amount. Export CSV, OFX, QIF, CAMT or MT940.');
  const width = commonWidth(best);
  if (width > MAX_COLUMNS)
    throw invalidInput(`The table has more than ${MAX_COLUMNS} columns. Export fewer of them.`);
  const body = best
    .slice(begin)
    .map((line) => (line.length < width ? [...line, ...Array(width - line.length).fill('')] : line));
  const before = best.slice(0, begin);
  const header = headerOf(before, width);
  const rows = body.filter((line) => isRow(line));
  const dateAt = rows[0]?.findIndex(looksLikeDate) ?? 0;
  if (best.some((line) => line.some((cell) => hasRowWithin(cell, delimiter, dateAt))))
    throw invalidInput(
      'A text of the file goes on in the next row: perhaps a quotation mark is missing. Export OFX, QIF, CAMT or MT940.',
    );
  const columns = columnsOf(
    Array.from({ length: width }, (_, at) => ({
      name: header?.[at] ?? '',
      cells: rows.map((row) => row[at] ?? ''),
    })),
  );
  const title = before.slice(0, header && before.indexOf(header));
  // Without names of columns, a line of as many cells is perhaps a row.
  const unread = header
    ? before.length - title.length - 1
    : before.filter(({ length }) => length === width).length;
  return statementsFrom(rows, columns, title, body.length - rows.length + unread);
}

/** An error of the parser is an unclosed quote or a line that is too long: another delimiter may fit, or quotes mean nothing. */
function linesOf(source: string, delimiter: string, to: number, quote: '"' | false = '"'): Line[] {
  try {
    const lines: string[][] = parse(source, {
      delimiter,
      quote,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE_LENGTH,
      record_delimiter: ['\r\n', '\n', '\r'],
      to,
    });
    return lines.map((line) => line.slice(0, MAX_COLUMNS + 1));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return quote === false ? [] : linesOf(source, delimiter, to, false);
  }
}

/** How many lines may be rows. With the right delimiter more cells have a date or an amount of their own. */
const scoreOf = (lines: readonly Line[]) =>
  lines.filter((line) => isRow(line)).length * 1_000 + commonWidth(lines);

const isRow = (line: Line) =>
  line.some(looksLikeDate) && line.some((cell) => looksLikeAmount(cell) && !looksLikeDate(cell));

/** Whether a text has a line with a date where rows have it, so that a quotation mark may be missing. */
const hasRowWithin = (cell: string, delimiter: string, dateAt: number) =>
  /[\r\n]/.test(cell) &&
  cell.split(/[\r\n]+/).some((line, index) => {
    const cells = line.replaceAll('"', '').split(delimiter);
    return index > 0 && cells.length > 1 && looksLikeDate(cells[dateAt] ?? '');
  });

/** The number of cells that most rows have. */
function commonWidth(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const line of lines) if (isRow(line)) counts.set(line.length, (counts.get(line.length) ?? 0) + 1);
  const [[width] = [0]] = [...counts].toSorted(([, one], [, other]) => other - one);
  return width;
}

/** The line with the most names of columns. A row without a date may come after it. */
function headerOf(lines: readonly Line[], width: number): Line | undefined {
  const possible = lines.filter(
    (line) =>
      line.length >= Math.min(width - 1, 3) &&
      line.filter((cell) => /\p{L}/u.test(cell)).length >= 2 &&
      !line.some(looksLikeDate) &&
      (knownNames(line) > 0 || !line.some(looksLikeAmount)),
  );
  const counts = possible.map(knownNames);
  return possible[counts.lastIndexOf(Math.max(...counts))];
}

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?\b/;
/** May be a payee, unless the list has balances. */
const PERHAPS_BALANCE = /^(turnover|saldo|stand)$/i;
const currencies = new Set(Intl.supportedValuesOf('currency'));
/** ¥ is of Japan or of China. */
const symbols = new Map(Object.entries({ '€': 'EUR', '£': 'GBP', '¥': '¥' }));

/** Of an amount, or of the name of its column. */
function currencyIn(text: string): string | undefined {
  const found = /[€£¥]|(?<!\p{L})[A-Z]{3}(?!\p{L})/u.exec(text)?.[0] ?? '';
  return symbols.get(found) ?? (currencies.has(found) ? found : undefined);
}

/** In the languages of banks, without accents. */
const NOT_BOOKED =
  /pend|revert|declin|fail|cancel|reserv|vorgemerkt|unbooked|nicht gebucht|denied|reject|refus|annul|storniert|autori[sz]|authori[sz]|attes[ae]|attente|venter|vantar|varaus|odota|oczekuj|cekaj|pozastav/;

function statementsFrom(
  rows: readonly Line[],
  columns: ReturnType<typeof columnsOf>,
  before: readonly Line[],
  left: number,
): WrittenFile {
  const { date, amount, debit, credit, direction, fee, isFeeSigned, decimals } = columns;
  const { texts, account, currency, status } = columns;
  const statements = new StatementRows();
  const ofFile = before
    .flat()
    .map((cell) => IBAN.exec(cell)?.[0])
    .find((iban) => iban !== undefined);
  // Some banks write what goes out with a sign, although it has a column of its own.
  const isDebitSigned = debit?.cells.every((cell) => !/[1-9]/.test(cell) || /[-\u2212(]/.test(cell)) ?? false;
  const textAt = (index: number) =>
    texts.map(({ cells }) => cells[index]?.trim() ?? '').find((each) => each !== '') ?? '';
  const hasBalances = rows.some((_, index) => BALANCE.test(textAt(index)));
  const isBalance = (text: string) => BALANCE.test(text) || (hasBalances && PERHAPS_BALANCE.test(text));
  let skipped = left;
  for (const index of rows.keys()) {
    const at = (column: Column | undefined) => column?.cells[index]?.trim() ?? '';
    const isDebit = /[1-9]/.test(at(debit));
    const column = amount ?? (isDebit ? debit : credit);
    const hasFee = /[1-9]/.test(at(fee));
    const written = at(column) || (hasFee ? '0' : '');
    const text = textAt(index);
    const isBooked = !NOT_BOOKED.test(plain(at(status))) && !isBalance(text);
    if (!looksLikeDate(at(date)) || !/[1-9]/.test(written + at(fee)) || !isBooked) skipped += 1;
    else
      statements.add(
        {
          date: at(date),
          amount: written,
          ...(hasFee && { fee: isFeeSigned ? `-${at(fee)}` : at(fee) }),
          isOutflow: amount ? isOutflow(at(direction)) : isDebit && !isDebitSigned,
          text,
        },
        at(account).replaceAll('"', '') || ofFile,
        at(currency) || currencyIn(written) || currencyIn(column?.name ?? ''),
      );
  }
  const isSigned = (cell: string) => /[-\u2212(]|(CR|D[RB])\s*$/i.test(cell);
  return {
    format: 'CSV',
    decimals,
    // Cards often list what was spent as positive, and two columns or one of letters decide.
    ...(amount && !direction && { openSigns: amount.cells.some(isSigned) ? 'signed' : 'unsigned' }),
    statements: statements.all,
    skipped,
  };
}
