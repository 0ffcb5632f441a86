/**
 * Selects the part of a response that is shown: a page of a list, some collections of an export, or everything. It also
 * writes the summary of what is shown. Amounts are still in milliunits.
 */
import { z } from 'zod';
import type { Operation, Rows } from '../operations/operation.ts';
import type { JsonObject } from '../platform/json.ts';
import { milliunits } from '../schema/fields.ts';
import { transactionSummary } from '../schema/transaction.ts';
import { type AnswerSize, countFitting } from './answer-size.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, paginate, type Row } from './paging.ts';
import { formatRows } from './rows.ts';
import type { FormattedText, TextContext } from './text.ts';

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

/** Arguments that select the part of a response. They are not sent to the service. */
const display = z.object({
  limit: limit.optional(),
  cursor: text,
  collections: z.array(z.string()).optional(),
});

type Display = z.output<typeof display>;

/** What there is to know about a response. An operation is one; a tool without a route may define its own. */
export type Listing = Pick<Operation, 'name' | 'input' | 'output' | 'rows' | 'collections'>;

/** The display arguments of a read, in addition to its own. */
export function displayArguments({ rows, collections, output }: Listing): z.ZodRawShape {
  if (rows?.order === 'newest first') return { limit, cursor: text };
  if (rows) return { cursor: text };
  if (collections)
    return { collections: z.array(z.enum(collectionNames(output.shape[collections]))).optional() };
  return {};
}

const page = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  sum: milliunits.optional(),
});

/** Fields of the result that are added to those of the service, or replace them. */
export function displayFields({ rows, collections, output }: Listing): z.ZodRawShape {
  if (rows) return { page };
  const exported = collections === undefined ? undefined : output.shape[collections];
  return collections !== undefined && exported instanceof z.ZodObject
    ? { [collections]: exportSchema(exported) }
    : {};
}

/** An export has the budget's own fields, the size of each collection, and the requested collections. */
function exportSchema(exported: z.ZodObject): z.ZodObject {
  const collections = collectionNames(exported);
  const optional = Object.fromEntries(
    collections.map((name) => [name, z.optional(exported.shape[name] ?? z.never())]),
  );
  const counts = z.object(Object.fromEntries(collections.map((name) => [name, z.number()])));
  return z.object({ ...exported.shape, ...optional, counts });
}

/** The names of the collections of an export. */
function collectionNames(exported: z.core.$ZodType | undefined): string[] {
  if (!(exported instanceof z.ZodObject)) return [];
  const isArray = (field: z.core.$ZodType): boolean =>
    field instanceof z.ZodArray || (field instanceof z.ZodDefault && isArray(field.unwrap()));
  return Object.keys(exported.shape).filter((name) => isArray(exported.shape[name]));
}

interface Subject {
  readonly kind: 'account' | 'category' | 'payee';
  readonly id: string;
  readonly name: string;
}

export interface SelectedRows {
  /** `data` without the parts that are not shown. */
  readonly data: Row;
  /** The number of rows, and how to get the rest. */
  readonly summary?: string;
  /** The sum of all transactions of a list, not only of the page, in milliunits. */
  readonly sum?: number;
  /** What all rows have in common, such as the account of an account's list. */
  readonly subject?: Subject;
  /** The values to format, each with the schema of its rows. */
  readonly sections: readonly (readonly [schema: z.core.$ZodType | undefined, value: unknown])[];
}

const object = z.record(z.string(), z.unknown());
/** Checks only that it is a list, because there may be 100,000 rows and the response has been parsed already. */
const rowList = z.custom<readonly Row[]>(Array.isArray);
const nameInWords = (key: string) => key.replaceAll('_', ' ');

/** The complete data of a response, and the id of its budget. */
export interface Selectable {
  readonly data: JsonObject;
  readonly budgetId: string | undefined;
}

/** Throws `invalid_cursor`. */
export function selectRows(
  operation: Listing,
  { data, budgetId }: Selectable,
  args: JsonObject,
  size?: AnswerSize,
): SelectedRows {
  const { rows, collections, output } = operation;
  const view = display.parse(args);
  if (rows) return selectPage(operation, rows, { data, budgetId }, args, view, size);
  if (collections !== undefined)
    return selectCollections(collections, output.shape[collections], data, view.collections ?? [], size);
  return { data, sections: Object.entries(data).map(([name, value]) => [output.shape[name], value]) };
}

/** The text of the selected rows. `month` is the month of the amounts of categories. */
export function formatSelection(
  { subject, summary, sum, sections }: SelectedRows,
  { month }: JsonObject,
  context: TextContext,
): FormattedText {
  const named = subject && `${subject.kind} ${context.named(subject.kind, subject.id, subject.name)}`;
  if (subject) context.imply(subject.id);
  return {
    heading: [
      named,
      typeof month === 'string' && month.slice(0, 7),
      summary,
      sum !== undefined && `sum ${context.money(sum)}`,
    ],
    lines: sections.flatMap(([schema, value]) => formatRows(schema, value, context)),
  };
}

function selectPage(
  { name, input, output }: Listing,
  { key, order }: Rows,
  { data, budgetId }: Selectable,
  args: JsonObject,
  { limit = DEFAULT_TRANSACTIONS, cursor }: Display,
  size: AnswerSize | undefined,
): SelectedRows {
  const all = rowList.parse(data[key]);
  const {
    rows,
    page: { next_cursor },
  } = paginate(all, {
    query: queryOf(name, { ...ownArguments(input, args), budget_id: budgetId }),
    order,
    limit: order === 'newest first' ? limit : MAX_ROWS,
    cursor,
    countFitting: size && countFitting(elementOf(output.shape[key]), size, limit > DEFAULT_TRANSACTIONS),
  });
  const [total, returned] = [countEntries(all), countEntries(rows)];
  const rest = next_cursor === null ? 'the last of them' : `more with cursor ${next_cursor}`;
  const sum = order === 'newest first' ? sumOf(all) : undefined;
  const sorted = order !== 'as sent' && total > 1 ? `, ${order}` : '';
  return {
    data: { ...data, [key]: rows, page: { total, returned, next_cursor, ...(sum !== undefined && { sum }) } },
    ...(sum !== undefined && total > 0 && { sum }),
    summary:
      rows.length === all.length
        ? `${total} ${nameInWords(key)}${sorted}`
        : `${returned} of ${total} ${nameInWords(key)}${sorted}; ${rest}`,
    sections: [[output.shape[key], rows]],
    ...subjectOf(args, rows),
  };
}

const elementOf = (schema: z.core.$ZodType | undefined): z.core.$ZodType =>
  schema instanceof z.ZodArray ? schema.element : z.unknown();

const subjectKinds = ['account', 'category', 'payee'] as const;

/** The account, category or payee of which all rows are. */
function subjectOf(args: JsonObject, rows: readonly Row[]): { readonly subject?: Subject } {
  for (const kind of subjectKinds) {
    const id = args[`${kind}_id`];
    const name = rows.find((row) => row[`${kind}_id`] === id)?.[`${kind}_name`];
    if (typeof id === 'string' && typeof name === 'string') return { subject: { kind, id, name } };
  }
  return {};
}

const ownArguments = ({ shape }: z.ZodObject, args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name in shape));

/** In hybrid lists several rows may be legs of one transaction, which counts once. */
function countEntries(rows: readonly Row[]): number {
  const splits = new Set<unknown>();
  let legs = 0;
  for (const { parent_transaction_id } of rows) {
    if (typeof parent_transaction_id !== 'string') continue;
    splits.add(parent_transaction_id);
    legs += 1;
  }
  return rows.length - legs + splits.size;
}

/** A split that was found by some of its legs counts with these. */
function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows) {
    const amount = row['matching_amount'] ?? row['amount'];
    if (typeof amount === 'number') sum += amount;
  }
  return sum;
}

/** Identifies a query. The order of the arguments makes no difference. */
function queryOf(name: string, args: JsonObject): string {
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
  data: JsonObject,
  requested: readonly string[],
  size: AnswerSize | undefined,
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
    if (requested.includes(name))
      shown.push([name, firstRows(shape[name], rowList.parse(value), size, requested.length)]);
  }
  const cut = shown.filter(([name, rows]) =>
    counts.some(([each, count]) => each === name && count > rows.length),
  );
  return {
    data: { ...data, [key]: Object.fromEntries([...head, ['counts', Object.fromEntries(counts)], ...shown]) },
    summary: [
      counts.map(([name, count]) => `${count} ${nameInWords(name)}`).join(', '),
      ...cut.map(
        ([name, rows]) => `Of ${nameInWords(name)} ${rows.length} are shown; the list tools give the rest`,
      ),
    ].join('. '),
    sections: shown.map(([name, rows]) => [shape[name], rows]),
  };
}

function firstRows(
  schema: z.core.$ZodType | undefined,
  rows: readonly Row[],
  size: AnswerSize | undefined,
  lists: number,
): readonly Row[] {
  const list = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const isTransactions = list instanceof z.ZodArray && list.element === transactionSummary;
  const order = isTransactions ? 'newest first' : 'as sent';
  return paginate(rows, {
    query: '',
    order,
    limit: MAX_ROWS,
    countFitting: size && countFitting(elementOf(list), size, false, lists),
  }).rows;
}
