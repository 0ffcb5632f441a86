/** Suggests a category for each transaction that has none. It enters nothing. */
import { z } from 'zod';
import { counted, joinParts, joinWords, type TextContext, word } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { quoteStart } from '../../base/quote.ts';
import { budgetId, flag, integer, milliunits, rangeStart, text } from '../../base/schema/fields.ts';
import { suggestionsIn } from '../../model/sums/category-suggestions.ts';
import { amountOf, firstRows } from '../../model/sums/first-rows.ts';

const DEFAULT_LIMIT = 20;
const MAX_MEMO = 60;

const input = z.strictObject({
  budget_id: budgetId,
  since: rangeStart.optional(),
  limit: z.int().min(1).max(100).default(DEFAULT_LIMIT).optional(),
});

const line = z.object({
  transaction_id: text,
  is_leg: flag,
  date: text,
  amount: milliunits,
  memo: text.nullable(),
  payee_id: text.nullable(),
  name: text.nullable(),
  account_id: text,
  account_name: text,
  suggestion: z.object({ category_id: text, category_name: text, count: integer, of: integer }).nullable(),
});

const output = z.object({
  total: integer,
  sum: milliunits,
  with_suggestion: integer,
  legs: integer,
  rows: z.array(line).readonly(),
});

type Suggestions = z.output<typeof output>;

export const suggestCategories = defineTool({
  name: 'suggest_categories',
  title: 'Suggest categories',
  description:
    'Sorts out uncategorized transactions, the ones that have no category, guesses where new ones belong: newest first, each with the category that its payee had most; update_transactions enters them.',
  kind: 'read',
  toolset: 'reports',
  input,
  output,
  example: {},
  async run(call, { since, limit = DEFAULT_LIMIT }) {
    const { replica, freshness } = await readWholeBudget(call);
    const all = suggestionsIn(replica, since);
    const with_suggestion = all.filter(({ suggestion }) => suggestion !== null).length;
    const legs = all.filter(({ is_leg }) => is_leg).length;
    return { freshness, data: { ...firstRows(all, limit, amountOf), with_suggestion, legs } };
  },
  text: ({ data: { total, sum, with_suggestion, legs, rows } }, context) => ({
    heading: [
      `${counted(total, 'transaction')} without a category`,
      legs > 0 && `${legs} of them legs of splits`,
      total > 0 && `sum ${context.money(sum)}`,
      total > 0 && `${with_suggestion} with a suggestion`,
    ],
    lines: [
      ...rows.map((row) => formatLine(row, context)),
      total > rows.length &&
        `and ${total - rows.length} more; once these have a category, the next call gives the next ones, as a larger limit does`,
    ],
  }),
});

/** Such as `2026-11-20 · -23.40 · "Corner Shop" · account "Checking" · "Groceries" in 25 of 25 · 1f3a5c7e`. */
function formatLine(row: Suggestions['rows'][number], context: TextContext): string {
  const { suggestion, memo } = row;
  const id = context.id('transaction', row.transaction_id);
  return joinParts(
    word(row.date),
    context.money(row.amount),
    row.payee_id === null ? 'no payee' : context.named('payee', row.payee_id, row.name),
    `account ${context.named('account', row.account_id, row.account_name)}`,
    memo !== null && memo !== '' && `memo ${quoteStart(memo, MAX_MEMO)}`,
    suggestion
      ? joinWords(
          context.named('category', suggestion.category_id, suggestion.category_name),
          `in ${suggestion.count} of ${suggestion.of}`,
        )
      : 'no category known',
    row.is_leg ? `leg of ${id}, changed only in the app` : id,
  );
}
