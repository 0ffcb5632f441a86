/** Operations that read transactions (docs/interface.md, Transaction). `transaction-writes.ts` has the writes. */
import { z } from 'zod';
import { budgetId, flag, id, integer, milliunits, month, orNull, text, transactionFilter } from './fields.ts';
import { EXAMPLE_ID, operation } from './operation.ts';

const summary = {
  id: text,
  date: text,
  amount: milliunits,
  memo: orNull(text),
  cleared: text,
  approved: flag,
  flag_color: orNull(text),
  flag_name: orNull(text),
  account_id: text,
  payee_id: orNull(text),
  category_id: orNull(text),
  transfer_account_id: orNull(text),
  transfer_transaction_id: orNull(text),
  matched_transaction_id: orNull(text),
  import_id: orNull(text),
  import_payee_name: orNull(text),
  import_payee_name_original: orNull(text),
  debt_transaction_type: orNull(text),
  deleted: flag,
};

const names = { account_name: text, payee_name: orNull(text), category_name: orNull(text) };

export const transactionSummary = z.object(summary);

export const subtransaction = z.object({
  id: text,
  transaction_id: text,
  amount: milliunits,
  memo: orNull(text),
  payee_id: orNull(text),
  payee_name: orNull(text),
  category_id: orNull(text),
  category_name: orNull(text),
  transfer_account_id: orNull(text),
  transfer_transaction_id: orNull(text),
  deleted: flag,
});

export const transaction = z.object({ ...summary, ...names, subtransactions: z.array(subtransaction) });

export type Transaction = z.output<typeof transaction>;

/** A transaction or one leg of a split, as a row of one list. */
const hybridTransaction = z.object({
  ...summary,
  type: text,
  parent_transaction_id: orNull(text),
  ...names,
});

export type HybridTransaction = z.output<typeof hybridTransaction>;

const transactions = { transactions: z.array(transaction), server_knowledge: integer };

// The interface makes `server_knowledge` optional on hybrid lists only.
const hybridTransactions = {
  transactions: z.array(hybridTransaction),
  server_knowledge: integer.optional(),
};

const newestFirst = { key: 'transactions', order: 'newest first' } as const;

export const listTransactions = operation({
  name: 'list_transactions',
  title: 'List transactions',
  description:
    'Transactions of all accounts with the legs of splits. type: uncategorized or unapproved ones only. The narrower tools answer with less.',
  route: 'GET /budgets/{budget_id}/transactions',
  kind: 'read',
  input: { budget_id: budgetId, ...transactionFilter },
  output: transactions,
  rows: newestFirst,
  readLocally: (replica, filter) => ({
    transactions: replica.transactions.list(filter),
    server_knowledge: replica.knowledge,
  }),
  example: { since_date: '2026-01-01' },
});

export const listAccountTransactions = operation({
  name: 'list_account_transactions',
  title: "List an account's transactions",
  description: 'Transactions of one account with the legs of splits.',
  route: 'GET /budgets/{budget_id}/accounts/{account_id}/transactions',
  kind: 'read',
  input: { budget_id: budgetId, account_id: id, ...transactionFilter },
  output: transactions,
  rows: newestFirst,
  readLocally: (replica, { account_id, ...filter }) => ({
    transactions: replica.transactions.ofAccount(account_id, filter),
    server_knowledge: replica.knowledge,
  }),
  example: { account_id: EXAMPLE_ID },
});

export const listCategoryTransactions = operation({
  name: 'list_category_transactions',
  title: "List a category's transactions",
  description:
    'Transactions and single legs of splits in one category; a leg has a parent_transaction_id. For what was spent on something.',
  route: 'GET /budgets/{budget_id}/categories/{category_id}/transactions',
  kind: 'read',
  input: { budget_id: budgetId, category_id: id, ...transactionFilter },
  output: hybridTransactions,
  rows: newestFirst,
  readLocally: (replica, { category_id, ...filter }) => ({
    transactions: replica.transactions.ofCategory(category_id, filter),
    server_knowledge: replica.knowledge,
  }),
  example: { category_id: EXAMPLE_ID },
});

export const listPayeeTransactions = operation({
  name: 'list_payee_transactions',
  title: "List a payee's transactions",
  description:
    'Transactions and single legs of splits with one payee; a leg has a parent_transaction_id. For what was spent somewhere.',
  route: 'GET /budgets/{budget_id}/payees/{payee_id}/transactions',
  kind: 'read',
  input: { budget_id: budgetId, payee_id: id, ...transactionFilter },
  output: hybridTransactions,
  rows: newestFirst,
  readLocally: (replica, { payee_id, ...filter }) => ({
    transactions: replica.transactions.ofPayee(payee_id, filter),
    server_knowledge: replica.knowledge,
  }),
  example: { payee_id: EXAMPLE_ID },
});

export const listMonthTransactions = operation({
  name: 'list_month_transactions',
  title: "List a month's transactions",
  description: 'Transactions of one month with the legs of splits.',
  route: 'GET /budgets/{budget_id}/months/{month}/transactions',
  kind: 'read',
  input: { budget_id: budgetId, month, ...transactionFilter },
  output: transactions,
  rows: newestFirst,
  readLocally: (replica, { month, ...filter }) => ({
    transactions: replica.transactions.ofMonth(month, filter),
    server_knowledge: replica.knowledge,
  }),
  example: { month: 'current' },
});

export const getTransaction = operation({
  name: 'get_transaction',
  title: 'Get transaction',
  description: 'One transaction with the legs of its split.',
  route: 'GET /budgets/{budget_id}/transactions/{transaction_id}',
  kind: 'read',
  input: { budget_id: budgetId, transaction_id: id },
  output: { transaction, server_knowledge: integer.optional() },
  readLocally: (replica, { transaction_id }) => ({
    transaction: replica.transactions.get(transaction_id),
    server_knowledge: replica.knowledge,
  }),
  example: { transaction_id: EXAMPLE_ID },
});
