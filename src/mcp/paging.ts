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
  const ordered = request.order === 'newest first' ? rows.toSorted(newestFirst) : rows;
  const start =
    request.cursor === undefined ? 0 : after(ordered, open(request.cursor, request.question), request.order);
  const given = ordered.slice(start, start + request.limit);
  const last = given.at(-1);
  const more = last !== undefined && start + given.length < ordered.length;
  return {
    rows: given,
    page: {
      total: rows.length,
      returned: given.length,
      next_cursor: more ? seal(positionOf(last, request.order), request.question) : null,
    },
  };
}

function positionOf(row: Row, order: Rows['order']): Position {
  return [order === 'newest first' ? String(row['date']) : '', String(row['id'] ?? row['month'])];
}

/** By date, and by id within a day: an order that does not depend on what else is in the list. */
function newestFirst(a: Row, b: Row): number {
  return comparePositions(positionOf(a, 'newest first'), positionOf(b, 'newest first'));
}

function comparePositions([dateA, idA]: Position, [dateB, idB]: Position): number {
  if (dateA !== dateB) return dateA < dateB ? 1 : -1;
  return idA < idB ? -1 : idA > idB ? 1 : 0;
}

function after(rows: readonly Row[], position: Position, order: Rows['order']): number {
  if (order === 'newest first') {
    const next = rows.findIndex((row) => comparePositions(positionOf(row, order), position) > 0);
    return next === -1 ? rows.length : next;
  }
  const last = rows.findIndex((row) => positionOf(row, order)[1] === position[1]);
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
