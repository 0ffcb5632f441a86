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
  const compareRows = orders[order];
  const sorted = compareRows && !isInOrder(rows, compareRows) ? rows.toSorted(compareRows) : rows;
  const start = cursor === undefined ? 0 : positionAfter(sorted, decodeCursor(cursor, query), compareRows);
  const page = fitRows(sorted.slice(start, start + limit), {
    context,
    format: (row) => format(row, context),
  });
  const end = start + page.rows.length;
  const last = page.rows.at(-1);
  return {
    ...page,
    next_cursor: last && end < sorted.length ? encodeCursor(last, query) : null,
    isWhole: start === 0 && end === sorted.length,
  };
}

/** Says which part of the list is on the page, and how to go on. */
export const describePage = (what: string, { next_cursor }: Page): string =>
  `${what}; ${next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`}`;

type Compare = (a: Row, b: Row) => number;

const compare = (a: unknown, b: unknown) => (a === b ? 0 : String(a) < String(b) ? -1 : 1);

const newestFirst: Compare = (a, b) => compare(b['date'], a['date']) || compare(a['id'], b['id']);

/** By day, and by id within a day. The order of two rows does not depend on other rows. */
const orders: Readonly<Record<Rows['order'], Compare | undefined>> = {
  'newest first': newestFirst,
  'soonest first': (a, b) => compare(a['date_next'], b['date_next']) || compare(a['id'], b['id']),
  'as sent': undefined,
};

/** Whether `a` comes before `b` in a list of transactions. */
export const isNewer = (a: Row, b: Row): boolean => newestFirst(a, b) < 0;

/** Cached lists are in order already, and checking that is faster than sorting. */
const isInOrder = (rows: readonly Row[], compareRows: Compare) =>
  rows.every((row, at) => at === 0 || compareRows(rows[at - 1] ?? row, row) <= 0);

function positionAfter(rows: readonly Row[], last: Row, compareRows: Compare | undefined): number {
  if (compareRows) {
    const next = rows.findIndex((row) => compareRows(row, last) > 0);
    return next === -1 ? rows.length : next;
  }
  const found = rows.findIndex((row) => idOf(row) === last['id']);
  if (found !== -1) return found + 1;
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
