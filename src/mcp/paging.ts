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
  const ordered = order
    ? rows.toSorted((a, b) => order.compare(order.positionOf(a), order.positionOf(b)))
    : rows;
  const start =
    request.cursor === undefined ? 0 : after(ordered, open(request.cursor, request.question), order);
  const given = ordered.slice(start, start + request.limit);
  const last = given.at(-1);
  const more = last !== undefined && start + given.length < ordered.length;
  return {
    rows: given,
    page: {
      total: rows.length,
      returned: given.length,
      next_cursor: more ? seal(order?.positionOf(last) ?? asSent(last), request.question) : null,
    },
  };
}

interface Order {
  readonly positionOf: (row: Row) => Position;
  /** Within a day by id: an order that does not depend on what else is in the list. */
  readonly compare: (a: Position, b: Position) => number;
}

const orders: Readonly<Record<Rows['order'], Order | undefined>> = {
  'newest first': {
    positionOf: (row) => [String(row['date']), String(row['id'])],
    compare: ([dateA, idA], [dateB, idB]) => compare(dateB, dateA) || compare(idA, idB),
  },
  'soonest first': {
    positionOf: (row) => [String(row['date_next']), String(row['id'])],
    compare: ([dateA, idA], [dateB, idB]) => compare(dateA, dateB) || compare(idA, idB),
  },
  'as sent': undefined,
};

const asSent = (row: Row): Position => ['', String(row['id'] ?? row['month'])];

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function after(rows: readonly Row[], position: Position, order: Order | undefined): number {
  if (order) {
    const next = rows.findIndex((row) => order.compare(order.positionOf(row), position) > 0);
    return next === -1 ? rows.length : next;
  }
  const last = rows.findIndex((row) => asSent(row)[1] === position[1]);
  if (last === -1) throw new BudgetError('invalid_cursor', 'The row that this cursor follows is gone.');
  return last + 1;
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
