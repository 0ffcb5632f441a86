/**
 * Returns one page of a list. A page has as many rows as fit. A cursor contains the last returned row, not a position, so
 * that it stays valid when rows before it are added or removed. It contains a digest of the query, so that it cannot be used
 * for another one.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import type { Rows } from '../operations/operation.ts';
import { type FittingRows, fitRows, type Row } from './fit-rows.ts';
import type { TextContext } from './text.ts';

export const MAX_ROWS = 500;
export const DEFAULT_TRANSACTIONS = 50;

/** Each row has an `id`, or a `month` that is different in each. */
export interface List {
  readonly rows: readonly Row[];
  readonly order: Rows['order'];
  /** The line of a row, and of the rows in it. */
  format(row: Row, context: TextContext): string;
}

export interface PageRequest {
  /** The query that the cursor belongs to: operation, budget and arguments, in a form that can be compared. */
  readonly query: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page extends FittingRows {
  readonly next_cursor: string | null;
  /** Whether the page has everything. */
  readonly isWhole: boolean;
}

/** The requested page. Throws `invalid_cursor`. */
export function paginate(
  { rows, order, format }: List,
  { query, limit, cursor }: PageRequest,
  context: TextContext,
): Page {
  const last = cursor === undefined ? undefined : decodeCursor(cursor, query);
  const by = orders[order];
  // One more row shows whether there are more.
  const found = by ? rowsInOrder(rows, limit + 1, by, last) : rowsAsSent(rows, limit + 1, last);
  const page = fitRows(found.slice(0, limit), { context, format: (row) => format(row, context) });
  const end = page.rows.at(-1);
  const isEnd = page.rows.length === found.length;
  return {
    ...page,
    next_cursor: end && !isEnd ? encodeCursor(end, query) : null,
    isWhole: !last && isEnd,
  };
}

/** Says which part of the list is on the page, and how to go on. */
export const describePage = (what: string, { next_cursor }: Page): string =>
  `${what}; ${next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`}`;

/** By day, and by id within a day. The order of two rows does not depend on other rows. */
interface Order {
  readonly by: 'date' | 'date_next';
  readonly compareDays: (a: string, b: string) => number;
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const newestFirst: Order = { by: 'date', compareDays: (a, b) => compare(b, a) };

const orders: Readonly<Record<Rows['order'], Order | undefined>> = {
  'newest first': newestFirst,
  'soonest first': { by: 'date_next', compareDays: compare },
  'as sent': undefined,
};

const byDay =
  ({ by, compareDays }: Order) =>
  (a: Row, b: Row) =>
    compareDays(String(a[by]), String(b[by]));

const byDayAndId = (order: Order) => (a: Row, b: Row) =>
  byDay(order)(a, b) || compare(String(a['id']), String(b['id']));

/** Whether `a` comes before `b` in a list of transactions. */
export const isNewer = (a: Row, b: Row): boolean => byDayAndId(newestFirst)(a, b) < 0;

/** A plain loop, because it runs on every request and there may be a hundred thousand rows. */
function isSortedByDay(rows: readonly Row[], { by, compareDays }: Order): boolean {
  let before = rows[0]?.[by];
  for (const row of rows) {
    const day = row[by];
    if (day !== before && compareDays(String(before), String(day)) > 0) return false;
    before = day;
  }
  return true;
}

/**
 * The first `limit` rows in order, after `last`. Cached lists are in order already, and checking that is faster than sorting.
 * Comparing ids is slow, and there may be a hundred thousand rows, so ids are compared only within the returned days.
 */
function rowsInOrder(
  rows: readonly Row[],
  limit: number,
  order: Order,
  last: Row | undefined,
): readonly Row[] {
  const dayOf = (row: Row | undefined) => row?.[order.by];
  const compareDays = byDay(order);
  const compareRows = byDayAndId(order);
  const sorted = isSortedByDay(rows, order) ? rows : rows.toSorted(compareDays);
  const start = last ? sorted.findIndex((row) => compareDays(row, last) >= 0) : 0;
  const found: Row[] = [];
  for (let from = start, to = start; from !== -1 && from < sorted.length && found.length < limit; from = to) {
    while (to < sorted.length && dayOf(sorted[to]) === dayOf(sorted[from])) to += 1;
    const ofDay = sorted.slice(from, to).sort(compareRows);
    found.push(...(last ? ofDay.filter((row) => compareRows(row, last) > 0) : ofDay));
  }
  return found.slice(0, limit);
}

function rowsAsSent(rows: readonly Row[], limit: number, last: Row | undefined): readonly Row[] {
  if (!last) return rows.slice(0, limit);
  const found = rows.findIndex((row) => idOf(row) === last['id']);
  if (found !== -1) return rows.slice(found + 1, found + 1 + limit);
  throw new BudgetError('invalid_cursor', 'The row that this cursor follows is no longer in the list.');
}

const idOf = (row: Row) => String(row['id'] ?? row['month']);

const lastRow = z.object({ id: z.string(), date: z.string().optional(), date_next: z.string().optional() });

function encodeCursor({ date, date_next, ...row }: Row, query: string): string {
  const text = Buffer.from(JSON.stringify({ id: idOf(row), date, date_next })).toString('base64url');
  return `${text}.${digest(text, query)}`;
}

function decodeCursor(cursor: string, query: string): Row {
  const [text = ''] = cursor.split('.', 1);
  if (cursor !== `${text}.${digest(text, query)}`)
    throw new BudgetError('invalid_cursor', 'This cursor is damaged or belongs to another query.');
  return lastRow.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
}

function digest(position: string, query: string): string {
  return createHash('sha256').update(`${query}\n${position}`).digest('base64url').slice(0, 12);
}
