/** A user, and a budget: its head, its settings and the export of all that it holds (docs/interface.md, User and Budget). */
import { z } from 'zod';
import { account } from './account.ts';
import { category, categoryGroup } from './category.ts';
import { flag, integer, orNull, text } from './fields.ts';
import { gap } from './gap.ts';
import { meanings } from './meaning.ts';
import { monthDetail } from './month.ts';
import { payee, payeeLocation } from './payee.ts';
import { scheduledSubtransaction, scheduledTransactionSummary } from './scheduled-transaction.ts';
import { subtransaction, transactionSummary } from './transaction.ts';

/** The user that an access token belongs to. */
export const user = z.object({ id: text }).register(meanings, { row: 'user' });

export type User = z.output<typeof user>;

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

export const budgetSettings = z.object(settings).register(meanings, { row: 'budget_settings' });

const budgetHead = {
  id: text,
  name: text,
  last_modified_on: orNull(text),
  first_month: orNull(text),
  last_month: orNull(text),
  ...settings,
};

export const budgetSummary = z
  .object({ ...budgetHead, accounts: z.array(account).optional() })
  .register(meanings, { row: 'budget' });

export type BudgetSummary = z.output<typeof budgetSummary>;

const collections = {
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
};

export const budgetDetail = z.object({ ...budgetHead, ...collections });

export const noRows = z.object(collections).parse({});

/**
 * The data of `GET /budgets/{budget_id}`: the whole budget or, with `last_knowledge_of_server`, its changes. With what could not be
 * read of them.
 */
export const budgetExport = z.object({
  budget: budgetDetail,
  server_knowledge: integer,
  gaps: z.array(gap).optional(),
});

export type BudgetExport = z.output<typeof budgetExport>;
