/** Operations that read budgets: their list, their settings, and the export of one (docs/interface.md, Budget). */
import { z } from 'zod';
import { account } from './accounts.ts';
import { category, categoryGroup } from './categories.ts';
import { budgetId, flag, integer, orNull, text } from './fields.ts';
import { monthDetail } from './months.ts';
import { operation } from './operation.ts';
import { payeeLocation } from './payee-locations.ts';
import { payee } from './payees.ts';
import { scheduledSubtransaction, scheduledTransactionSummary } from './scheduled-transactions.ts';
import { subtransaction, transactionSummary } from './transactions.ts';

const dateFormat = z.object({ format: text });

const currencyFormat = z.object({
  iso_code: text,
  example_format: text,
  decimal_digits: integer,
  decimal_separator: text,
  symbol_first: flag,
  group_separator: text,
  currency_symbol: text,
  display_symbol: flag,
});

export type CurrencyFormat = z.output<typeof currencyFormat>;

const settings = { date_format: orNull(dateFormat), currency_format: orNull(currencyFormat) };

const budgetHead = {
  id: text,
  name: text,
  last_modified_on: orNull(text),
  first_month: orNull(text),
  last_month: orNull(text),
  ...settings,
};

const budgetSummary = z.object({ ...budgetHead, accounts: z.array(account).optional() });

export type BudgetSummary = z.output<typeof budgetSummary>;

export const listBudgets = operation({
  name: 'list_budgets',
  title: 'List budgets',
  description: "All of the user's budgets, with currency and first and last month.",
  route: 'GET /budgets',
  kind: 'read',
  input: { include_accounts: flag.optional() },
  output: { budgets: z.array(budgetSummary), default_budget: orNull(budgetSummary) },
  rows: { key: 'budgets', order: 'as sent' },
  example: { include_accounts: true },
});

const budgetDetail = z.object({
  ...budgetHead,
  accounts: z.array(account).default([]),
  payees: z.array(payee).default([]),
  payee_locations: z.array(payeeLocation).default([]),
  category_groups: z.array(categoryGroup).default([]),
  categories: z.array(category).default([]),
  months: z.array(monthDetail).default([]),
  transactions: z.array(transactionSummary).default([]),
  subtransactions: z.array(subtransaction).default([]),
  scheduled_transactions: z.array(scheduledTransactionSummary).default([]),
  scheduled_subtransactions: z.array(scheduledSubtransaction).default([]),
});

/** The data of `GET /budgets/{budget_id}`: the whole budget or, with `last_knowledge_of_server`, its changes. */
export interface BudgetExport {
  readonly budget: z.output<typeof budgetDetail>;
  readonly server_knowledge: number;
}

export const getBudget = operation({
  name: 'get_budget',
  title: 'Get budget',
  description:
    "A budget's head and how much it holds. `collections` adds whole collections; the list tools are cheaper to read.",
  route: 'GET /budgets/{budget_id}',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { budget: budgetDetail, server_knowledge: integer },
  collections: 'budget',
  readLocally: (replica) => ({ budget: replica.export(), server_knowledge: replica.knowledge }),
  example: {},
});

export const getBudgetSettings = operation({
  name: 'get_budget_settings',
  title: 'Get budget settings',
  description: 'The date and currency format of a budget.',
  route: 'GET /budgets/{budget_id}/settings',
  kind: 'read',
  input: { budget_id: budgetId },
  output: { settings: z.object(settings) },
  readLocally: ({ head: { date_format, currency_format } }) => ({
    settings: { date_format, currency_format },
  }),
  example: {},
});
