/** Divides a text into the lines and cells of a table, with any delimiter. */
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { invalidInput } from '../../../base/errors.ts';
import { countsOf } from '../../../base/group-by.ts';
import { MAX_ROWS, tooManyRows } from './written-statement.ts';
import { looksLikeAmount, looksLikeDate } from './written-values.ts';

export type Line = readonly string[];

const delimiters = [',', ';', '\t', '|'];
const MAX_OTHER_LINES = 200;
/** The first characters say which delimiter a file has. If they have no row, more of them do. */
const SAMPLES = [20_000, 400_000];
const MAX_LINE_LENGTH = 20_000;
const MAX_COLUMNS = 120;

export interface Lines {
  readonly all: readonly Line[];
  readonly delimiter: string;
  /** The number of the line in the file, from 1. */
  numberOf(index: number): number;
}

/** Throws `invalid_input` if no line has a date and an amount, or if there are too many lines or columns. */
export function tableLines(source: string): Lines {
  const delimiter = delimiterOf(source);
  // The parser does not count delimiters.
  const isLong = source.split('\n').some(({ length }) => length > MAX_LINE_LENGTH);
  const all = isLong ? [] : linesOf(source, delimiter, { to: MAX_ROWS + MAX_OTHER_LINES + 1 });
  if (all.length === 0) throw invalidInput(`A line is longer than ${MAX_LINE_LENGTH} characters.`);
  if (all.length > MAX_ROWS + MAX_OTHER_LINES) throw tooManyRows();
  if (commonWidth(all.slice(0, MAX_OTHER_LINES * 2).filter(isRow)) > MAX_COLUMNS)
    throw invalidInput(`The table has more than ${MAX_COLUMNS} columns. Export fewer of them.`);
  return { all, delimiter, numberOf: (index) => numberOf(source, delimiter, index) };
}

function delimiterOf(source: string): string {
  for (const size of SAMPLES) {
    const cut = source.length > size ? source.lastIndexOf('\n', size) : -1;
    const sample = cut > 0 ? source.slice(0, cut) : source.slice(0, size);
    const scores = delimiters.map((delimiter) => scoreOf(linesOf(sample, delimiter, { to: MAX_ROWS })));
    const best = Math.max(...scores);
    if (best >= 1_000) return delimiters[scores.indexOf(best)] ?? ',';
  }
  throw invalidInput('No line has a date and an amount. Export CSV, OFX, QIF, CAMT or MT940.');
}

/** An error of the parser is an unclosed quote or a line that is too long: another delimiter may fit, or quotes mean nothing. */
function linesOf(source: string, delimiter: string, options: Options): readonly Line[] {
  for (const quote of ['"', false] as const)
    try {
      return parse(source, {
        ...options,
        delimiter,
        quote,
        relax_quotes: true,
        relax_column_count: true,
        skip_empty_lines: true,
        // Blanks around quotes are not of the text.
        trim: delimiter !== '\t' && /[,;|] +"|" +[,;|]/.test(source.slice(0, SAMPLES[0])),
        max_record_size: MAX_LINE_LENGTH,
        record_delimiter: '\n',
      });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
    }
  return [];
}

/** Reads the file once more, since mostly no line has to be named. */
function numberOf(source: string, delimiter: string, index: number): number {
  let line = index + 1;
  const on_record: Options['on_record'] = (record, { lines }) => {
    line = lines;
    return record;
  };
  linesOf(source, delimiter, { to: index + 1, on_record });
  return line;
}

/** How many lines may be rows. With the right delimiter more cells have a date or an amount of their own. */
function scoreOf(lines: readonly Line[]): number {
  const rows = lines.filter(isRow);
  return rows.length * 1_000 + Math.min(commonWidth(rows), 999);
}

/** True if a line has a date, and an amount that is none. */
export const isRow = (line: Line): boolean =>
  line.some(looksLikeDate) && line.some((cell) => !looksLikeDate(cell) && looksLikeAmount(cell));

/** The number of cells that most rows have. */
export function commonWidth(rows: readonly Line[]): number {
  const [width = 0] = countsOf(rows.map(({ length }) => length)).keys();
  return width;
}
