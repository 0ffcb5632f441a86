/**
 * Selects the part of a result to show: a page of a list, some collections of an export, or everything. Units and
 * text are formatted later.
 */
import { z } from 'zod';
import type { CallResult } from '../client/call-result.ts';
import { BudgetError } from '../errors.ts';
import type { DisplayOptions } from '../mcp/tool-definition.ts';
import type { Operation, Rows } from '../operations/operation.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, type Page, paginate, type Row } from './paging.ts';

export interface SelectedRows {
  /** `data` with the selected rows only. */
  readonly data: Row;
  /** Present for a list. */
  readonly page?: Page['page'];
  /** The sum of all transactions of a list, not only of the page, in milliunits. */
  readonly sum?: number;
  /** The number of rows, and how to get the others. */
  readonly summary?: string;
  /** The rows to format, by kind. */
  readonly sections: readonly (readonly [kind: string, value: unknown])[];
}

const object = z.record(z.string(), z.unknown());
/** The rows were validated with the response. There may be a hundred thousand of them. */
const rowsOf = z.custom<readonly Row[]>(Array.isArray);
const words = (key: string) => key.replaceAll('_', ' ');

export function selectRows(
  operation: Operation,
  result: CallResult<Row>,
  input: Row,
  view: DisplayOptions,
): SelectedRows {
  if (operation.rows) return selectPage(operation, operation.rows, result, input, view);
  if (operation.collections)
    return selectCollections(operation.collections, result.data, view.collections ?? []);
  return { data: result.data, sections: Object.entries(result.data) };
}

function selectPage(
  { name }: Operation,
  { key, order }: Rows,
  { data, budget }: CallResult<Row>,
  input: Row,
  { until_date, limit = DEFAULT_TRANSACTIONS, cursor }: DisplayOptions,
): SelectedRows {
  const { since_date } = input;
  if (until_date !== undefined && String(since_date ?? '') > until_date)
    throw new BudgetError('invalid_input', `since_date ${since_date} is after until_date ${until_date}.`);
  const all = rowsOf.parse(data[key]);
  const selected = until_date === undefined ? all : all.filter((row) => String(row['date']) <= until_date);
  const { rows, page } = paginate(selected, {
    query: queryOf(name, { ...input, budget_id: budget?.id, until_date }),
    order,
    limit: order === 'newest first' ? limit : MAX_ROWS,
    cursor,
  });
  const { returned, total, next_cursor } = page;
  const remaining = next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`;
  const sorted = order !== 'as sent' && total > 1 ? `, ${order}` : '';
  return {
    data: { ...data, [key]: rows },
    page,
    ...(order === 'newest first' && { sum: sumOf(selected) }),
    summary:
      returned === total
        ? `${total} ${words(key)}${sorted}`
        : `${returned} of ${total} ${words(key)}${sorted}; ${remaining}`,
    sections: [[key, rows]],
  };
}

function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (const { amount } of rows) if (typeof amount === 'number') sum += amount;
  return sum;
}

/** Equal queries give equal text, in any order of arguments. */
function queryOf(name: string, args: Row): string {
  return JSON.stringify([
    name,
    ...Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ]);
}

function selectCollections(key: string, data: Row, selected: readonly string[]): SelectedRows {
  const head: [string, unknown][] = [];
  const shownCollections: [string, readonly Row[]][] = [];
  const counts: [string, number][] = [];
  for (const [name, value] of Object.entries(object.parse(data[key]))) {
    if (!Array.isArray(value)) {
      head.push([name, value]);
      continue;
    }
    counts.push([name, value.length]);
    if (selected.includes(name)) shownCollections.push([name, firstRows(name, rowsOf.parse(value))]);
  }
  const limited = shownCollections.filter(([name, rows]) =>
    counts.some(([collection, count]) => collection === name && count > rows.length),
  );
  return {
    data: {
      ...data,
      [key]: Object.fromEntries([...head, ['counts', Object.fromEntries(counts)], ...shownCollections]),
    },
    summary: [
      counts.map(([name, count]) => `${count} ${words(name)}`).join(', '),
      ...limited.map(([name]) => `Of ${words(name)} ${MAX_ROWS} are shown; the list tools give the rest`),
    ].join('. '),
    sections: shownCollections,
  };
}

function firstRows(name: string, rows: readonly Row[]): readonly Row[] {
  const order = name === 'transactions' ? 'newest first' : 'as sent';
  return paginate(rows, { query: '', order, limit: MAX_ROWS }).rows;
}
