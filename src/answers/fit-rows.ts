/** Takes the rows that an answer has room for, and formats each of them once. */
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { TextContext } from './text.ts';

export type Row = JsonObject;

export interface FittingRows<Each extends Row = Row> {
  readonly rows: readonly Each[];
  readonly lines: readonly string[];
}

export interface RowWriter<Each extends Row = Row> {
  readonly context: TextContext;
  format(row: Each): string;
}

/** The rows of a list. Undefined if it is none. */
export const rowsOf = (list: unknown): readonly Row[] | undefined =>
  Array.isArray(list) && list.every(isJsonObject) ? list : undefined;

/** The first of `rows` for which there is room. The first row is taken in any case, so that no page is empty. */
export function fitRows<Each extends Row>(
  rows: readonly Each[],
  { context, format }: RowWriter<Each>,
): FittingRows<Each> {
  const lines: string[] = [];
  for (const row of rows) {
    const line = format(row);
    if (!context.room.take(line, row, lines.length === 0)) break;
    lines.push(line);
  }
  return { rows: rows.slice(0, lines.length), lines };
}
