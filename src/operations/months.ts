/** Operations that read months (docs/interface.md, Month). */
import { z } from 'zod';
import { budgetId, integer, month } from '../base/schema/fields.ts';
import { monthDetail, monthSummary } from '../base/schema/month.ts';
import { withReadyToAssign } from '../model/sums/category-kinds.ts';
import { operation } from './operation.ts';

export const listMonths = operation({
  name: 'list_months',
  description: 'Every month: income, budgeted, activity, to be budgeted, age of money (how old it is).',
  route: 'GET /budgets/{budget_id}/months',
  input: { budget_id: budgetId },
  output: { months: z.array(monthSummary), server_knowledge: integer },
  rows: { key: 'months', order: 'as sent' },
  readLocally: (replica) => ({ months: replica.months.list(), server_knowledge: replica.knowledge }),
});

export const getMonth = operation({
  name: 'get_month',
  description: 'One month: what came in, what each category was planned to get (budgeted) and really spent.',
  route: 'GET /budgets/{budget_id}/months/{month}',
  input: { budget_id: budgetId, month },
  output: { month: monthDetail },
  rowsInside: { of: 'month', key: 'categories', order: 'as sent' },
  readLocally(replica, { month }) {
    const detail = replica.months.detail(month);
    return { month: { ...detail, categories: detail.categories.map(withReadyToAssign(replica, month)) } };
  },
  example: { month: 'current' },
});
