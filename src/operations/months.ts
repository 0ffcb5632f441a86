/** Operations that read months (docs/interface.md, Month). */
import { z } from 'zod';
import { category } from './categories.ts';
import { budgetId, flag, integer, milliunits, month, orNull, text } from './fields.ts';
import { operation } from './operation.ts';

const monthSummary = {
  month: text,
  note: orNull(text),
  income: milliunits,
  budgeted: milliunits,
  activity: milliunits,
  to_be_budgeted: milliunits,
  age_of_money: orNull(integer),
  deleted: flag,
};

export const monthDetail = z.object({ ...monthSummary, categories: z.array(category) });

export const listMonths = operation({
  name: 'list_months',
  title: 'List months',
  description: 'Every month in total: income, budgeted, activity, to be budgeted, age of money. For trends.',
  route: 'GET /budgets/{budget_id}/months',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { months: z.array(z.object(monthSummary)), server_knowledge: integer },
  rows: { key: 'months', order: 'as sent' },
  readLocally: (replica) => ({ months: replica.months.list(), server_knowledge: replica.knowledge }),
  example: {},
});

export const getMonth = operation({
  name: 'get_month',
  title: 'Get month',
  description: 'One month: its totals and each category in it. For how a month went or stands.',
  route: 'GET /budgets/{budget_id}/months/{month}',
  kind: 'read',
  input: { budget_id: budgetId, month },
  output: { month: monthDetail },
  readLocally: (replica, { month }) => ({ month: replica.months.detail(month) }),
  example: { month: 'current' },
});
