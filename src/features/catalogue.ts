/**
 * The list of all tools. The tool list of the server, filters, resources, completions, docs/tools.md and the
 * bundle's manifest are generated from it, in its order.
 */

import type { Tool } from '../answers/tool.ts';
import { toolsets } from '../operations/index.ts';
import { toolsetNames } from '../operations/toolsets.ts';
import { assignMoney } from './assign/assign-money.ts';
import { moveBudgeted } from './assign/move-budgeted.ts';
import { suggestCategories } from './categorize/suggest-categories.ts';
import { forecast } from './forecast/forecast.ts';
import { fromOperation } from './mirror/from-operation.ts';
import { checkMonth } from './month/check-month.ts';
import { reconcileAccount } from './reconcile/reconcile-account.ts';
import { applyReconciliation, enterStatement } from './reconcile/reconciling-writes.ts';
import { listStatements, uploadStatement } from './reconcile/statements/list-statements.ts';
import { listRecurring } from './recurring/list-recurring.ts';
import { report } from './report/report.ts';
import { approveTransactions } from './review/approve-transactions.ts';
import { reviewTransactions } from './review/review-transactions.ts';
import { findTransactions } from './search/find-transactions.ts';
import { getStatus } from './status/get-status.ts';
import { refreshBudget } from './status/refresh-budget.ts';
import { listWrites } from './undo/list-writes.ts';
import { undo } from './undo/undo.ts';
import { listWatches, stopWatch } from './watch/list-watches.ts';

/**
 * Operations that other tools answer as well, or that are seldom asked for. They come last, the least used ones at the
 * end, because some hosts offer only the first 40 tools.
 */
const seldomUsed = [
  'get_account',
  'import_transactions',
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

/**
 * The tools that a host should show without a search, where it searches for tools. 154 of the 216 recorded
 * conversations with all tools used no others, which no other seven reach (docs/evaluation.md).
 */
export const alwaysLoaded: ReadonlySet<string> = new Set([
  'report',
  'find_transactions',
  'create_transactions',
  'move_budgeted',
  'update_transactions',
  'get_category',
  'list_accounts',
]);

const ofOperations = toolsetNames
  .flatMap((toolset) => toolsets[toolset].map((operation) => fromOperation(operation, toolset)))
  .toSorted((one, other) => seldomUsed.indexOf(one.name) - seldomUsed.indexOf(other.name));

export const catalogue: readonly Tool[] = [
  report,
  findTransactions,
  checkMonth,
  forecast,
  listRecurring,
  reviewTransactions,
  approveTransactions,
  suggestCategories,
  moveBudgeted,
  assignMoney,
  reconcileAccount,
  applyReconciliation,
  listStatements,
  enterStatement,
  undo,
  listWrites,
  getStatus,
  refreshBudget,
  listWatches,
  stopWatch,
  ...ofOperations,
];

/** Tools that only views call. A model does not see them. */
export const viewTools: readonly Tool[] = [uploadStatement];
