/**
 * Selects the part of a response that is shown: a page of a list, of the collections of an export, or of the rows in a
 * single entity. It also writes the summary of what is shown. Amounts are still in milliunits.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { milliunits } from '../base/schema/fields.ts';
import { elementOf, knownFields } from '../base/schema/map-data.ts';
import type { Operation } from '../operations/operation.ts';
import { partSchema } from './fit-rows.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, paginate } from './paging.ts';
import { nameInWords, sourceOfEntity, sourceOfExport, sourceOfList } from './sources.ts';
import { TextContext } from './text.ts';
import type { FormattedAnswer } from './tool-result.ts';
import { plainAmounts } from './units.ts';

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

/** Arguments that select the part of a response. They are not sent to the service. */
const display = z.object({
  limit: limit.optional(),
  cursor: text,
  collections: z.array(z.string()).optional(),
});

/** The facts about a response that its format needs. An operation is one; a tool without a route may define its own. */
export type Listing = Pick<Operation, 'name' | 'input' | 'output' | 'rows' | 'collections'>;

export function displayArguments({ rows, collections, output }: Listing): z.ZodRawShape {
  if (rows?.order === 'newest first') return { limit, cursor: text };
  if (rows || hasRowsInside(output)) return { cursor: text };
  if (collections)
    return {
      collections: z.array(z.enum(collectionNames(output.shape[collections]))).optional(),
      cursor: text,
    };
  return {};
}

export const pageSchema = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  sum: milliunits.optional(),
  part: partSchema.optional(),
});

/** Fields of the result that are added to those of the service, or replace them. */
export function displayFields({ rows, collections, output }: Listing): z.ZodRawShape {
  if (rows) return { page: pageSchema };
  const exported = collections === undefined ? undefined : output.shape[collections];
  return {
    ...(collections !== undefined &&
      exported instanceof z.ZodObject && { [collections]: exportSchema(exported) }),
    ...((collections !== undefined || hasRowsInside(output)) && { page: pageSchema.optional() }),
  };
}

/** Whether the response is an entity that contains rows, such as a month with its categories. */
const hasRowsInside = ({ shape }: z.ZodObject): boolean =>
  Object.values(shape).some(
    (each) =>
      each instanceof z.ZodObject && Object.values(each.shape).some((field) => field instanceof z.ZodArray),
  );

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
  return Object.keys(exported.shape).filter((name) => elementOf(exported.shape[name]) !== undefined);
}

export interface Selectable {
  readonly data: JsonObject;
  readonly budgetId: string | undefined;
}

/** Without `context` only the data is selected. Throws `invalid_cursor`. */
export function selectRows(
  operation: Listing,
  { data, budgetId }: Selectable,
  args: JsonObject,
  context?: TextContext,
): FormattedAnswer {
  const { name, input, rows, collections } = operation;
  const { limit = DEFAULT_TRANSACTIONS, cursor, collections: requested = [] } = display.parse(args);
  const { lists, subject, dataOf, describe } = rows
    ? sourceOfList(operation, rows, data, args)
    : collections === undefined
      ? sourceOfEntity(operation, data)
      : sourceOfExport(collections, operation.output.shape[collections], data, requested);
  const request = {
    query: queryOf(name, { ...knownFields(input, args), collections: requested, budget_id: budgetId }),
    limit: rows?.order === 'newest first' ? limit : MAX_ROWS,
    cursor,
  };
  if (!context) {
    const withoutText = lists.map((list) => ({ ...list, format: () => '' }));
    const page = paginate(withoutText, request, new TextContext(plainAmounts(null)));
    return { data: dataOf(page, false), lines: [] };
  }
  if (limit > DEFAULT_TRANSACTIONS) context.room.extend();
  const named = subject && `${subject.kind} ${context.named(subject.kind, subject.id, subject.name)}`;
  if (subject) context.imply(subject.id);
  const page = paginate(lists, request, context);
  return {
    data: dataOf(page, context.room.isLimited),
    heading: [named, ...describe(page, context)],
    lines: page.lists.flatMap(({ lines }, index) => {
      const label = lists.length > 1 && lines.length > 0 && lists[index]?.name;
      return label ? [`${nameInWords(label)}:`, ...lines] : lines;
    }),
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
