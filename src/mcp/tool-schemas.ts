/**
 * The schemas of a tool as hosts see them: amounts in currency units, with the arguments of every write and the fields
 * of every result. They are created once per tool, because each schema costs time and memory at start.
 */
import { z } from 'zod';
import { freshnessFields } from '../format/tool-result.ts';
import { schemaFromUnits, shapeInUnits } from '../format/units.ts';
import { type ConfirmPolicy, mayNeedConfirmation } from '../operations/consent.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Tool } from '../tools/tool.ts';
import { type AdvertisedSchema, advertise } from './advertised-schema.ts';

/** Arguments of every write that are not passed to the tool itself. */
const writeOptions = z.object({ dry_run: z.boolean().optional(), confirm: z.boolean().optional() });

export type WriteOptions = z.output<typeof writeOptions>;

export interface ToolSchemas {
  /** Parses arguments in currency units into milliunits. */
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The schemas in the tool list. */
  readonly advertised: { readonly input: AdvertisedSchema; readonly output: AdvertisedSchema };
  /** Separates parsed arguments into the tool's own and the write options. */
  splitArguments(args: JsonObject): {
    readonly own: JsonObject;
    readonly options: WriteOptions;
  };
}

const cache = new Map<ConfirmPolicy, WeakMap<Tool, ToolSchemas>>();

/** `policy` decides which tools have the argument `confirm`. */
export function schemasOf(tool: Tool, policy: ConfirmPolicy = 'deletes'): ToolSchemas {
  // A read never needs confirmation: its schemas are the same for every policy.
  const key = tool.kind === 'read' ? 'none' : policy;
  const ofPolicy = cache.get(key) ?? new WeakMap<Tool, ToolSchemas>();
  cache.set(key, ofPolicy);
  const schemas = ofPolicy.get(tool) ?? createSchemas(tool, policy);
  ofPolicy.set(tool, schemas);
  return schemas;
}

function createSchemas(tool: Tool, policy: ConfirmPolicy): ToolSchemas {
  const { shape } = tool.input;
  const fields = Object.entries(shape).map(([name, field]) => [name, schemaFromUnits(field)]);
  const { confirm, dry_run } = writeOptions.shape;
  const input = z.strictObject({
    ...Object.fromEntries(fields),
    ...(tool.kind !== 'read' && { dry_run }),
    ...(mayNeedConfirmation(policy, tool) && { confirm }),
  });
  const output = outputSchema(tool);
  return {
    input,
    output,
    advertised: {
      input: advertise(input, 'input', tool.kind === 'read' ? '' : 'Nothing was written. '),
      output: advertise(output, 'output'),
    },
    splitArguments: (args) => ({
      own: Object.fromEntries(Object.entries(args).filter(([name]) => name in shape)),
      options: writeOptions.parse(args),
    }),
  };
}

const budgetHead = { id: z.string(), name: z.string(), currency: z.string().nullable() };
const budget = z.object(budgetHead);
const notice = z.string().optional();

function outputSchema(tool: Tool): z.ZodObject {
  const shape = shapeInUnits(tool.output.shape);
  const exported = shape['budget'];
  return z.object({
    ...shape,
    ...('budget_id' in tool.input.shape && { budget }),
    ...(exported instanceof z.ZodObject && { budget: z.object({ ...exported.shape, ...budgetHead }) }),
    ...(!(tool.kind === 'read' && tool.isAboutServer) && { freshness: freshnessFields }),
    notice,
  });
}
