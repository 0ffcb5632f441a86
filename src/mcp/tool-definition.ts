/**
 * One operation as hosts see it: the arguments that its tool takes and the shape of what it returns. Derived from the
 * operation's entry once, when the program starts; tools, resources and documentation share it.
 */
import { z } from 'zod';
import { DEFAULT_TRANSACTIONS, MAX_ROWS } from '../format/paging.ts';
import { schemaFromUnits, shapeInUnits } from '../format/units.ts';
import { type ConfirmPolicy, mayNeedConsent } from '../operations/consent.ts';
import { date } from '../operations/fields.ts';
import type { Operation } from '../operations/operation.ts';
import { type AdvertisedSchema, advertise } from './advertised-schema.ts';

export interface ToolDefinition {
  readonly operation: Operation;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `input` and `output` for the tool list. */
  readonly advertised: { readonly input: AdvertisedSchema; readonly output: AdvertisedSchema };
  /** Parts what `input` parsed into the operation's own input and what is only about its presentation. */
  splitArguments(args: Readonly<Record<string, unknown>>): {
    input: Record<string, unknown>;
    view: DisplayOptions;
  };
}

const text = z.string().optional();
const limit = z.int().min(1).max(MAX_ROWS).default(DEFAULT_TRANSACTIONS);

const view = z.object({
  until_date: date.optional(),
  limit: limit.optional(),
  cursor: text,
  collections: z.array(z.string()).optional(),
  dry_run: z.boolean().optional(),
  confirm: z.boolean().optional(),
});

/** Arguments that the service never sees: which part of its answer is wanted, and whether a write is meant. */
export type DisplayOptions = z.output<typeof view>;

/** `confirm` says where the argument of that name is of use. */
export function defineTool(operation: Operation, confirm: ConfirmPolicy = 'deletes'): ToolDefinition {
  const own = operation.input.shape;
  const shape = Object.entries(own).map(([name, field]) => [name, schemaFromUnits(field)]);
  const input = z.strictObject({ ...Object.fromEntries(shape), ...viewArguments(operation, confirm) });
  const output = outputOf(operation);
  return {
    operation,
    input,
    output,
    advertised: {
      input: advertise(input, 'input', operation.kind === 'read' ? '' : 'Nothing was written. '),
      output: advertise(output, 'output'),
    },
    splitArguments: (args) => ({
      input: Object.fromEntries(Object.entries(args).filter(([name]) => name in own)),
      view: view.parse(args),
    }),
  };
}

function viewArguments(operation: Operation, confirm: ConfirmPolicy): z.ZodRawShape {
  const { kind, rows, collections, output } = operation;
  const { dry_run } = view.shape;
  if (mayNeedConsent(confirm, operation)) return { dry_run, confirm: view.shape.confirm };
  if (kind !== 'read') return { dry_run };
  if (rows?.order === 'newest first') return { until_date: view.shape.until_date, limit, cursor: text };
  if (rows) return { cursor: text };
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

// Made once for all operations: every schema costs time and memory at each start.
const budget = z.object(budgetHead);

const page = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  sum: z.number().optional(),
});

/** How old an answer is, as every tool tells it. */
export const freshness = z.object({
  as_of: z.string(),
  source: z.string(),
  requests_left: z.number(),
  stale_reason: text,
  sign_in_ends: text,
});

const balance = z.object({ id: z.string(), name: z.string(), balance: z.number() });

/** What a write tells beyond the service's answer; a dry run has no such answer. */
const written = {
  outcome: z.enum(['written', 'confirmed_afterwards', 'dry_run']),
  /** Where nothing was sent now: when the equal call was made that has written it. */
  earlier_call: text,
  /** Balances after it; for a dry run, as they would be. */
  balances: z.object({ accounts: z.array(balance), categories: z.array(balance) }).optional(),
  ignored: z.array(z.string()).optional(),
  possible_duplicates: z.array(z.string()).optional(),
  problems: z.array(z.string()).optional(),
  /** Of a dry run: the names of accounts and categories whose balances only the service can say. */
  not_foreseen: z.array(z.string()).optional(),
  would_send: z.object({ route: z.string(), input: z.record(z.string(), z.unknown()) }).optional(),
};

function outputOf({ kind, output, input, rows, collections }: Operation): z.ZodObject {
  const shape = shapeInUnits(kind === 'read' ? output.shape : output.partial().shape);
  const exported = collections ? shape[collections] : undefined;
  return z.object({
    ...shape,
    ...('budget_id' in input.shape && { budget }),
    ...(exported instanceof z.ZodObject && { budget: exportOf(exported) }),
    ...(rows && { page }),
    ...(('category' in shape || 'category_groups' in shape) && { month: text }),
    ...(kind !== 'read' && written),
    freshness,
    notice: text,
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
