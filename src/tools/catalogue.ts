/**
 * The list of all tools. The tool list of the server, filters, resources, completions, the README tables and the
 * bundle's manifest are generated from it, in its order.
 */
import { isToolset, toolsets } from '../operations/index.ts';
import { fromOperation } from './from-operation.ts';
import { getStatus } from './get-status.ts';
import { moveBudgeted } from './move-budgeted.ts';
import { refreshBudget } from './refresh-budget.ts';
import type { Tool } from './tool.ts';

export const catalogue: readonly Tool[] = [
  ...Object.keys(toolsets)
    .filter(isToolset)
    .flatMap((toolset) => toolsets[toolset].map((operation) => fromOperation(operation, toolset))),
  moveBudgeted,
  getStatus,
  refreshBudget,
];
