/** The tools as hosts see them in the tool list. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Tool } from '../answers/tool.ts';
import { freshnessFields } from '../answers/tool-result.ts';
import { shapeInUnits } from '../answers/units.ts';
import { objectOf } from '../base/schema/walk.ts';
import { alwaysLoaded } from '../features/catalogue.ts';
import type { ConfirmPolicy } from '../operations/consent.ts';
import type { OperationKind } from '../operations/operation.ts';
import { advertise } from './advertised-schema.ts';
import { listedView, viewOf } from './apps.ts';
import { schemasOf } from './tool-schemas.ts';

/** The settings that the list depends on, for the tools that are in it. */
export interface ListSettings {
  readonly confirm: ConfirmPolicy;
  /** Whether results have structured content, for programs. Several hosts show a model nothing else then. */
  readonly structured: boolean;
}

/** All four hints are set, because the protocol's defaults are pessimistic. Tools do not reach beyond the budget. */
const annotations: Readonly<Record<OperationKind, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

const hintsOf = (tool: Tool): ToolAnnotations => ({
  ...annotations[tool.kind],
  ...(tool.kind === 'read' && tool.changesServer && { readOnlyHint: false }),
  ...(tool.kind !== 'read' && tool.isRepeatable === false && { idempotentHint: false }),
});

/** Claude Code then asks the person at each call, whatever is allowed already, and refuses it where it cannot ask. */
const askEachTime = { 'anthropic/requiresUserInteraction': true };

/** Claude Code then shows the tool to the model from the start, where it searches for others. */
const withoutSearch = { 'anthropic/alwaysLoad': true };

/** `withViews` is for hosts that show views. */
export function listTools(tools: readonly Tool[], { confirm, structured }: ListSettings, withViews = false) {
  const inputOf = (tool: Tool) => schemasOf(tool, confirm).input;
  const advertisedInput = advertise(tools.map(inputOf), 'input');
  const advertisedOutput = advertise(structured ? tools.map(outputSchemaOf) : [], 'output');
  return tools.map((tool) => {
    const { name, title, description } = tool;
    const _meta = {
      ...(withViews && listedView(viewOf(tool), tool.kind === 'read' && tool.isForViews)._meta),
      ...(alwaysLoaded.has(name) && withoutSearch),
      ...(confirm === 'writes' && tool.kind !== 'read' && askEachTime),
    };
    return {
      name,
      title,
      description,
      inputSchema: advertisedInput(inputOf(tool)),
      ...(structured && { outputSchema: advertisedOutput(outputSchemaOf(tool)) }),
      annotations: hintsOf(tool),
      ...(Object.keys(_meta).length > 0 && { _meta }),
    };
  });
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
  const known = outputs.get(tool);
  if (known) return known;
  const shape = shapeInUnits(tool.output.shape);
  const exported = objectOf(shape['budget']);
  const output = z.object({
    ...shape,
    ...('budget_id' in tool.input.shape && { budget }),
    ...(exported && { budget: z.object({ ...exported.shape, ...budgetHead }) }),
    ...(!(tool.kind === 'read' && tool.isAboutServer) && { freshness: freshnessFields }),
    notes,
    notice,
    cut,
  });
  outputs.set(tool, output);
  return output;
}
