/**
 * Takes the rows that an answer has room for, and formats each of them once. A row that is too long for an answer of its
 * own is shown with a part of the rows in it, such as the first legs of a split.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { milliunits } from '../base/schema/fields.ts';
import { largestThat, type TextContext } from './text.ts';

export type Row = JsonObject;

/** Which of the rows in a row are shown, such as the legs 1 to 80 of a split with 200. */
export const partSchema = z.object({
  /** The property that contains them. */
  list: z.string(),
  from: z.number(),
  to: z.number(),
  total: z.number(),
  /** Of all amounts, not only of those that are shown. */
  sum: milliunits.optional(),
});

export type Part = z.output<typeof partSchema>;

export interface FittingRows {
  readonly rows: readonly Row[];
  readonly lines: readonly string[];
  /** Missing if every row is complete. */
  readonly part?: Part;
}

export interface RowWriter {
  readonly context: TextContext;
  format(row: Row): string;
}

interface InnerRows {
  readonly list: string;
  readonly rows: readonly Row[];
}

/** The rows of a list. Undefined if it is none. */
export const rowsOf = (list: unknown): readonly Row[] | undefined =>
  Array.isArray(list) && list.every(isJsonObject) ? list : undefined;

/** A row has at most one list of rows. */
export function innerRowsOf(row: Row): InnerRows | undefined {
  for (const [list, value] of Object.entries(row)) {
    const rows = rowsOf(value);
    if (rows) return { list, rows };
  }
  return undefined;
}

/**
 * The first of `rows` for which there is room. With `isFirst`, at least something of the first row is taken, so that no
 * page is empty. Of the rows in the first row, `skipped` were on earlier pages.
 */
export function fitRows(
  rows: readonly Row[],
  { context, format }: RowWriter,
  { isFirst = true, skipped = 0 } = {},
): FittingRows {
  const { room } = context;
  const taken: Row[] = [];
  const lines: string[] = [];
  const take = (row: Row, isForced = false): boolean => {
    const line = context.formatIf(
      () => format(row),
      (text) => room.take(text, row, isForced),
    );
    if (line === undefined) return false;
    taken.push(row);
    lines.push(line);
    return true;
  };
  /** Does not keep the text, so that nothing of it stays in the legend. */
  const fits = (row: Row): boolean => {
    let hasRoom = false;
    context.formatIf(
      () => format(row),
      (text) => {
        hasRoom = room.has(text, row);
        return false;
      },
    );
    return hasRoom;
  };
  for (const [index, whole] of rows.entries()) {
    const start = index === 0 ? skipped : 0;
    if (take(cutRow(whole, start))) continue;
    if (index === 0 && isFirst) {
      const count = innerRowsOf(whole)?.rows.length ?? 0;
      const end = largestThat(start + 1, count, (end) => fits(cutRow(whole, start, end)));
      take(cutRow(whole, start, end), true);
    }
    break;
  }
  const part = partOf(rows[0], taken[0], skipped);
  return { rows: taken, lines, ...(part && { part }) };
}

/** The row with the rows in it from `start` to before `end`. */
function cutRow(row: Row, start: number, end?: number): Row {
  const inner = innerRowsOf(row);
  if (!inner || (start === 0 && end === undefined)) return row;
  return { ...row, [inner.list]: inner.rows.slice(start, end) };
}

/** Undefined if `shown` has all rows of `whole`. */
function partOf(whole: Row = {}, shown: Row = {}, skipped: number): Part | undefined {
  const [all, inner] = [innerRowsOf(whole), innerRowsOf(shown)];
  if (!all || !inner || inner.rows.length === all.rows.length) return undefined;
  const amounts = all.rows.flatMap(({ amount }) => (typeof amount === 'number' ? [amount] : []));
  const sum = amounts.reduce((total, each) => total + each, 0);
  return {
    list: all.list,
    from: skipped + 1,
    to: skipped + inner.rows.length,
    total: all.rows.length,
    ...(amounts.length > 0 && { sum }),
  };
}

/** The part in words, such as "legs 1 to 80 of 200, sum of all -200.00". */
export function formatPart({ list, from, to, total, sum }: Part, { money }: TextContext): string {
  const what = list === 'subtransactions' ? 'legs' : list.replaceAll('_', ' ');
  return `${what} ${from} to ${to} of ${total}${sum === undefined ? '' : `, sum of all ${money(sum)}`}`;
}
