/** Where the rows of a table begin and end, what its columns are called, and which kinds of cells they have. */

import { invalidInput } from '../../../base/errors.ts';
import { memo } from '../../../base/memo.ts';
import { knownNames, plain } from './column-words.ts';
import { commonWidth, isRow, type Line, type Lines } from './table-lines.ts';
import { looksLikeAmount, looksLikeDate, rateSign } from './written-values.ts';

/** So many rows say what a column has. */
export const SAMPLE_ROWS = 200;
/** A cell of another kind is a mistake of one row, or says that a row is none. */
const MOST = 0.7;
/** Mostly the days of a file are written many times. */
const MAX_REMEMBERED = 50_000;

export type CellKind = 'date' | 'number' | 'text' | 'empty';

export interface Column {
  readonly at: number;
  /** As `plain` writes it. Empty if the table has no names. */
  readonly name: string;
  readonly kind: CellKind;
  /** Those of the first rows, how many have one, and how many different ones. */
  readonly cells: readonly string[];
  readonly filled: number;
  readonly distinct: number;
}

export interface TableShape {
  readonly columns: readonly Column[];
  /** The rows, as many cells as there are columns, without blanks around them. */
  readonly rows: readonly Line[];
  /** The first of them. */
  readonly sample: readonly Line[];
  /** The lines before the names of the columns. */
  readonly title: readonly Line[];
  readonly header: Line | undefined;
  /** Texts that go on in lines of their own, by the row that they belong to. */
  readonly continued: ReadonlyMap<number, string>;
  /** Lines that may be rows, and are not read. */
  readonly left: number;
  /** The number of the line in the file that has a row, from 1. */
  lineOf(row: number): number;
}

export const cellOf = (row: Line | undefined, column: Column | undefined) => row?.[column?.at ?? -1] ?? '';

/** Throws `invalid_input` if a row has more or fewer cells than the others. */
export function shapeOf({ all, delimiter, numberOf }: Lines): TableShape {
  const lines: readonly Line[] = all.map((line) => line.map((cell) => cell.trim()));
  const isDate = memo(looksLikeDate, MAX_REMEMBERED);
  const begin = lines.findIndex(isRow);
  const firstRows = lines.slice(begin, begin + 2 * SAMPLE_ROWS).filter(isRow);
  const width = commonWidth(firstRows);
  const complete = firstRows.filter(({ length }) => length === width).slice(0, SAMPLE_ROWS);
  const kinds = Array.from({ length: width }, (_, at) =>
    kindOf(
      complete.map((line) => line[at] ?? ''),
      isDate,
    ),
  );
  const before = lines.slice(0, begin);
  const header = headerOf(before, width, kinds);
  const dates = placesOf(kinds, 'date');
  const numbers = placesOf(kinds, 'number');
  const has = (line: Line) => numbers.some((at) => /\d/.test(line[at] ?? ''));
  const isLikeRow = (line: Line) => dates.some((at) => isDate(line[at] ?? '')) && has(line);
  const oddLine = (index: number) => {
    const [line, count] = [numberOf(index), lines[index]?.length];
    return invalidInput(
      count === width
        ? `Line ${line} has cells of other kinds than the rows before it. Is it a table of one bank, unchanged?`
        : `Line ${line} has ${count} cells, and the other rows have ${width}: one is missing, or a text has the delimiter in it.`,
    );
  };
  const places: number[] = [];
  const rows: Line[] = [];
  const continued = new Map<number, string>();
  const odd: number[] = [];
  let left = 0;
  for (const [index, line] of lines.entries()) {
    if (index < begin) continue;
    if (line.some((cell) => hasRowWithin(cell, delimiter, dates[0] ?? 0)))
      throw invalidInput(
        `A text in line ${numberOf(index)} goes on in the next row: perhaps a quotation mark is missing. Export OFX, QIF, CAMT or MT940.`,
      );
    if (isLikeRow(line) && fits(line, width)) {
      for (const each of odd.splice(0)) throw oddLine(each);
      places.push(index);
      rows.push(line.length === width ? line : Array.from({ length: width }, (_, at) => line[at] ?? ''));
      continue;
    }
    const text = line.filter((cell) => cell !== '');
    const [only = ''] = text;
    if (rows.length > 0 && text.length === 1 && line.length === width && kinds[line.indexOf(only)] === 'text')
      continued.set(rows.length - 1, [continued.get(rows.length - 1), only].filter(Boolean).join(' '));
    else {
      if (text.length > 1) left += 1;
      if (isRow(line) && (Math.abs(line.length - width) <= 1 || isLikeRow(line))) odd.push(index);
    }
  }
  for (const each of odd) if ((lines[each]?.length ?? 0) > 3) throw oddLine(each);
  const title = before.slice(0, header && before.indexOf(header));
  const sample = rows.slice(0, SAMPLE_ROWS);
  return {
    columns: kinds.map((kind, at) => {
      const cells = sample.map((line) => line[at] ?? '');
      const filled = cells.filter((cell) => cell !== '');
      return {
        ...{ at, kind, cells, name: plain(header?.[at] ?? '') },
        ...{ filled: filled.length, distinct: new Set(filled).size },
      };
    }),
    rows,
    sample,
    title,
    header,
    continued,
    // Without names of columns, a line of as many cells is perhaps a row.
    left:
      left +
      (header ? before.length - title.length - 1 : before.filter(({ length }) => length === width).length),
    lineOf: (row) => numberOf(places[row] ?? 0),
  };
}

/** Cells that are missing or added at the end are empty ones, if the row fits otherwise. */
const fits = (line: Line, width: number) =>
  line.length <= width || line.slice(width).every((cell) => cell === '');

const placesOf = (kinds: readonly CellKind[], kind: CellKind) =>
  [...kinds.keys()].filter((at) => kinds[at] === kind);

function kindOf(cells: readonly string[], isDate: (cell: string) => boolean): CellKind {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length === 0) return 'empty';
  const isMost = (is: (cell: string) => boolean) => filled.filter(is).length >= MOST * filled.length;
  if (isMost(isDate)) return 'date';
  return isMost((cell) => looksLikeAmount(cell) || rateSign(cell) !== undefined) ? 'number' : 'text';
}

/** True if a text has a line with a date where rows have it, so that a quotation mark may be missing. */
const hasRowWithin = (cell: string, delimiter: string, dateAt: number) =>
  cell.includes('\n') &&
  cell.split('\n').some((line, index) => {
    const cells = line.replaceAll('"', '').split(delimiter);
    return index > 0 && cells.length > 1 && looksLikeDate(cells[dateAt] ?? '');
  });

/** The line with the most names of columns, the last of several. A row without a date may come after it. */
function headerOf(lines: readonly Line[], width: number, kinds: readonly CellKind[]): Line | undefined {
  const possible = lines.filter(
    (line) =>
      line.length >= Math.min(width - 1, 3) &&
      line.filter((cell) => /\p{L}/u.test(cell)).length >= 2 &&
      !line.some(looksLikeDate) &&
      (knownNames(line) > 0 || !line.some(looksLikeAmount)),
  );
  /** Names of columns of dates and numbers matter most. */
  const scoreOf = (line: Line) =>
    2 * knownNames(line) +
    kinds.filter((kind, at) => /date|number/.test(kind) && /\p{L}/u.test(line[at] ?? '')).length;
  const scores = possible.map(scoreOf);
  return possible[scores.lastIndexOf(Math.max(...scores))];
}
