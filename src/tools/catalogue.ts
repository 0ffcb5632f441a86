/**
 * The list of all tools. The tool list of the server, filters, resources, completions, docs/tools.md and the
 * bundle's manifest are generated from it, in its order.
 */
import { toolsets } from '../operations/index.ts';
import { toolsetNames } from '../operations/toolsets.ts';
import { applyReconciliation } from './apply-reconciliation.ts';
import { checkMonth } from './check-month.ts';
import { findTransactions } from './find-transactions.ts';
import { fromOperation } from './from-operation.ts';
import { getStatus } from './get-status.ts';
import { listRecurring } from './list-recurring.ts';
import { listWrites } from './list-writes.ts';
import { moveBudgeted } from './move-budgeted.ts';
import { reconcileAccount } from './reconcile-account.ts';
import { refreshBudget } from './refresh-budget.ts';
import { report } from './report.ts';
import { suggestCategories } from './suggest-categories.ts';
import type { Tool } from './tool.ts';
import { undo } from './undo.ts';

export const catalogue: readonly Tool[] = [
  ...toolsetNames.flatMap((toolset) =>
    toolsets[toolset].map((operation) => fromOperation(operation, toolset)),
  ),
  report,
  findTransactions,
  checkMonth,
  listRecurring,
  suggestCategories,
  moveBudgeted,
  reconcileAccount,
  applyReconciliation,
  listWrites,
  undo,
  getStatus,
  refreshBudget,
];
