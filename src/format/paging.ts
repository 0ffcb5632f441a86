/**
 * Returns one page of a list. A cursor contains the last returned row, not a position, so that it stays valid when
 * rows before it are added or removed. It contains a digest of the query, so that it cannot be used for another one.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Rows } from '../operations/operation.ts';
import type { JsonObject } from '../platform/json.ts';

export const MAX_ROWS = 500;
export const DEFAULT_TRANSACTIONS = 50;

export type Row = JsonObject;

export interface Page {
  readonly rows: readonly Row[];
  readonly page: { readonly total: number; readonly returned: number; readonly next_cursor: string | null };
}

export interface PageRequest {
  /** The query that the cursor belongs to: operation, budget and arguments, in a form that can be compared. */
  readonly query: string;
  readonly order: Rows['order'];
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** The number of rows, from the first, that an answer has room for. By default all of them. */
  readonly countFitting?: ((rows: readonly Row[]) => number) | undefined;
}

const positionSchema = z.tuple([z.string(), z.string()]);
/** Date and id. The date is empty if the order is not by date. */
type Position = z.output<typeof positionSchema>;

/** The requested page of `rows`. Throws `invalid_cursor`. */
export function paginate(rows: readonly Row[], request: PageRequest): Page {
  const order = orders[request.order];
  const last = request.cursor === undefined ? undefined : decodeCursor(request.cursor, request.query);
  // One extra row shows whether there are more.
  const next = order
    ? rowsInOrder(rows, request.limit + 1, order, last)
    : (last ? rowsAfter(rows, last) : rows).slice(0, request.limit + 1);
  const limited = next.slice(0, request.limit);
  const pageRows = limited.slice(0, request.countFitting?.(limited));
  const lastOfPage = next.length > pageRows.length ? pageRows.at(-1) : undefined;
  return {
    rows: pageRows,
    page: {
      total: rows.length,
      returned: pageRows.length,
      next_cursor: lastOfPage ? encodeCursor(positionOf(lastOfPage, order), request.query) : null,
    },
  };
}

/** By date, and by id within a day. The order of two rows does not depend on other rows. */
interface Order {
  readonly by: 'date' | 'date_next';
  readonly compareDates: (a: string, b: string) => number;
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const orders: Readonly<Record<Rows['order'], Order | undefined>> = {
  'newest first': { by: 'date', compareDates: (a, b) => compare(b, a) },
  'soonest first': { by: 'date_next', compareDates: compare },
  'as sent': undefined,
};

/** A plain loop, because it runs on every request and there may be a hundred thousand rows. */
function isSortedByDay(rows: readonly Row[], { by, compareDates }: Order): boolean {
  let before = rows[0]?.[by];
  for (const row of rows) {
    const date = row[by];
    if (date !== before && compareDates(String(before), String(date)) > 0) return false;
    before = date;
  }
  return true;
}

const compareBy =
  ({ by, compareDates }: Order) =>
  (a: Row, b: Row) =>
    compareDates(String(a[by]), String(b[by])) || compare(String(a['id']), String(b['id']));

/**
 * The first `limit` rows in order, after `last`. Cached lists are in order already, and checking that is faster than
 * sorting. Lists of the service have another order. Comparing ids is slow, so ids are compared only within the
 * returned days.
 */
function rowsInOrder(
  rows: readonly Row[],
  limit: number,
  order: Order,
  last: Position | undefined,
): readonly Row[] {
  const { by, compareDates } = order;
  const dateOf = (row: Row | undefined) => String(row?.[by]);
  const compareDays = (a: Row, b: Row) => compareDates(dateOf(a), dateOf(b));
  const byDay = isSortedByDay(rows, order) ? rows : rows.toSorted(compareDays);

  const lastRow = last && { [by]: last[0], id: last[1] };
  const start = lastRow ? byDay.findIndex((row) => compareDays(row, lastRow) >= 0) : 0;
  const compareRows = compareBy(order);
  const pageRows: Row[] = [];
  for (
    let from = start, to = start;
    from !== -1 && from < byDay.length && pageRows.length < limit;
    from = to
  ) {
    while (to < byDay.length && dateOf(byDay[to]) === dateOf(byDay[from])) to += 1;
    const day = byDay.slice(from, to).sort(compareRows);
    pageRows.push(...day.filter((row) => !lastRow || compareRows(row, lastRow) > 0));
  }
  return pageRows.slice(0, limit);
}

const positionOf = (row: Row, order: Order | undefined): Position =>
  order ? [String(row[order.by]), String(row['id'])] : ['', String(row['id'] ?? row['month'])];

function rowsAfter(rows: readonly Row[], position: Position): readonly Row[] {
  const last = rows.findIndex((row) => positionOf(row, undefined)[1] === position[1]);
  if (last === -1)
    throw new BudgetError('invalid_cursor', 'The row that this cursor follows is no longer in the list.');
  return rows.slice(last + 1);
}

function encodeCursor(position: Position, query: string): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${text}.${digest(text, query)}`;
}

function decodeCursor(cursor: string, query: string): Position {
  const [text = ''] = cursor.split('.', 1);
  if (cursor !== `${text}.${digest(text, query)}`)
    throw new BudgetError('invalid_cursor', 'This cursor is damaged or belongs to another query.');
  return positionSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
}

function digest(position: string, query: string): string {
  return createHash('sha256').update(`${query}\n${position}`).digest('base64url').slice(0, 12);
}
