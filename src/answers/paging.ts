/**
 * Returns one page of an answer with one or several lists. A page has as many rows as fit. A cursor contains the last
 * returned row, not a position, so that it stays valid when rows before it are added or removed. It contains a digest of
 * the query, so that it cannot be used for another one.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { BudgetError } from '../base/errors.ts';
import type { Rows } from '../operations/operation.ts';
import {
  type FittingRows,
  fitRows,
  formatPart,
  innerRowsOf,
  type Part,
  type Row,
  type RowWriter,
} from './fit-rows.ts';
import type { TextContext } from './text.ts';

export const MAX_ROWS = 500;
export const DEFAULT_TRANSACTIONS = 50;

/** A list of an answer. Each row has an `id`, or a `month` that is different in each. */
export interface List {
  /** The name of the list, if the answer has several. */
  readonly name?: string;
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

type PageOfList = Omit<FittingRows, 'part'>;

export interface Page {
  /** In the order of the lists. */
  readonly lists: readonly PageOfList[];
  /** The number of rows that begin on this page. The rest of a row that began on an earlier page does not count. */
  readonly returned: number;
  /** The part of the first row that is shown, if that is not all. */
  readonly part?: Part;
  readonly next_cursor: string | null;
  /** Whether the page has everything. */
  readonly isWhole: boolean;
}

/** The last row of a page, and the last of the rows in it if there are more of them. Empty texts stand for none. */
interface Position {
  readonly list: string;
  readonly date: string;
  readonly id: string;
  readonly innerId: string;
}

/** The requested page of `lists`, one list after another. Throws `invalid_cursor`. */
export function paginate(
  lists: readonly List[],
  { query, limit, cursor }: PageRequest,
  context: TextContext,
): Page {
  const last = cursor === undefined ? undefined : decodeCursor(cursor, query);
  const begun = last ? lists.findIndex(({ name = '' }) => name === last.list) : 0;
  const pages: PageOfList[] = [];
  let [left, isFull, position] = [limit, false, last];
  let firstPart: Part | undefined;
  for (const [index, list] of lists.entries()) {
    if (index < begun || isFull) {
      pages.push({ rows: [], lines: [] });
      continue;
    }
    // One extra row shows whether there are more.
    const { rows, skipped } = rowsAfter(list, left + 1, index === begun ? last : undefined);
    const writer: RowWriter = { context, format: (row) => list.format(row, context) };
    const { part, ...page } = fitRows(rows.slice(0, left), writer, { isFirst: left === limit, skipped });
    pages.push(page);
    const lastRow = page.rows.at(-1);
    const isCut = part !== undefined && part.to < part.total;
    if (lastRow) position = positionOf(list, lastRow, isCut);
    isFull = isCut || page.rows.length < rows.length;
    left -= page.rows.length;
    firstPart ??= part;
  }
  return {
    lists: pages,
    returned: limit - left - (last && !isComplete(last) ? 1 : 0),
    ...(firstPart && { part: firstPart }),
    next_cursor: isFull && position ? encodeCursor(position, query) : null,
    isWhole: !last && !isFull,
  };
}

export const pageField = (total: number, { returned, part, next_cursor }: Page) => ({
  total,
  returned,
  next_cursor,
  ...(part && { part }),
});

/** Says which part of the list is on the page, if that is not everything, and how to go on. */
export function describePage(what: string, { part, next_cursor }: Page, context: TextContext): string {
  const rest = next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`;
  const shownPart = part && `${what && 'the first row has '}${formatPart(part, context)}`;
  return [what, shownPart, rest].filter(Boolean).join('; ');
}

/** By date, and by id within a day. The order of two rows does not depend on other rows. */
interface Order {
  readonly by: 'date' | 'date_next';
  readonly compareDates: (a: string, b: string) => number;
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const newestFirst: Order = { by: 'date', compareDates: (a, b) => compare(b, a) };

const orders: Readonly<Record<Rows['order'], Order | undefined>> = {
  'newest first': newestFirst,
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

/** Whether `a` comes before `b` in a list of transactions. */
export const isNewer = (a: Row, b: Row): boolean => compareBy(newestFirst)(a, b) < 0;

/** The first `limit` rows of a list after `last`, and how many of the rows in the first of them were shown before. */
function rowsAfter(
  { rows, order: name }: List,
  limit: number,
  last: Position | undefined,
): { readonly rows: readonly Row[]; readonly skipped: number } {
  const order = orders[name];
  const found = order ? rowsInOrder(rows, limit, order, last) : rowsAsSent(rows, limit, last);
  if (!last || isComplete(last)) return { rows: found, skipped: 0 };
  const row = found.find((each) => idOf(each) === last.id) ?? {};
  const skipped = 1 + (innerRowsOf(row)?.rows.findIndex((each) => idOf(each) === last.innerId) ?? -1);
  if (skipped === 0) throw rowIsGone();
  return { rows: found, skipped };
}

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

  const lastRow = last && { [by]: last.date, id: last.id };
  const start = lastRow ? byDay.findIndex((row) => compareDays(row, lastRow) >= 0) : 0;
  const compareRows = compareBy(order);
  const isNext = (row: Row) => !lastRow || compareRows(row, lastRow) >= (isComplete(last) ? 1 : 0);
  const pageRows: Row[] = [];
  for (
    let from = start, to = start;
    from !== -1 && from < byDay.length && pageRows.length < limit;
    from = to
  ) {
    while (to < byDay.length && dateOf(byDay[to]) === dateOf(byDay[from])) to += 1;
    pageRows.push(...byDay.slice(from, to).sort(compareRows).filter(isNext));
  }
  return pageRows.slice(0, limit);
}

function rowsAsSent(rows: readonly Row[], limit: number, last: Position | undefined): readonly Row[] {
  if (!last) return rows.slice(0, limit);
  const found = rows.findIndex((row) => idOf(row) === last.id);
  if (found === -1) throw rowIsGone();
  const start = isComplete(last) ? found + 1 : found;
  return rows.slice(start, start + limit);
}

/** Whether all of its last row is on the page. */
const isComplete = (position: Position | undefined) => position?.innerId === '';

const rowIsGone = () =>
  new BudgetError('invalid_cursor', 'The row that this cursor follows is no longer in the list.');

const idOf = (row: Row) => String(row['id'] ?? row['month']);

function positionOf({ name = '', order }: List, row: Row, isCut: boolean): Position {
  const { by } = orders[order] ?? {};
  const inner = isCut ? innerRowsOf(row)?.rows.at(-1) : undefined;
  return { list: name, date: by ? String(row[by]) : '', id: idOf(row), innerId: inner ? idOf(inner) : '' };
}

const positionSchema = z
  .tuple([z.string(), z.string(), z.string(), z.string()])
  .transform(([date, id, list, innerId]): Position => ({ list, date, id, innerId }));

function encodeCursor({ list, date, id, innerId }: Position, query: string): string {
  const text = Buffer.from(JSON.stringify([date, id, list, innerId])).toString('base64url');
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
