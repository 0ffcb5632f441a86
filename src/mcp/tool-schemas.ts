/**
 * The schemas of a tool as hosts see them: amounts in currency units, with the arguments of every write and the fields
 * of every result. They are created once per tool, because each schema costs time and memory at start.
 */
import { z } from 'zod';
import { dateOrWord, dayOrMonth } from '../answers/dates.ts';
import type { Tool, WithArguments } from '../answers/tool.ts';
import { freshnessFields } from '../answers/tool-result.ts';
import { amountFromUnits, type FieldForms, schemaFromUnits, shapeInUnits } from '../answers/units.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import {
  amountSize,
  balanceAmount,
  date,
  milliunits,
  month,
  rangeEnd,
  rangeStart,
} from '../base/schema/fields.ts';
import { type ConfirmPolicy, mayNeedConfirmation } from '../operations/consent.ts';
import { parseArguments } from './arguments.ts';
import { offeredObject, withClear } from './clearable-fields.ts';

/** Arguments of every write that are not passed to the tool itself. */
const writeOptions = z.object({ dry_run: z.boolean().optional(), confirm: z.boolean().optional() });

export type WriteOptions = z.output<typeof writeOptions>;

/** The arguments of a call, after they were parsed. */
export interface ToolArguments {
  /** The tool's own arguments, with amounts in milliunits. */
  readonly own: JsonObject;
  readonly options: WriteOptions;
  /** The ignored arguments, in words. */
  readonly notes: readonly string[];
}

export interface ToolSchemas {
  /** The arguments as a host gives them, and as the tool list shows them. */
  readonly input: z.ZodObject;
  /** Throws `invalid_input`. */
  parse(args: unknown): ToolArguments;
}

const cache = new Map<ConfirmPolicy, WeakMap<WithArguments, ToolSchemas>>();

/** `policy` decides which tools have the argument `confirm`. */
export function schemasOf(tool: WithArguments, policy: ConfirmPolicy = 'deletes'): ToolSchemas {
  // A read never needs confirmation: its schemas are the same for every policy.
  const key = tool.kind === 'read' ? 'none' : policy;
  const ofPolicy = cache.get(key) ?? new WeakMap<WithArguments, ToolSchemas>();
  cache.set(key, ofPolicy);
  const schemas = ofPolicy.get(tool) ?? createSchemas(tool, policy);
  ofPolicy.set(tool, schemas);
  return schemas;
}

/** The forms in which hosts give amounts, dates and months. Many hosts show a model no other instructions. */
const hostForms: FieldForms = new Map<z.core.$ZodType, z.ZodType>([
  [milliunits, amountFromUnits.meta({ description: 'like -12.34 (spent)' })],
  [amountSize, amountFromUnits],
  [balanceAmount, amountFromUnits.meta({ description: 'like 12.34, owed is negative' })],
  [date, dateOrWord],
  [rangeStart, dayOrMonth],
  [rangeEnd, dayOrMonth.meta({ description: 'YYYY-MM-DD or YYYY-MM' })],
  [month, month.meta({ description: 'YYYY-MM or current' })],
]);

function createSchemas(tool: WithArguments, policy: ConfirmPolicy): ToolSchemas {
  const { shape } = tool.input;
  const { confirm, dry_run } = writeOptions.shape;
  const complete = z.strictObject({
    ...Object.fromEntries(
      Object.entries(shape).map(([name, field]) => [name, schemaFromUnits(field, hostForms)]),
    ),
    ...(tool.kind !== 'read' && { dry_run }),
    ...(mayNeedConfirmation(policy, tool) && { confirm }),
  });
  const input = offeredObject(complete);
  let parser: z.ZodType | undefined;
  return {
    input,
    parse(args) {
      // Created with the first call, because the tool list needs no parsers.
      parser ??= withClear(complete);
      const parsed = parseArguments(parser, input.shape, args);
      if ('problems' in parsed) throw new BudgetError('invalid_input', `${parsed.problems}.`);
      const { value, notes } = parsed;
      const own = Object.fromEntries(Object.entries(value).filter(([name]) => name in shape));
      return { own, options: writeOptions.parse(value), notes };
    },
  };
}

const budgetHead = { id: z.string(), name: z.string(), currency: z.string().nullable() };
const budget = z.object(budgetHead);
const notes = z.array(z.string()).optional();
const notice = z.string().optional();
/** The true lengths of lists and texts that were too long for the answer, by path. */
const cut = z.record(z.string(), z.number()).optional();

const outputs = new WeakMap<Tool, z.ZodObject>();

/** The schema of structured content. */
export function outputSchemaOf(tool: Tool): z.ZodObject {
  const output = outputs.get(tool) ?? createOutputSchema(tool);
  outputs.set(tool, output);
  return output;
}

function createOutputSchema(tool: Tool): z.ZodObject {
  const shape = shapeInUnits(tool.output.shape);
  const exported = shape['budget'];
  return z.object({
    ...shape,
    ...('budget_id' in tool.input.shape && { budget }),
    ...(exported instanceof z.ZodObject && { budget: z.object({ ...exported.shape, ...budgetHead }) }),
    ...(!(tool.kind === 'read' && tool.isAboutServer) && { freshness: freshnessFields }),
    notes,
    notice,
    cut,
  });
}
