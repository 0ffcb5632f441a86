/** Operations that read the user, the list of budgets, a budget's settings, and its export (docs/interface.md, User and Budget). */
import { z } from 'zod';
import { budgetDetail, budgetSettings, budgetSummary, user } from '../base/schema/budget.ts';
import { budgetId, flag, integer, orNull } from '../base/schema/fields.ts';
import { operation } from './operation.ts';

export const getUser = operation({
  name: 'get_user',
  description: 'The id of the user.',
  route: 'GET /user',
  input: {},
  output: { user },
  readFromSession: (session) => session.user(),
});

export const listBudgets = operation({
  name: 'list_budgets',
  description:
    'All budgets that the user can see or switch to, with currency and first and last month. No money moves between budgets.',
  route: 'GET /budgets',
  input: { include_accounts: flag.optional() },
  output: { budgets: z.array(budgetSummary), default_budget: orNull(budgetSummary) },
  rows: { key: 'budgets', order: 'as sent' },
  readFromSession: (session, { include_accounts }, signal) =>
    include_accounts ? undefined : session.budgets(signal),
  example: { include_accounts: true },
});

export const getBudget = operation({
  name: 'get_budget',
  description: "A budget's own fields, and how many rows of each kind it has.",
  route: 'GET /budgets/{budget_id}',
  input: { budget_id: budgetId },
  output: { budget: budgetDetail, server_knowledge: integer },
  collections: 'budget',
  readLocally: (replica) => ({ budget: replica.export(), server_knowledge: replica.knowledge }),
  inMonth: (data, of) => ({
    ...data,
    budget: { ...data.budget, categories: data.budget.categories.map(of) },
  }),
});

export const getBudgetSettings = operation({
  name: 'get_budget_settings',
  description: 'Currency (dollars, euros) and date format of a budget.',
  route: 'GET /budgets/{budget_id}/settings',
  input: { budget_id: budgetId },
  output: { settings: budgetSettings },
  readLocally: ({ head: { date_format, currency_format } }) => ({
    settings: { date_format, currency_format },
  }),
});
