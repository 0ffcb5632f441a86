/**
 * One operation as hosts see it: the arguments that its tool takes and the shape of what it returns. Derived from the
 * operation's entry once, when the program starts; tools, resources and documentation share it.
 */
import { z } from 'zod';
import { date } from '../operations/fields.ts';
import type { Operation } from '../operations/operation.ts';
import { DEFAULT_TRANSACTIONS, MAX_ROWS } from './paging.ts';
import { shapeInUnits } from './units.ts';

export interface Surface {
  readonly operation: Operation;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Parts what `input` parsed into the operation's own input and what is only about its presentation. */
  part(args: Readonly<Record<string, unknown>>): { input: Record<string, unknown>; view: View };
}

const cursor = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

const view = z.object({
  until_date: date.optional(),
  limit: limit.optional(),
  cursor,
  collections: z.array(z.string()).optional(),
});

/** Arguments that the service never sees: which part of its answer is wanted. */
export type View = z.output<typeof view>;

export function surfaceOf(operation: Operation): Surface {
  const own = operation.input.shape;
  const input = z.strictObject({ ...own, ...viewArguments(operation) });
  return {
    operation,
    input,
    output: outputOf(operation),
    part: (args) => ({
      input: Object.fromEntries(Object.entries(args).filter(([name]) => name in own)),
      view: view.parse(args),
    }),
  };
}

function viewArguments({ rows, collections, output }: Operation): z.ZodRawShape {
  if (rows?.order === 'newest first') return { until_date: date.optional(), limit, cursor };
  if (rows) return { cursor };
  if (collections) return { collections: z.array(z.enum(arraysOf(output.shape[collections]))).optional() };
  return {};
}

/** The names of the collections of an export. */
function arraysOf(exported: z.core.$ZodType | undefined): string[] {
  if (!(exported instanceof z.ZodObject)) return [];
  const isArray = (field: z.core.$ZodType): boolean =>
    field instanceof z.ZodArray || (field instanceof z.ZodDefault && isArray(field.unwrap()));
  return Object.keys(exported.shape).filter((name) => isArray(exported.shape[name]));
}

const budgetHead = { id: z.string(), name: z.string(), currency: z.string().nullable() };

function outputOf({ output, input, rows, collections }: Operation): z.ZodObject {
  const shape = shapeInUnits(output.shape);
  const exported = collections ? shape[collections] : undefined;
  return z.object({
    ...shape,
    ...('budget_id' in input.shape && { budget: z.object(budgetHead) }),
    ...(exported instanceof z.ZodObject && { budget: exportOf(exported) }),
    ...(rows && {
      page: z.object({ total: z.number(), returned: z.number(), next_cursor: z.string().nullable() }),
    }),
    freshness: z.object({ as_of: z.string(), source: z.string() }),
    notice: z.string().optional(),
  });
}

/** An export is itself a budget: its head, how much it holds, and those collections that were asked for. */
function exportOf(exported: z.ZodObject): z.ZodObject {
  const collections = arraysOf(exported);
  const optional = Object.fromEntries(
    collections.map((name) => [name, z.optional(exported.shape[name] ?? z.never())]),
  );
  const counts = z.object(Object.fromEntries(collections.map((name) => [name, z.number()])));
  return z.object({ ...exported.shape, ...optional, ...budgetHead, counts });
}
