/**
 * One page of a list. A cursor names the last row that was given, not a position, so that it survives rows that come
 * and go before it; it carries a digest of the question, so that it cannot be used for another one.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Rows } from '../operations/operation.ts';

export const MAX_ROWS = 500;
export const DEFAULT_TRANSACTIONS = 50;

export type Row = Readonly<Record<string, unknown>>;

export interface Page {
  readonly rows: readonly Row[];
  readonly page: { readonly total: number; readonly returned: number; readonly next_cursor: string | null };
}

export interface PageRequest {
  /** What the cursor belongs to: operation, budget and arguments, in a form that can be compared. */
  readonly question: string;
  readonly order: Rows['order'];
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const positionSchema = z.tuple([z.string(), z.string()]);
/** Date and id; the date is empty where the order is not by date. */
type Position = z.output<typeof positionSchema>;

/** `rows` in full, to the page that is asked for. Throws `invalid_cursor`. */
export function paginate(rows: readonly Row[], request: PageRequest): Page {
  const order = orders[request.order];
  const last = request.cursor === undefined ? undefined : open(request.cursor, request.question);
  // One row more tells whether there are more.
  const next = order
    ? inOrder(rows, request.limit + 1, order, last)
    : (last ? afterAsSent(rows, last) : rows).slice(0, request.limit + 1);
  const given = next.slice(0, request.limit);
  const end = next.length > given.length ? given.at(-1) : undefined;
  return {
    rows: given,
    page: {
      total: rows.length,
      returned: given.length,
      next_cursor: end ? seal(positionOf(end, order), request.question) : null,
    },
  };
}

/** By a date, and within a day by id: an order that does not depend on what else is in the list. */
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

/** A plain loop, since there may be a hundred thousand of them at each question. */
function areByDay(rows: readonly Row[], { by, compareDates }: Order): boolean {
  let before = rows[0]?.[by];
  for (const row of rows) {
    const date = row[by];
    if (date !== before && compareDates(String(before), String(date)) > 0) return false;
    before = date;
  }
  return true;
}

const comparing =
  ({ by, compareDates }: Order) =>
  (a: Row, b: Row) =>
    compareDates(String(a[by]), String(b[by])) || compare(String(a['id']), String(b['id']));

/**
 * The first `limit` rows in order, after `last`. What is held is in order already, which is seen faster than sorted;
 * the service has an order of its own. Ids, which are slow to compare, only matter within the days that are given.
 */
function inOrder(
  rows: readonly Row[],
  limit: number,
  order: Order,
  last: Position | undefined,
): readonly Row[] {
  const { by, compareDates } = order;
  const dateOf = (row: Row | undefined) => String(row?.[by]);
  const compareDays = (a: Row, b: Row) => compareDates(dateOf(a), dateOf(b));
  const byDay = areByDay(rows, order) ? rows : rows.toSorted(compareDays);

  const lastRow = last && { [by]: last[0], id: last[1] };
  const start = lastRow ? byDay.findIndex((row) => compareDays(row, lastRow) >= 0) : 0;
  const compareRows = comparing(order);
  const given: Row[] = [];
  for (let from = start, to = start; from !== -1 && from < byDay.length && given.length < limit; from = to) {
    while (to < byDay.length && dateOf(byDay[to]) === dateOf(byDay[from])) to += 1;
    const day = byDay.slice(from, to).sort(compareRows);
    given.push(...day.filter((row) => !lastRow || compareRows(row, lastRow) > 0));
  }
  return given.slice(0, limit);
}

const positionOf = (row: Row, order: Order | undefined): Position =>
  order ? [String(row[order.by]), String(row['id'])] : ['', String(row['id'] ?? row['month'])];

function afterAsSent(rows: readonly Row[], position: Position): readonly Row[] {
  const last = rows.findIndex((row) => positionOf(row, undefined)[1] === position[1]);
  if (last === -1) throw new BudgetError('invalid_cursor', 'The row that this cursor follows is gone.');
  return rows.slice(last + 1);
}

function seal(position: Position, question: string): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url');
  return `${text}.${digest(text, question)}`;
}

function open(cursor: string, question: string): Position {
  const [text = ''] = cursor.split('.', 1);
  if (cursor !== `${text}.${digest(text, question)}`)
    throw new BudgetError('invalid_cursor', 'This cursor is damaged or belongs to another question.');
  return positionSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
}

function digest(position: string, question: string): string {
  return createHash('sha256').update(`${question}\n${position}`).digest('base64url').slice(0, 12);
}
