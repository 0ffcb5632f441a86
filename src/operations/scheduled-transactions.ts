import { z } from 'zod';
import { budgetId, flag, id, integer, milliunits, orNull, text } from './fields.ts';
import { operation, SOME_ID } from './operation.ts';

const summary = {
  id: text,
  date_first: text,
  date_next: text,
  frequency: text,
  amount: milliunits,
  memo: orNull(text),
  flag_color: orNull(text),
  flag_name: orNull(text),
  account_id: text,
  payee_id: orNull(text),
  category_id: orNull(text),
  transfer_account_id: orNull(text),
  deleted: flag,
};

export const scheduledTransactionSummary = z.object(summary);

export const scheduledSubtransaction = z.object({
  id: text,
  scheduled_transaction_id: text,
  amount: milliunits,
  memo: orNull(text),
  payee_id: orNull(text),
  payee_name: orNull(text),
  category_id: orNull(text),
  category_name: orNull(text),
  transfer_account_id: orNull(text),
  deleted: flag,
});

const scheduledTransaction = z.object({
  ...summary,
  account_name: text,
  payee_name: orNull(text),
  category_name: orNull(text),
  subtransactions: z.array(scheduledSubtransaction),
});

export const listScheduledTransactions = operation({
  name: 'list_scheduled_transactions',
  title: 'List scheduled transactions',
  description: 'What is planned: bills and income to come, each with its next date and frequency.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions',
  effect: 'read',
  input: { budget_id: budgetId },
  output: { scheduled_transactions: z.array(scheduledTransaction), server_knowledge: integer },
  rows: { key: 'scheduled_transactions', order: 'as sent' },
  example: {},
});

export const getScheduledTransaction = operation({
  name: 'get_scheduled_transaction',
  title: 'Get scheduled transaction',
  description: 'One scheduled transaction.',
  route: 'GET /budgets/{budget_id}/scheduled_transactions/{scheduled_transaction_id}',
  effect: 'read',
  input: { budget_id: budgetId, scheduled_transaction_id: id },
  output: { scheduled_transaction: scheduledTransaction },
  example: { scheduled_transaction_id: SOME_ID },
});
