import { z } from 'zod';
import { budgetId, flag, id, integer, orNull, text } from './fields.ts';
import { operation, SOME_ID } from './operation.ts';

export const payee = z.object({
  id: text,
  name: text,
  transfer_account_id: orNull(text),
  deleted: flag,
});

export const listPayees = operation({
  name: 'list_payees',
  title: 'List payees',
  description: 'All payees. One with a transfer_account_id stands for transfers to that account.',
  route: 'GET /budgets/{budget_id}/payees',
  effect: 'read',
  input: { budget_id: budgetId },
  output: { payees: z.array(payee), server_knowledge: integer },
  rows: { key: 'payees', order: 'as sent' },
  example: {},
});

export const getPayee = operation({
  name: 'get_payee',
  title: 'Get payee',
  description: 'One payee.',
  route: 'GET /budgets/{budget_id}/payees/{payee_id}',
  effect: 'read',
  input: { budget_id: budgetId, payee_id: id },
  output: { payee },
  example: { payee_id: SOME_ID },
});
