/**
 * Returns one page of a list. A page has as many rows as fit. A cursor contains the last returned row, not a position, so
 * that it stays valid when rows before it are added or removed. It contains a digest of the query, so that it cannot be used
 * for another one. It has at most 24 characters, because a model reads and writes it.
 */
import { createHash } from 'node:crypto';
import { addDays, dayNumber } from '../base/calendar.ts';
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
  /** True if it has fewer rows than were asked for, because an answer has room for no more. */
  readonly isCut: boolean;
}

/** The requested page. Throws `invalid_cursor`. */
export function paginate<Each extends Row>(
  { rows, order, format }: List<Each>,
  { query, limit, cursor }: PageRequest,
  context: TextContext,
): Page<Each> {
  const from = cursor === undefined ? 0 : indexAfter(decodeCursor(cursor, query), rows, order);
  // One more row shows whether there are more.
  const found = rows.slice(from, from + limit + 1);
  const page = fitRows(found.slice(0, limit), { context, format: (row) => format(row, context) });
  const end = page.rows.at(-1);
  const isEnd = page.rows.length === found.length;
  return {
    ...page,
    next_cursor: end && !isEnd ? encodeCursor(positionOf(end, order), query) : null,
    isWhole: cursor === undefined && isEnd,
    isCut: page.rows.length < Math.min(limit, found.length),
  };
}

/** Says which part of the list is on the page, and how to go on. */
export const describePage = (what: string, { next_cursor, isCut }: Page): string =>
  `${what}; ${isCut ? 'cut for length, ' : ''}${next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`}`;

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

/** A row in a cursor. The start of its id gives a row that was removed its place, and the mark tells rows with the same start apart. */
interface Position {
  readonly day: string;
  readonly start: string;
  readonly mark: string;
}

const idOf = (row: Row) => String(row['id'] ?? row['month']);
const startOf = (id: string) => id.slice(0, 6).replace(/[^\w-]/g, '_');
const shortDigest = (text: string, length: number) =>
  createHash('sha256').update(text).digest('base64url').slice(0, length);
const markOf = (id: string) => shortDigest(id, 4);

function positionOf(row: Row, order: Rows['order']): Position {
  const id = idOf(row);
  const day = { 'newest first': row['date'], 'soonest first': row['date_next'], 'as sent': '' }[order];
  return { day: String(day), start: startOf(id), mark: markOf(id) };
}

/** Where the rows after a position begin. In lists with an order, a row that was removed has its place too. */
function indexAfter({ day, start, mark }: Position, rows: readonly Row[], order: Rows['order']): number {
  const compare = comparisons[order];
  const key = { id: start, date: day, date_next: day };
  const isIt = (row: Row) => startOf(idOf(row)) === start && markOf(idOf(row)) === mark;
  if (!compare) {
    const found = rows.findIndex(isIt);
    if (found !== -1) return found + 1;
    throw new BudgetError('invalid_cursor', 'The row that this cursor follows is no longer in the list.');
  }
  const from = firstIndexWhere(rows, (row) => compare(keyOf(row), key) >= 0);
  for (let at = from; ; at += 1) {
    const row = rows[at];
    if (!row || startOf(idOf(row)) !== start) return from;
    if (isIt(row)) return at + 1;
  }
}

function encodeCursor({ day, start, mark }: Position, query: string): string {
  const days = day === '' ? '' : dayNumber(day).toString(36);
  const text = `${days}.${start}.${mark}`;
  return `${text}.${shortDigest(`${query}\n${text}`, 5)}`;
}

function decodeCursor(cursor: string, query: string): Position {
  const [days = '', start = '', mark = '', digest = ''] = cursor.split('.');
  const text = `${days}.${start}.${mark}`;
  if (cursor !== `${text}.${digest}` || digest !== shortDigest(`${query}\n${text}`, 5))
    throw new BudgetError('invalid_cursor', 'This cursor is damaged or belongs to another query.');
  const day = days === '' ? '' : addDays('1970-01-01', Number.parseInt(days, 36));
  return { day, start, mark };
}
