/** The shapes that a replica holds and hands out. All answers share the rows, so no code may change one. */
import type * as account from '../../base/schema/account.ts';
import type { BudgetExport, noRows } from '../../base/schema/budget.ts';
import type * as category from '../../base/schema/category.ts';
import type { Immutable, ImmutableOf as Row } from '../../base/schema/immutable.ts';
import type * as month from '../../base/schema/month.ts';
import type * as payee from '../../base/schema/payee.ts';
import type * as scheduled from '../../base/schema/scheduled-transaction.ts';
import type * as transaction from '../../base/schema/transaction.ts';

/** All of a budget or, in a delta, what has changed of it. */
export type Export = Immutable<BudgetExport>;

export type Account = Row<typeof account.account>;
export type Payee = Row<typeof payee.payee>;
export type PayeeLocation = Row<typeof payee.payeeLocation>;
export type CategoryGroup = Row<typeof category.categoryGroup>;
export type Category = Row<typeof category.category>;
export type MonthDetail = Row<typeof month.monthDetail>;
export type MonthSummary = Row<typeof month.monthSummary>;
export type Transaction = Row<typeof transaction.transaction>;
export type TransactionSummary = Row<typeof transaction.transactionSummary>;
export type Subtransaction = Row<typeof transaction.subtransaction>;
export type HybridTransaction = Row<typeof transaction.hybridTransaction>;
export type ScheduledTransaction = Row<typeof scheduled.scheduledTransaction>;
export type ScheduledTransactionSummary = Row<typeof scheduled.scheduledTransactionSummary>;
export type ScheduledSubtransaction = Row<typeof scheduled.scheduledSubtransaction>;

/** The rows of a budget. */
export type Collections = Immutable<typeof noRows>;

export type BudgetHead = Omit<Export['budget'], keyof Collections>;
