/** Creates a tool from an operation of the service. Lists get arguments and result fields for paging. */
import { z } from 'zod';
import { rowsOf } from '../../answers/fit-rows.ts';
import { monthField, monthOf } from '../../answers/references/resolve-references.ts';
import { formatFields } from '../../answers/rows.ts';
import { displayArguments, displayFields, selectRows } from '../../answers/selection.ts';
import type { ReadTool, Tool, ToolAnswer, WriteTool } from '../../answers/tool.ts';
import { writeFields } from '../../answers/write-result.ts';
import type { JsonObject } from '../../base/json.ts';
import { clearableFields } from '../../base/schema/clearable.ts';
import { elementOf, knownFields } from '../../base/schema/walk.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Toolset } from '../../operations/toolsets.ts';
import type { Freshness } from '../../session/call-result.ts';
import { planOperation } from './plan-operation.ts';

/** The prefix of resource URIs. The path of the operation follows it. */
const RESOURCE_ROOT = 'budget://v1';

export function fromOperation(operation: Operation, toolset?: Toolset): Tool {
  const { kind } = operation;
  return kind === 'read' ? fromRead(operation, toolset) : fromWrite(operation, kind, toolset);
}

interface OperationAnswer extends ToolAnswer {
  readonly freshness: Freshness;
  readonly budgetId: string | undefined;
  readonly args: JsonObject;
  readonly today: string;
}

function fromRead(
  operation: Operation,
  toolset: Toolset | undefined,
): ReadTool<z.ZodObject, z.ZodObject, OperationAnswer> {
  const { input, output, check, rows, rowsInside, collections } = operation;
  // A single thing is shown as it is. A warm read passes one file less.
  const isSingle = !rows && !rowsInside && collections === undefined;
  return {
    ...commonFields(operation, toolset),
    kind: 'read',
    input: z.strictObject({ ...input.shape, ...displayArguments(operation) }),
    output: z.object({ ...output.shape, ...displayFields(operation), ...monthField(output) }),
    resource: RESOURCE_ROOT + operation.route.slice('GET '.length),
    ...(check && { check: (args, days) => check(knownFields(input, args), days) }),
    async run(call, args) {
      const { data, budget, freshness } = await call.read(operation, knownFields(input, args));
      return { data, freshness, budgetId: budget?.id, args, today: call.today };
    },
    text({ data, budgetId, args, today }, context) {
      const month = monthOf(output, args, today);
      const shown = isSingle
        ? { data, lines: formatFields(output, data, context) }
        : selectRows(operation, { data, budgetId }, args, context);
      const heading = [month.month?.slice(0, 7), ...(shown.heading ?? [])];
      return { data: { ...shown.data, ...month }, heading, lines: shown.lines };
    },
  };
}

function fromWrite(operation: Operation, kind: WriteTool['kind'], toolset: Toolset | undefined): WriteTool {
  const { input, output, batch, check } = operation;
  return {
    ...commonFields(operation, toolset),
    kind,
    input,
    output: z.object({ ...output.partial().shape, ...monthField(output), ...writeFields }),
    ...(batch !== undefined && { batch }),
    check: (args, days) => [...withoutChange(operation, args), ...(check?.(args, days) ?? [])],
    plan: async (call, args) => planOperation(call, operation, args),
  };
}

/** Updates that would change nothing. They would cost a request. */
function withoutChange({ kind, route, batch = '', input }: Operation, args: JsonObject): string[] {
  if (kind !== 'update') return [];
  const isTarget = (name: string) => route.includes(`{${name}}`) || name === 'budget_id';
  const rows = rowsOf(args[batch]);
  const [example] = clearableFields(rows ? elementOf(input.shape[batch]) : input).keys();
  const nothing = `says nothing to change${example === undefined ? '' : `; null and "" mean "not given", and clear empties fields, such as clear: ["${example}"]`}`;
  if (!rows) return Object.keys(args).every(isTarget) ? [`this call ${nothing}`] : [];
  return rows.flatMap((row, index) =>
    Object.keys(row).every((name) => rowTargets.has(name)) ? [`${batch}.${index} ${nothing}`] : [],
  );
}

const rowTargets: ReadonlySet<string> = new Set(['id', 'import_id']);

const commonFields = (operation: Operation, toolset: Toolset | undefined) => {
  const { name, title, description, example } = operation;
  return { name, title, description, example, operation, ...(toolset !== undefined && { toolset }) };
};
