/**
 * The list of all tools. The tool list of the server, filters, resources, completions, docs/tools.md and the
 * bundle's manifest are generated from it, in its order.
 */
import { toolsets } from '../operations/index.ts';
import { toolsetNames } from '../operations/toolsets.ts';
import { applyReconciliation } from './apply-reconciliation.ts';
import { assignMoney } from './assign-money.ts';
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

/**
 * Operations that other tools answer as well, or that are seldom asked for. They come last, the least used ones at the
 * end, because some hosts offer only the first 40 tools.
 */
const seldomUsed = [
  'list_account_transactions',
  'get_transaction',
  'list_months',
  'create_category_group',
  'update_category_group',
  'create_payee',
  'get_budget_settings',
  'get_month_category',
  'list_payee_transactions',
  'list_category_transactions',
  'list_month_transactions',
  'get_scheduled_transaction',
  'get_payee',
  'get_budget',
  'get_user',
  'list_payee_locations',
  'list_payee_locations_by_payee',
  'get_payee_location',
  'list_money_movements',
  'list_month_money_movements',
  'list_money_movement_groups',
  'list_month_money_movement_groups',
];

const ofOperations = toolsetNames
  .flatMap((toolset) => toolsets[toolset].map((operation) => fromOperation(operation, toolset)))
  .toSorted((one, other) => seldomUsed.indexOf(one.name) - seldomUsed.indexOf(other.name));

export const catalogue: readonly Tool[] = [
  report,
  findTransactions,
  checkMonth,
  listRecurring,
  suggestCategories,
  moveBudgeted,
  assignMoney,
  reconcileAccount,
  applyReconciliation,
  undo,
  listWrites,
  getStatus,
  refreshBudget,
  ...ofOperations,
];
