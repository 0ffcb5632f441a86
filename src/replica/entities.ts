/** The types of the rows in a replica. All answers share the rows, so they are immutable. */
import type { BudgetExport } from '../operations/budgets.ts';
import type { Immutable } from '../operations/operation.ts';

/** The data of `GET /budgets/{budget_id}`: a whole budget, or the changes of a delta. */
export type Export = Immutable<BudgetExport>;
type Budget = Export['budget'];

export type Account = Budget['accounts'][number];
export type Payee = Budget['payees'][number];
export type PayeeLocation = Budget['payee_locations'][number];
export type CategoryGroup = Budget['category_groups'][number];
export type Category = Budget['categories'][number];
export type MonthDetail = Budget['months'][number];
export type MonthSummary = Omit<MonthDetail, 'categories'>;
export type TransactionSummary = Budget['transactions'][number];
export type Subtransaction = Budget['subtransactions'][number];
export type ScheduledTransactionSummary = Budget['scheduled_transactions'][number];
export type ScheduledSubtransaction = Budget['scheduled_subtransactions'][number];

/** A budget without its collections. */
export type BudgetHead = Omit<Budget, CollectionName>;

type CollectionName =
  | 'accounts'
  | 'payees'
  | 'payee_locations'
  | 'category_groups'
  | 'categories'
  | 'months'
  | 'transactions'
  | 'subtransactions'
  | 'scheduled_transactions'
  | 'scheduled_subtransactions';
