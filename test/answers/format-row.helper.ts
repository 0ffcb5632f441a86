import type { z } from 'zod';
import { formatRows } from '../../src/answers/rows.ts';
import { TextContext } from '../../src/answers/text.ts';
import { moneyFormatter } from '../../src/answers/units.ts';
import { account } from '../../src/base/schema/account.ts';
import { budgetSettings, budgetSummary, user } from '../../src/base/schema/budget.ts';
import { category, categoryGroup, categoryGroupWithCategories } from '../../src/base/schema/category.ts';
import { monthDetail, monthSummary } from '../../src/base/schema/month.ts';
import { payee, payeeLocation } from '../../src/base/schema/payee.ts';
import { scheduledTransaction } from '../../src/base/schema/scheduled-transaction.ts';
import { hybridTransaction, transaction } from '../../src/base/schema/transaction.ts';
import { dollars } from './samples.helper.ts';

const rowSchemas = {
  account,
  budgetSettings,
  budgetSummary,
  category,
  categoryGroup,
  categoryGroupWithCategories,
  hybridTransaction,
  monthDetail,
  monthSummary,
  payee,
  payeeLocation,
  scheduledTransaction,
  transaction,
  user,
};

export const dollarContext = () => new TextContext(moneyFormatter(dollars));

/** The text of one row, with the rows that belong to it. */
export const lineOf = (name: keyof typeof rowSchemas, value: unknown, context = dollarContext()): string =>
  textOfRow(rowSchemas[name], value, context);

export function textOfRow(schema: z.core.$ZodType, value: unknown, context = dollarContext()): string {
  const [line, ...others] = formatRows(schema, value, context);
  if (line === undefined || others.length > 0) throw new Error('This is not the schema of a row.');
  return line;
}

export const joinRows = (...text: string[]) => text.join('\n');
