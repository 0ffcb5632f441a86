/**
 * The lists of a response: the rows of a list, the requested collections of an export, or the rows in a single entity. Says
 * what a page of them contains, as data and in words. Amounts are in milliunits.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { elementOf } from '../base/schema/map-data.ts';
import { transactionSummary } from '../base/schema/transaction.ts';
import type { Operation, Rows } from '../operations/operation.ts';
import type { Row } from './fit-rows.ts';
import { describePage, isNewer, type List, type Page, pageField } from './paging.ts';
import { formatRows } from './rows.ts';
import { present, type TextContext, type TextPart } from './text.ts';

interface Subject {
  readonly kind: 'account' | 'category' | 'payee';
  readonly id: string;
  readonly name: string;
}

/** The lists of a response, and how a page of them is shown. */
export interface Source {
  readonly lists: readonly List[];
  /** The facts that all rows have in common, such as the account of an account's list. */
  readonly subject?: Subject | undefined;
  /** The data with only the rows of the page. If the size of the answer is limited, nothing else in it may be long. */
  dataOf(page: Page, isLimited: boolean): JsonObject;
  /** The name of the rows, and how many of them are on the page. */
  describe(page: Page, context: TextContext): readonly TextPart[];
}

const object = z.record(z.string(), z.unknown());
/** Checks only that it is a list, because there may be 100,000 rows and the response has been parsed already. */
const rowList = z.custom<readonly Row[]>(Array.isArray);

export const nameInWords = (key: string) => key.replaceAll('_', ' ');

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
  const list: List = { rows: all, order, format: formatOf(element) };
  // Only hybrid lists have legs. Looking for them in 100,000 other rows would take most of the time of an answer.
  const isHybrid = element instanceof z.ZodObject && 'parent_transaction_id' in element.shape;
  const isEntry = isHybrid ? entryTest(all) : undefined;
  const countOf = (rows: readonly Row[]) => (isEntry ? rows.filter(isEntry) : rows).length;
  const total = countOf(all);
  const sum = order === 'newest first' ? sumOf(all) : undefined;
  const returnedOf = ({ lists, returned }: Page) => {
    const shown = lists.flatMap(({ rows }) => rows);
    return returned - shown.length + countOf(shown);
  };
  return {
    lists: [list],
    subject: subjectOf(args, all),
    dataOf: (page, isLimited) => ({
      ...(isLimited ? withoutRowsInside(data) : data),
      [key]: page.lists.flatMap(({ rows }) => rows),
      page: {
        ...pageField(total, { ...page, returned: returnedOf(page) }),
        ...(sum !== undefined && { sum }),
      },
    }),
    describe(page, context) {
      const what = `${total} ${nameInWords(key)}${order !== 'as sent' && total > 1 ? `, ${order}` : ''}`;
      return [
        page.isWhole ? what : describePage(`${returnedOf(page)} of ${what}`, page, context),
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
      isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([, each]) => !Array.isArray(each)))
        : value,
    ]),
  );

/** A single entity may contain rows, such as a transaction its legs. */
export function sourceOfEntity({ output }: Pick<Operation, 'output'>, data: JsonObject): Source {
  const entities = Object.entries(data).filter(([, value]) => isJsonObject(value));
  return {
    lists: entities.map(([name, value]) => ({
      name,
      rows: isJsonObject(value) ? [value] : [],
      order: 'as sent',
      format: formatOf(output.shape[name]),
    })),
    dataOf: (page) => ({
      ...data,
      ...Object.fromEntries(entities.map(([name], index) => [name, page.lists[index]?.rows[0]])),
      ...(!page.isWhole && { page: pageField(entities.length, page) }),
    }),
    describe: (page, context) => [!page.isWhole && describePage('', page, context)],
  };
}

/** An export contains only the number of rows of a collection, unless the collection is requested. */
export function sourceOfExport(
  key: string,
  schema: z.core.$ZodType | undefined,
  data: JsonObject,
  requested: readonly string[],
): Source {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const fields = Object.entries(object.parse(data[key]));
  const collections = fields.flatMap(([name, value]) =>
    Array.isArray(value) ? [{ name, rows: rowList.parse(value) }] : [],
  );
  const head = fields.filter(([, value]) => !Array.isArray(value));
  const counts = Object.fromEntries(collections.map(({ name, rows }) => [name, rows.length]));
  const shown = collections.filter(({ name }) => requested.includes(name));
  const total = shown.reduce((sum, { rows }) => sum + rows.length, 0);
  const names = shown.map(({ name }) => nameInWords(name)).join(', ');
  return {
    lists: shown.map(({ name, rows }) => {
      const element = elementOf(shape[name]);
      return {
        name,
        rows,
        order: element === transactionSummary ? 'newest first' : 'as sent',
        format: formatOf(element),
      };
    }),
    dataOf: (page) => ({
      ...data,
      [key]: {
        ...Object.fromEntries(head),
        counts,
        ...Object.fromEntries(shown.map(({ name }, index) => [name, page.lists[index]?.rows])),
      },
      ...(shown.length > 0 && { page: pageField(total, page) }),
    }),
    describe: (page, context) => [
      present([
        collections.map(({ name, rows }) => `${rows.length} ${nameInWords(name)}`).join(', '),
        !page.isWhole && describePage(`${page.returned} of ${total} rows of ${names}`, page, context),
      ]).join('. '),
    ],
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
