/**
 * A tool's arguments and answer as hosts see them: amounts in currency units, with what every write takes and every
 * answer has. Made from the tool's entry once, since every schema costs time and memory at each start.
 */
import { z } from 'zod';
import { freshnessFields } from '../format/tool-result.ts';
import { schemaFromUnits, shapeInUnits } from '../format/units.ts';
import { type ConfirmPolicy, mayNeedConsent } from '../operations/consent.ts';
import type { Tool } from '../tools/tool.ts';
import { type AdvertisedSchema, advertise } from './advertised-schema.ts';

/** Arguments of every write that the write itself does not see. */
const writeOptions = z.object({ dry_run: z.boolean().optional(), confirm: z.boolean().optional() });

export type WriteOptions = z.output<typeof writeOptions>;

export interface ToolSchemas {
  /** Parses arguments in currency units into milliunits. */
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Both for the tool list. */
  readonly advertised: { readonly input: AdvertisedSchema; readonly output: AdvertisedSchema };
  /** Separates what `input` has parsed into the tool's own arguments and the others. */
  splitArguments(args: Readonly<Record<string, unknown>>): {
    readonly own: Record<string, unknown>;
    readonly options: WriteOptions;
  };
}

const made = new Map<ConfirmPolicy, WeakMap<Tool, ToolSchemas>>();

/** `policy` says where the argument `confirm` is of use. */
export function schemasOf(tool: Tool, policy: ConfirmPolicy = 'deletes'): ToolSchemas {
  // A read never needs consent: its schemas are the same for every policy.
  const key = tool.kind === 'read' ? 'none' : policy;
  const ofPolicy = made.get(key) ?? new WeakMap<Tool, ToolSchemas>();
  made.set(key, ofPolicy);
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
    ...(mayNeedConsent(policy, tool) && { confirm }),
  });
  const output = outputOf(tool);
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

function outputOf(tool: Tool): z.ZodObject {
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
