/** The shapes that a replica holds and hands out. All answers share the rows, so no code may change one. */
import type * as account from '../../base/schema/account.ts';
import type { BudgetExport } from '../../base/schema/budget.ts';
import type * as category from '../../base/schema/category.ts';
import type { Immutable } from '../../base/schema/immutable.ts';
import type * as month from '../../base/schema/month.ts';
import type * as payee from '../../base/schema/payee.ts';
import type * as payeeLocation from '../../base/schema/payee-location.ts';
import type * as scheduled from '../../base/schema/scheduled-transaction.ts';
import type * as transaction from '../../base/schema/transaction.ts';

/** All of a budget or, in a delta, what has changed of it. */
export type Export = Immutable<BudgetExport>;

export type Account = Immutable<account.Account>;
export type Payee = Immutable<payee.Payee>;
export type PayeeLocation = Immutable<payeeLocation.PayeeLocation>;
export type CategoryGroup = Immutable<category.CategoryGroup>;
export type Category = Immutable<category.Category>;
export type MonthDetail = Immutable<month.MonthDetail>;
export type MonthSummary = Omit<MonthDetail, 'categories'>;
export type Transaction = Immutable<transaction.Transaction>;
export type TransactionSummary = Immutable<transaction.TransactionSummary>;
export type Subtransaction = Immutable<transaction.Subtransaction>;
export type HybridTransaction = Immutable<transaction.HybridTransaction>;
export type ScheduledTransaction = Immutable<scheduled.ScheduledTransaction>;
export type ScheduledTransactionSummary = Immutable<scheduled.ScheduledTransactionSummary>;
export type ScheduledSubtransaction = Immutable<scheduled.ScheduledSubtransaction>;

export type BudgetHead = Omit<Export['budget'], CollectionName>;

export type CollectionName =
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
