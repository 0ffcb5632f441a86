/**
 * Which part of an answer is shown: a page of a list, some collections of an export, or all of it. It counts and cuts;
 * units and words come after it.
 */
import { z } from 'zod';
import type { CallResult } from '../client/call-result.ts';
import { BudgetError } from '../errors.ts';
import type { DisplayOptions } from '../mcp/tool-definition.ts';
import type { Operation, Rows } from '../operations/operation.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, type Page, paginate, type Row } from './paging.ts';

export interface SelectedRows {
  /** `data` with what is not shown left out. */
  readonly data: Row;
  /** For a list. */
  readonly page?: Page['page'];
  /** Of a list of transactions, the sum of all of them, not of the page alone; in milliunits. */
  readonly sum?: number;
  /** What to say of it: how many there are, and how to get the rest. */
  readonly summary?: string;
  /** What there is to read, by the kind of thing that it is. */
  readonly sections: readonly (readonly [kind: string, value: unknown])[];
}

const object = z.record(z.string(), z.unknown());
/** Its rows were parsed with the answer; there may be a hundred thousand of them. */
const rowsOf = z.custom<readonly Row[]>(Array.isArray);
const words = (key: string) => key.replaceAll('_', ' ');

export function selectRows(
  operation: Operation,
  answer: CallResult<Row>,
  input: Row,
  view: DisplayOptions,
): SelectedRows {
  if (operation.rows) return selectPage(operation, operation.rows, answer, input, view);
  if (operation.collections)
    return selectCollections(operation.collections, answer.data, view.collections ?? []);
  return { data: answer.data, sections: Object.entries(answer.data) };
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
  const wanted = until_date === undefined ? all : all.filter((row) => String(row['date']) <= until_date);
  const { rows, page } = paginate(wanted, {
    question: questionOf(name, { ...input, budget_id: budget?.id, until_date }),
    order,
    limit: order === 'newest first' ? limit : MAX_ROWS,
    cursor,
  });
  const { returned, total, next_cursor } = page;
  const rest = next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`;
  const sorted = order !== 'as sent' && total > 1 ? `, ${order}` : '';
  return {
    data: { ...data, [key]: rows },
    page,
    ...(order === 'newest first' && { sum: sumOf(wanted) }),
    summary:
      returned === total
        ? `${total} ${words(key)}${sorted}`
        : `${returned} of ${total} ${words(key)}${sorted}; ${rest}`,
    sections: [[key, rows]],
  };
}

function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (const { amount } of rows) if (typeof amount === 'number') sum += amount;
  return sum;
}

/** The same question is the same text, in whatever order its arguments were given. */
function questionOf(name: string, args: Row): string {
  return JSON.stringify([
    name,
    ...Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ]);
}

function selectCollections(key: string, data: Row, wanted: readonly string[]): SelectedRows {
  const head: [string, unknown][] = [];
  const shown: [string, readonly Row[]][] = [];
  const counts: [string, number][] = [];
  for (const [name, value] of Object.entries(object.parse(data[key]))) {
    if (!Array.isArray(value)) {
      head.push([name, value]);
      continue;
    }
    counts.push([name, value.length]);
    if (wanted.includes(name)) shown.push([name, firstRows(name, rowsOf.parse(value))]);
  }
  const cut = shown.filter(([name, rows]) =>
    counts.some(([each, count]) => each === name && count > rows.length),
  );
  return {
    data: { ...data, [key]: Object.fromEntries([...head, ['counts', Object.fromEntries(counts)], ...shown]) },
    summary: [
      counts.map(([name, count]) => `${count} ${words(name)}`).join(', '),
      ...cut.map(([name]) => `Of ${words(name)} ${MAX_ROWS} are shown; the list tools give the rest`),
    ].join('. '),
    sections: shown,
  };
}

function firstRows(name: string, rows: readonly Row[]): readonly Row[] {
  const order = name === 'transactions' ? 'newest first' : 'as sent';
  return paginate(rows, { question: '', order, limit: MAX_ROWS }).rows;
}
