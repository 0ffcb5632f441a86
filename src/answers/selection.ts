/**
 * Selects the part of a response that is shown: a page of a list, or of the rows in a single thing, such as the categories
 * of a month. It also writes the summary of what is shown. Amounts are still in milliunits.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { milliunits } from '../base/schema/fields.ts';
import { elementOf, knownFields, objectOf } from '../base/schema/walk.ts';
import type { Operation, Rows, RowsInside } from '../operations/operation.ts';
import type { Row } from './fit-rows.ts';
import { DEFAULT_TRANSACTIONS, describePage, type List, MAX_ROWS, type Page, paginate } from './paging.ts';
import { formatFields, formatRows } from './rows.ts';
import { present, TextContext, type TextPart } from './text.ts';
import type { FormattedAnswer } from './tool-result.ts';
import { plainAmounts } from './units.ts';

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

/** Arguments that select the part of a response. They are not sent to the service. */
const display = z.object({ limit: limit.optional(), cursor: text });

/** The facts about a response that its format needs. An operation is one; a tool without a route may define its own. */
export type Listing = Pick<Operation, 'name' | 'input' | 'output' | 'rows' | 'rowsInside' | 'collections'>;

export const pageArguments = { limit, cursor: text };

export function displayArguments({ rows, rowsInside }: Listing): z.ZodRawShape {
  if (rows?.order === 'newest first') return pageArguments;
  return rows || rowsInside ? { cursor: text } : {};
}

export const pageSchema = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  sum: milliunits.optional(),
});

/** Fields of the result that are added to those of the service, or replace them. */
export function displayFields({ rows, rowsInside, collections = '', output }: Listing): z.ZodRawShape {
  const exported = objectOf(output.shape[collections]);
  return {
    ...(rows && { page: pageSchema }),
    ...(rowsInside && { page: pageSchema.optional() }),
    ...(exported && { [collections]: withCounts(exported) }),
  };
}

/** An export has the budget's own fields, and the number of rows of each kind. */
function withCounts({ shape }: z.ZodObject): z.ZodObject {
  const names = Object.keys(shape);
  const isList = (name: string) => elementOf(shape[name]) !== undefined;
  const head = names.filter((name) => !isList(name)).map((name) => [name, shape[name] ?? z.never()]);
  const counts = names.filter(isList).map((name) => [name, z.number()]);
  return z.object({ ...Object.fromEntries(head), counts: z.object(Object.fromEntries(counts)) });
}

/** Throws `invalid_cursor`. */
export function selectRows(
  operation: Listing,
  { data, budgetId }: { readonly data: JsonObject; readonly budgetId: string | undefined },
  args: JsonObject,
  context: TextContext,
): FormattedAnswer {
  const { output, rows, rowsInside, collections } = operation;
  if (collections !== undefined) return countExport(collections, data);
  const source = rows
    ? sourceOfList(operation, rows, data, args)
    : rowsInside && sourceInside(operation, rowsInside, data);
  if (!source) return { data, lines: formatFields(output, data, context) };
  const { list, subject, head, dataOf, describe } = source;
  const request = requestOf(operation, args, budgetId);
  if (request.isLong) context.room.extend();
  const named = subject && `${subject.kind} ${context.named(subject.kind, subject.id, subject.name)}`;
  if (subject) context.imply(subject.id);
  const first = head?.(context);
  const page = paginate(list, request, context);
  return {
    data: dataOf(page, context.room.isLimited),
    heading: [named, ...describe(page, context)],
    lines: present([first, ...page.lines]),
  };
}

/** A page of a list of transactions, without its text. Throws `invalid_cursor`. */
export function selectPage<Each extends Row>(
  operation: Listing,
  all: readonly Each[],
  args: JsonObject,
  budgetId: string | undefined,
) {
  const list = { rows: all, order: 'newest first', format: () => '' } as const;
  const request = requestOf(operation, args, budgetId);
  const { rows, next_cursor } = paginate(list, request, new TextContext(plainAmounts(null)));
  return { rows, next_cursor, total: all.length, sum: sumOf(all) };
}

function requestOf({ name, input, rows }: Listing, args: JsonObject, budgetId: string | undefined) {
  const { limit = DEFAULT_TRANSACTIONS, cursor } = display.parse(args);
  return {
    query: queryOf(name, { ...knownFields(input, args), budget_id: budgetId }),
    limit: rows?.order === 'newest first' ? limit : MAX_ROWS,
    cursor,
    isLong: limit > DEFAULT_TRANSACTIONS,
  };
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

/** The list of a response, and how a page of it is shown. */
interface Source {
  readonly list: List;
  /** The facts that all rows have in common, such as the account of an account's list. */
  readonly subject?: ReturnType<typeof subjectOf>;
  /** The line before the rows of each page. */
  head?(context: TextContext): string;
  /** The data with only the rows of the page. If the size of the answer is limited, nothing else in it may be long. */
  dataOf(page: Page, isLimited: boolean): JsonObject;
  /** The name of the rows, and how many of them are on the page. */
  describe(page: Page, context: TextContext): readonly TextPart[];
}

/** Checks only what they are, because there may be 100,000 rows and the response has been parsed already. */
const isRowList = (value: unknown): value is readonly Row[] => Array.isArray(value);
const rowsIn = (data: JsonObject, key: string) => expected(data[key], isRowList);
const thingIn = (data: JsonObject, key: string) => expected(data[key], isJsonObject);

function expected<Part>(value: unknown, isIt: (value: unknown) => value is Part): Part {
  if (isIt(value)) return value;
  throw new TypeError('The data do not match the schema of the answer.');
}

const nameInWords = (key: string) => key.replaceAll('_', ' ');

const formatOf =
  (schema: z.core.$ZodType | undefined): List['format'] =>
  (row, context) =>
    formatRows(schema, row, context).join('\n');

function sourceOfList(
  { output }: Pick<Operation, 'output'>,
  { key, order }: Rows,
  data: JsonObject,
  args: JsonObject,
): Source {
  const all = rowsIn(data, key);
  const element = elementOf(output.shape[key]);
  // Only hybrid lists have legs. Looking for them in 100,000 other rows would take most of the time of an answer.
  const isHybrid = 'parent_transaction_id' in (objectOf(element)?.shape ?? {});
  const isEntry = isHybrid ? entryTest(all) : undefined;
  const countOf = (rows: readonly Row[]) => (isEntry ? rows.filter(isEntry) : rows).length;
  const total = countOf(all);
  const sum = order === 'newest first' ? sumOf(all) : undefined;
  return {
    list: { rows: all, order, format: formatOf(element) },
    subject: subjectOf(args, all),
    dataOf: ({ rows, next_cursor }, isLimited) => ({
      ...(isLimited ? withoutRowsInside(data) : data),
      [key]: rows,
      page: { total, returned: countOf(rows), next_cursor, ...(sum !== undefined && { sum }) },
    }),
    describe(page, context) {
      const what = `${total} ${nameInWords(key)}${order !== 'as sent' && total > 1 ? `, ${order}` : ''}`;
      return [
        page.isWhole ? what : describePage(`${countOf(page.rows)} of ${what}`, page),
        sum !== undefined && total > 0 && `sum ${context.money(sum)}`,
      ];
    },
  };
}

/** The list of budgets contains the default budget again, with its accounts. */
const withoutRowsInside = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, isJsonObject(value) ? withoutLists(value) : value]),
  );

/** The rows in a single thing. Each page begins with the line of the thing. */
function sourceInside(
  { output }: Pick<Operation, 'output'>,
  { of, key, order }: RowsInside,
  data: JsonObject,
): Source {
  const thing = thingIn(data, of);
  const all = rowsIn(thing, key);
  const schema = output.shape[of];
  const format = formatOf(elementOf(objectOf(schema)?.shape[key]));
  return {
    list: { rows: all, order, format: (row, context) => `  ${format(row, context)}` },
    head(context) {
      const withoutRows = { ...thing, [key]: [] };
      const text = formatOf(schema)(withoutRows, context);
      context.room.take(text, withoutRows, true);
      return text;
    },
    dataOf: ({ rows, next_cursor, isWhole }) => ({
      ...data,
      [of]: { ...thing, [key]: rows },
      ...(!isWhole && { page: { total: all.length, returned: rows.length, next_cursor } }),
    }),
    describe: (page) => [
      !page.isWhole && describePage(`${page.rows.length} of ${all.length} ${nameInWords(key)}`, page),
    ],
  };
}

/** An export has no pages: of its rows, an answer has the numbers. */
function countExport(key: string, data: JsonObject): FormattedAnswer {
  const thing = thingIn(data, key);
  const counts = Object.fromEntries(
    Object.entries(thing).flatMap(([name, each]) => (Array.isArray(each) ? [[name, each.length]] : [])),
  );
  const inWords = Object.entries(counts).map(([name, count]) => `${count} ${nameInWords(name)}`);
  return {
    data: { ...data, [key]: { ...withoutLists(thing), counts } },
    heading: [inWords.join(', ')],
    lines: [],
  };
}

const withoutLists = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => !Array.isArray(each)));

const subjectKinds = ['account', 'category', 'payee'] as const;

/** The account, category or payee of which all rows are. */
function subjectOf(args: JsonObject, rows: readonly Row[]) {
  for (const kind of subjectKinds) {
    const [idField, nameField] = [`${kind}_id`, `${kind}_name`];
    const id = args[idField];
    // Without an id, all rows would be searched in vain.
    if (typeof id !== 'string') continue;
    const name = rows.find((row) => row[idField] === id)?.[nameField];
    if (typeof name === 'string') return { kind, id, name };
  }
  return undefined;
}

/**
 * In hybrid lists several rows may be legs of one transaction. It counts once, where its first leg is, so that it does not
 * count again on the next page.
 */
function entryTest(rows: readonly Row[]): (row: Row) => boolean {
  const firstLegs = new Map<unknown, Row>();
  for (const row of rows) {
    const { parent_transaction_id: parent } = row;
    if (typeof parent === 'string' && !firstLegs.has(parent)) firstLegs.set(parent, row);
  }
  return (row) => {
    const { parent_transaction_id: parent } = row;
    return typeof parent !== 'string' || firstLegs.get(parent) === row;
  };
}

/**
 * A split that was found by some of its legs counts with these. There may be a hundred thousand rows, for which `for … of` takes more
 * than twice as long in Node.js 22.
 */
function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const { matching_amount, amount } = rows[at] ?? {};
    const counted = matching_amount ?? amount;
    if (typeof counted === 'number') sum += counted;
  }
  return sum;
}
