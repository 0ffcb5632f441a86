/**
 * The list of a response: its rows, or the rows in a single thing, such as the categories of a month. Says what a page of
 * it contains, as data and in words. Amounts are in milliunits.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { elementOf } from '../base/schema/map-data.ts';
import type { Operation, Rows, RowsInside } from '../operations/operation.ts';
import type { Row } from './fit-rows.ts';
import { describePage, isNewer, type List, type Page } from './paging.ts';
import { formatRows } from './rows.ts';
import type { TextContext, TextPart } from './text.ts';
import type { FormattedAnswer } from './tool-result.ts';

interface Subject {
  readonly kind: 'account' | 'category' | 'payee';
  readonly id: string;
  readonly name: string;
}

/** The list of a response, and how a page of it is shown. */
export interface Source {
  readonly list: List;
  /** The facts that all rows have in common, such as the account of an account's list. */
  readonly subject?: Subject | undefined;
  /** The line before the rows of each page. */
  head?(context: TextContext): string;
  /** The data with only the rows of the page. If the size of the answer is limited, nothing else in it may be long. */
  dataOf(page: Page, isLimited: boolean): JsonObject;
  /** The name of the rows, and how many of them are on the page. */
  describe(page: Page, context: TextContext): readonly TextPart[];
}

const object = z.record(z.string(), z.unknown());
/** Checks only that it is a list, because there may be 100,000 rows and the response has been parsed already. */
const rowList = z.custom<readonly Row[]>(Array.isArray);

const nameInWords = (key: string) => key.replaceAll('_', ' ');

const formatOf =
  (schema: z.core.$ZodType | undefined): List['format'] =>
  (row, context) =>
    formatRows(schema, row, context).join('\n');

export function sourceOfList(
  { output }: Pick<Operation, 'output'>,
  { key, order }: Rows,
  data: JsonObject,
  args: JsonObject,
): Source {
  const all = rowList.parse(data[key]);
  const element = elementOf(output.shape[key]);
  // Only hybrid lists have legs. Looking for them in 100,000 other rows would take most of the time of an answer.
  const isHybrid = element instanceof z.ZodObject && 'parent_transaction_id' in element.shape;
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
    Object.entries(data).map(([name, value]) => [
      name,
      isJsonObject(value) ? splitFields(value).head : value,
    ]),
  );

/** The rows in a single thing. Each page begins with the line of the thing. */
export function sourceInside(
  { output }: Pick<Operation, 'output'>,
  { of, key, order }: RowsInside,
  data: JsonObject,
): Source {
  const thing = object.parse(data[of]);
  const all = rowList.parse(thing[key]);
  const schema = output.shape[of];
  const format = formatOf(schema instanceof z.ZodObject ? elementOf(schema.shape[key]) : undefined);
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
export function countExport(key: string, data: JsonObject): FormattedAnswer {
  const { head, lists } = splitFields(object.parse(data[key]));
  const counts = Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.length]));
  const inWords = Object.entries(counts).map(([name, count]) => `${count} ${nameInWords(name)}`);
  return { data: { ...data, [key]: { ...head, counts } }, heading: [inWords.join(', ')], lines: [] };
}

/** The fields of an object that are no lists, and those that are. */
function splitFields(value: JsonObject) {
  const fields = Object.entries(value);
  const lists = fields.flatMap(([name, each]) => (Array.isArray(each) ? [[name, each] as const] : []));
  return {
    head: Object.fromEntries(fields.filter(([, each]) => !Array.isArray(each))),
    lists: Object.fromEntries(lists),
  };
}

const subjectKinds = ['account', 'category', 'payee'] as const;

/** The account, category or payee of which all rows are. */
function subjectOf(args: JsonObject, rows: readonly Row[]): Subject | undefined {
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
    if (typeof parent !== 'string') continue;
    const first = firstLegs.get(parent);
    if (!first || isNewer(row, first)) firstLegs.set(parent, row);
  }
  return (row) => {
    const { parent_transaction_id: parent } = row;
    return typeof parent !== 'string' || firstLegs.get(parent) === row;
  };
}

/** A split that was found by some of its legs counts with these. A plain loop, because there may be a hundred thousand rows. */
function sumOf(rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows) {
    const amount = row['matching_amount'] ?? row['amount'];
    if (typeof amount === 'number') sum += amount;
  }
  return sum;
}
