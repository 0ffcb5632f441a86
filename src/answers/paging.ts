/**
 * Returns one page of a list. A page has as many rows as fit. A cursor contains the last returned row, not a position, so
 * that it stays valid when rows before it are added or removed. It contains a digest of the query, so that it cannot be used
 * for another one.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import { compareSoonestFirst } from '../model/replica/scheduled-transaction-table.ts';
import { compareNewestFirst, firstIndexWhere } from '../model/replica/transaction-table.ts';
import type { Rows } from '../operations/operation.ts';
import { type FittingRows, fitRows, type Row } from './fit-rows.ts';
import type { TextContext } from './text.ts';

export const MAX_ROWS = 500;
export const DEFAULT_TRANSACTIONS = 50;

/** Each row has an `id`, or a `month` that is different in each. */
export interface List<Each extends Row = Row> {
  /** In this order. */
  readonly rows: readonly Each[];
  readonly order: Rows['order'];
  /** The line of a row, and of the rows in it. */
  format(row: Each, context: TextContext): string;
}

export interface PageRequest {
  /** The query that the cursor belongs to: operation, budget and arguments, in a form that can be compared. */
  readonly query: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Each extends Row = Row> extends FittingRows<Each> {
  readonly next_cursor: string | null;
  /** Whether the page has everything. */
  readonly isWhole: boolean;
}

/** The requested page. Throws `invalid_cursor`. */
export function paginate<Each extends Row>(
  { rows, order, format }: List<Each>,
  { query, limit, cursor }: PageRequest,
  context: TextContext,
): Page<Each> {
  const last = cursor === undefined ? undefined : decodeCursor(cursor, query);
  const from = last ? indexAfter(last, rows, order) : 0;
  // One more row shows whether there are more.
  const found = rows.slice(from, from + limit + 1);
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

const keyOf = ({ id, date, date_next }: Row) => ({
  id: String(id),
  date: String(date),
  date_next: String(date_next),
});

type Key = ReturnType<typeof keyOf>;

const comparisons: Readonly<Record<Rows['order'], ((a: Key, b: Key) => number) | undefined>> = {
  'newest first': compareNewestFirst,
  'soonest first': compareSoonestFirst,
  'as sent': undefined,
};

/** Where the rows after `last` begin. In lists with an order, a row that was removed has its place too. */
function indexAfter(last: Row, rows: readonly Row[], order: Rows['order']): number {
  const compare = comparisons[order];
  const key = keyOf(last);
  if (compare) return firstIndexWhere(rows, (row) => compare(keyOf(row), key) > 0);
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
