/**
 * Which part of an answer is shown: a page of a list, some collections of an export, or all of it. It counts and cuts,
 * and says in words what is shown; units come after it.
 */
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Operation, Rows } from '../operations/operation.ts';
import { date, milliunits } from '../schema/fields.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, paginate, type Row } from './paging.ts';
import { formatRows } from './rows.ts';
import type { FormattedText, TextContext } from './text.ts';

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

/** Arguments that the service never sees: which part of its answer is wanted. */
const display = z.object({
  until_date: date.optional(),
  limit: limit.optional(),
  cursor: text,
  collections: z.array(z.string()).optional(),
});

type Display = z.output<typeof display>;

/** The arguments that a read takes besides its own. */
export function displayArguments({ rows, collections, output }: Operation): z.ZodRawShape {
  if (rows?.order === 'newest first') return { until_date: display.shape.until_date, limit, cursor: text };
  if (rows) return { cursor: text };
  if (collections) return { collections: z.array(z.enum(arraysOf(output.shape[collections]))).optional() };
  return {};
}

const page = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  sum: milliunits.optional(),
});

/** What the answer has besides the service's own, or in its place. */
export function displayFields({ rows, collections, output }: Operation): z.ZodRawShape {
  if (rows) return { page };
  const exported = collections === undefined ? undefined : output.shape[collections];
  return collections !== undefined && exported instanceof z.ZodObject
    ? { [collections]: exportOf(exported) }
    : {};
}

/** An export is itself a budget: its head, how much it holds, and those collections that were asked for. */
function exportOf(exported: z.ZodObject): z.ZodObject {
  const collections = arraysOf(exported);
  const optional = Object.fromEntries(
    collections.map((name) => [name, z.optional(exported.shape[name] ?? z.never())]),
  );
  const counts = z.object(Object.fromEntries(collections.map((name) => [name, z.number()])));
  return z.object({ ...exported.shape, ...optional, counts });
}

/** The names of the collections of an export. */
function arraysOf(exported: z.core.$ZodType | undefined): string[] {
  if (!(exported instanceof z.ZodObject)) return [];
  const isArray = (field: z.core.$ZodType): boolean =>
    field instanceof z.ZodArray || (field instanceof z.ZodDefault && isArray(field.unwrap()));
  return Object.keys(exported.shape).filter((name) => isArray(exported.shape[name]));
}

export interface SelectedRows {
  /** `data` with what is not shown left out. */
  readonly data: Row;
  /** How many rows there are, and how to get the rest. */
  readonly summary?: string;
  /** Of a list of transactions, the sum of all of them, not of the page alone; in milliunits. */
  readonly sum?: number;
  /** What there is to read, each with the schema of its rows. */
  readonly sections: readonly (readonly [schema: z.core.$ZodType | undefined, value: unknown])[];
}

const object = z.record(z.string(), z.unknown());
/** Its rows were parsed with the answer; there may be a hundred thousand of them. */
const rowsOf = z.custom<readonly Row[]>(Array.isArray);
const words = (key: string) => key.replaceAll('_', ' ');

/** What of an answer is shown, and of which budget it is. */
export interface Selectable {
  readonly data: Row;
  readonly budgetId: string | undefined;
}

/** Throws `invalid_cursor`, and `invalid_input` for a period that ends before it begins. */
export function selectRows(operation: Operation, { data, budgetId }: Selectable, args: Row): SelectedRows {
  const { rows, collections, output } = operation;
  const view = display.parse(args);
  if (rows) return selectPage(operation, rows, { data, budgetId }, args, view);
  if (collections !== undefined)
    return selectCollections(collections, output.shape[collections], data, view.collections ?? []);
  return { data, sections: Object.entries(data).map(([name, value]) => [output.shape[name], value]) };
}

/** In words. `data` is what is shown of the answer, with the month of its amounts where there is one. */
export function formatSelection(
  { summary, sum, sections }: SelectedRows,
  { month }: Row,
  context: TextContext,
): FormattedText {
  return {
    heading: [
      typeof month === 'string' && month.slice(0, 7),
      summary,
      sum !== undefined && `sum ${context.money(sum)}`,
    ],
    lines: sections.flatMap(([schema, value]) => formatRows(schema, value, context)),
  };
}

function selectPage(
  { name, input, output }: Operation,
  { key, order }: Rows,
  { data, budgetId }: Selectable,
  args: Row,
  { until_date, limit = DEFAULT_TRANSACTIONS, cursor }: Display,
): SelectedRows {
  const { since_date } = args;
  if (until_date !== undefined && String(since_date ?? '') > until_date)
    throw new BudgetError('invalid_input', `since_date ${since_date} is after until_date ${until_date}.`);
  const all = rowsOf.parse(data[key]);
  const wanted = until_date === undefined ? all : all.filter((row) => String(row['date']) <= until_date);
  const { rows, page } = paginate(wanted, {
    query: queryOf(name, { ...ownOf(input, args), budget_id: budgetId, until_date }),
    order,
    limit: order === 'newest first' ? limit : MAX_ROWS,
    cursor,
  });
  const { returned, total, next_cursor } = page;
  const rest = next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`;
  const sum = order === 'newest first' ? sumOf(wanted) : undefined;
  const sorted = order !== 'as sent' && total > 1 ? `, ${order}` : '';
  return {
    data: { ...data, [key]: rows, page: { ...page, ...(sum !== undefined && { sum }) } },
    ...(sum !== undefined && total > 0 && { sum }),
    summary:
      returned === total
        ? `${total} ${words(key)}${sorted}`
        : `${returned} of ${total} ${words(key)}${sorted}; ${rest}`,
    sections: [[output.shape[key], rows]],
  };
}

const ownOf = ({ shape }: z.ZodObject, args: Row): Row =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name in shape));

function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (const { amount } of rows) if (typeof amount === 'number') sum += amount;
  return sum;
}

/** The same question is the same text, in whatever order its arguments were given. */
function queryOf(name: string, args: Row): string {
  return JSON.stringify([
    name,
    ...Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ]);
}

function selectCollections(
  key: string,
  schema: z.core.$ZodType | undefined,
  data: Row,
  wanted: readonly string[],
): SelectedRows {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
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
    sections: shown.map(([name, rows]) => [shape[name], rows]),
  };
}

function firstRows(name: string, rows: readonly Row[]): readonly Row[] {
  const order = name === 'transactions' ? 'newest first' : 'as sent';
  return paginate(rows, { query: '', order, limit: MAX_ROWS }).rows;
}
