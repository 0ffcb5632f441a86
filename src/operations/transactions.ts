/** Operations that read transactions (docs/interface.md, Transaction). `transaction-writes.ts` has the writes. */
import { z } from 'zod';
import {
  accountId,
  budgetId,
  categoryId,
  integer,
  month,
  payeeId,
  rangeEnd,
  rangeStart,
  transactionId,
} from '../base/schema/fields.ts';
import { hybridTransaction, transaction } from '../base/schema/transaction.ts';
import { atOnce } from '../base/turns.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { TransactionFilter } from '../model/replica/transaction-lists.ts';
import { sortedInSteps } from '../model/replica/transaction-table.ts';
import { EXAMPLE_ID, operation } from './operation.ts';

/**
 * The filters of transaction lists. Without a `since_date`, newer versions of the service return the last year only, so
 * that the default asks for all transactions. Older versions ignore `until_date`, so it is applied to their responses.
 */
const transactionFilter = {
  since_date: rangeStart.optional().transform((since) => since ?? '1970-01-01'),
  until_date: rangeEnd.optional(),
  type: z.enum(['uncategorized', 'unapproved']).optional(),
};

const transactions = { transactions: z.array(transaction), server_knowledge: integer };

// The interface makes `server_knowledge` optional on hybrid lists only.
const hybridTransactions = {
  transactions: z.array(hybridTransaction),
  server_knowledge: integer.optional(),
};

const datesInOrder = ({ since_date = '', until_date }: TransactionFilter) =>
  until_date !== undefined && since_date > until_date
    ? [`since_date ${since_date} is after until_date ${until_date}`]
    : [];

/** Removes the transactions after `until_date`, and sorts the others. */
const newestFirst = <Row extends { readonly id: string; readonly date: string }, Data>(
  data: Data & { readonly transactions: Row[] },
  { until_date = '9999-12-31' }: TransactionFilter,
): Data => ({
  ...data,
  transactions: atOnce(sortedInSteps(data.transactions.filter(({ date }) => date <= until_date))),
});

const withKnowledge = <Rows>({ knowledge }: BudgetReplica, transactions: Rows) => ({
  transactions,
  server_knowledge: knowledge,
});

const list = {
  rows: { key: 'transactions', order: 'newest first' },
  check: datesInOrder,
  arrange: newestFirst,
} as const;

export const listTransactions = operation({
  ...list,
  name: 'list_transactions',
  description:
    'The newest transactions of all accounts with legs of splits. type: only those waiting for a category or an ok (unapproved).',
  route: 'GET /budgets/{budget_id}/transactions',
  input: { budget_id: budgetId, ...transactionFilter },
  output: transactions,
  readLocally: (replica, filter) => withKnowledge(replica, replica.transactions.list(filter)),
  example: { since_date: '2026-01-01' },
});

export const listAccountTransactions = operation({
  ...list,
  name: 'list_account_transactions',
  title: "List an account's transactions",
  description: 'The last things on one account.',
  route: 'GET /budgets/{budget_id}/accounts/{account_id}/transactions',
  input: { budget_id: budgetId, account_id: accountId, ...transactionFilter },
  output: transactions,
  readLocally: (replica, { account_id, ...filter }) =>
    withKnowledge(replica, replica.transactions.ofAccount(account_id, filter)),
  example: { account_id: EXAMPLE_ID },
});

export const listCategoryTransactions = operation({
  ...list,
  name: 'list_category_transactions',
  title: "List a category's transactions",
  description: 'Transactions and single legs of splits in one category.',
  route: 'GET /budgets/{budget_id}/categories/{category_id}/transactions',
  input: { budget_id: budgetId, category_id: categoryId, ...transactionFilter },
  output: hybridTransactions,
  readLocally: (replica, { category_id, ...filter }) =>
    withKnowledge(replica, replica.transactions.ofCategory(category_id, filter)),
  example: { category_id: EXAMPLE_ID },
});

export const listPayeeTransactions = operation({
  ...list,
  name: 'list_payee_transactions',
  title: "List a payee's transactions",
  description: 'Transactions and single legs of splits with one payee.',
  route: 'GET /budgets/{budget_id}/payees/{payee_id}/transactions',
  input: { budget_id: budgetId, payee_id: payeeId, ...transactionFilter },
  output: hybridTransactions,
  readLocally: (replica, { payee_id, ...filter }) =>
    withKnowledge(replica, replica.transactions.ofPayee(payee_id, filter)),
  example: { payee_id: EXAMPLE_ID },
});

export const listMonthTransactions = operation({
  ...list,
  name: 'list_month_transactions',
  title: "List a month's transactions",
  description: 'Transactions of one month.',
  route: 'GET /budgets/{budget_id}/months/{month}/transactions',
  input: { budget_id: budgetId, month, ...transactionFilter },
  output: transactions,
  readLocally: (replica, { month, ...filter }) =>
    withKnowledge(replica, replica.transactions.ofMonth(month, filter)),
  example: { month: 'current' },
});

export const getTransaction = operation({
  name: 'get_transaction',
  description: 'One transaction with the legs of its split.',
  route: 'GET /budgets/{budget_id}/transactions/{transaction_id}',
  input: { budget_id: budgetId, transaction_id: transactionId },
  output: { transaction, server_knowledge: integer.optional() },
  readLocally: (replica, { transaction_id }) => ({
    transaction: replica.transactions.get(transaction_id),
    server_knowledge: replica.knowledge,
  }),
  example: { transaction_id: EXAMPLE_ID },
});
