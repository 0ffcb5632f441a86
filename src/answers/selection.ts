/**
 * Selects the part of a response that is shown: a page of a list, or of the rows in a single thing. It also writes the
 * summary of what is shown. Amounts are still in milliunits.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { milliunits } from '../base/schema/fields.ts';
import { elementOf, knownFields } from '../base/schema/map-data.ts';
import type { Operation } from '../operations/operation.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS, paginate } from './paging.ts';
import { formatFields } from './rows.ts';
import { countExport, sourceInside, sourceOfList } from './sources.ts';
import { present, TextContext } from './text.ts';
import type { FormattedAnswer } from './tool-result.ts';
import { plainAmounts } from './units.ts';

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

/** Arguments that select the part of a response. They are not sent to the service. */
const display = z.object({ limit: limit.optional(), cursor: text });

/** The facts about a response that its format needs. An operation is one; a tool without a route may define its own. */
export type Listing = Pick<Operation, 'name' | 'input' | 'output' | 'rows' | 'rowsInside' | 'collections'>;

export function displayArguments({ rows, rowsInside }: Listing): z.ZodRawShape {
  if (rows?.order === 'newest first') return { limit, cursor: text };
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
  const exported = output.shape[collections];
  return {
    ...(rows && { page: pageSchema }),
    ...(rowsInside && { page: pageSchema.optional() }),
    ...(exported instanceof z.ZodObject && { [collections]: withCounts(exported) }),
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
  const { name, input, output, rows, rowsInside, collections } = operation;
  if (collections !== undefined) return countExport(collections, data);
  const source = rows
    ? sourceOfList(operation, rows, data, args)
    : rowsInside && sourceInside(operation, rowsInside, data);
  if (!source) return { data, lines: context ? formatFields(output, data, context) : [] };
  const { list, subject, head, dataOf, describe } = source;
  const { limit = DEFAULT_TRANSACTIONS, cursor } = display.parse(args);
  const request = {
    query: queryOf(name, { ...knownFields(input, args), budget_id: budgetId }),
    limit: rows?.order === 'newest first' ? limit : MAX_ROWS,
    cursor,
  };
  if (!context) {
    const page = paginate({ ...list, format: () => '' }, request, new TextContext(plainAmounts(null)));
    return { data: dataOf(page, false), lines: [] };
  }
  if (limit > DEFAULT_TRANSACTIONS) context.room.extend();
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

/** Identifies a query. The order of the arguments makes no difference. */
function queryOf(name: string, args: JsonObject): string {
  return JSON.stringify([
    name,
    ...Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ]);
}
