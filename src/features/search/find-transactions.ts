/** Searches all transactions of a budget. Lists the found ones by pages, with the number and sum of all of them. */
import { z } from 'zod';
import { displayArguments, displayFields, pageSchema, selectRows } from '../../answers/selection.ts';
import { firstOf, quote } from '../../answers/text.ts';
import type { ReadTool, ToolAnswer } from '../../answers/tool.ts';
import { foundTransaction } from '../../answers/transactions.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import type { JsonObject } from '../../base/json.ts';
import {
  accountId,
  amountSize,
  budgetId,
  categoryOrGroupId,
  payeeId,
  rangeEnd,
  rangeStart,
} from '../../base/schema/fields.ts';
import { namesWithWords, wordsOf } from '../../model/sums/text-search.ts';
import { type FoundTransaction, findTransactions as find } from './found-transactions.ts';
import { transactionsContent } from './transactions-view.ts';

const conditions = z.object({
  text: z.string().optional(),
  min_amount: amountSize.optional(),
  max_amount: amountSize.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  account: accountId.optional(),
  category: categoryOrGroupId.optional(),
  payee: payeeId.optional(),
  cleared: z.enum(['cleared', 'uncleared', 'reconciled']).optional(),
  approved: z.boolean().optional(),
  flag_color: z.enum(['red', 'orange', 'yellow', 'green', 'blue', 'purple']).optional(),
  type: z.enum(['uncategorized', 'unapproved', 'transfer']).optional(),
});

/** What `selectRows` has to know about the list. */
const list = {
  name: 'find_transactions',
  input: z.object({ budget_id: budgetId, ...conditions.shape }),
  output: z.object({ transactions: z.array(foundTransaction) }),
  rows: { key: 'transactions', order: 'newest first' },
} as const;

/** The categories and accounts in whose names the text occurs, with the number of rows that it finds for that reason. */
const byNames = z.array(
  z.object({ kind: z.enum(['category', 'account']), name: z.string(), transactions: z.number() }),
);

interface FoundAnswer extends ToolAnswer {
  readonly names: z.output<typeof byNames>;
  readonly budgetId: string | undefined;
  readonly args: JsonObject;
}

/** A page of rows, which the search has made. */
const selectedPage = z.object({
  transactions: z.custom<readonly FoundTransaction[]>(Array.isArray),
  page: pageSchema,
});

export const findTransactions: ReadTool<FoundAnswer> = {
  name: list.name,
  title: 'Find transactions',
  description:
    'Finds payments and income: "when was the last time we had the plumber?", "did it come yet?", "how often do I go there?", "looking for a charge of around 50 on the 2nd", "what was that?", "show me everything flagged, or over 200", "did anything come in twice?" Number, sum and rows. text: words or parts of them in payee, memo, category, account. Amounts: either sign. A split counts by its matching legs.',
  kind: 'read',
  toolset: 'reports',
  input: z.strictObject({ ...list.input.shape, ...displayArguments(list) }),
  output: z.object({ ...list.output.shape, ...displayFields(list), names_with_words: byNames.optional() }),
  example: { text: 'market', min_amount: 50, since: '2026-10' },
  check(input) {
    const { text, min_amount = 0, max_amount, since = '', until } = conditions.parse(input);
    return [
      ...(text !== undefined && wordsOf(text).length === 0 ? ['text has no word to search for'] : []),
      ...(max_amount !== undefined && Math.abs(min_amount) > Math.abs(max_amount)
        ? ['min_amount is larger than max_amount; signs are ignored']
        : []),
      ...(until !== undefined && since > until ? [`since ${since} is after until ${until}`] : []),
    ];
  },
  async run(call, input) {
    const { replica, freshness } = await readWholeBudget(call);
    const query = conditions.parse(input);
    const { account: account_id, category: category_id, payee: payee_id } = query;
    const transactions = find(replica, query);
    const found = { data: { transactions }, budgetId: call.budget?.id };
    const named = query.text === undefined ? [] : namesWithWords(query.text, replica);
    const names = named
      .map(({ id, kind, name }) => ({ kind, name, transactions: transactions.filter(hasId(id)).length }))
      .filter(({ transactions }) => transactions > 0);
    // By these names, the heading says what all rows have in common.
    const args = { ...input, account_id, category_id, payee_id };
    return {
      ...found,
      freshness,
      args,
      names,
      view: () =>
        transactionsContent({
          replica,
          query,
          isContinued: 'cursor' in input,
          page(limit) {
            const { data } = selectRows(list, found, { ...args, limit });
            const { transactions, page } = selectedPage.parse(data);
            const { total, sum = 0, next_cursor } = page;
            return { rows: transactions, total, sum, next_cursor };
          },
        }),
    };
  },
  text({ args, names, ...found }, context) {
    const selected = selectRows(list, found, args, context);
    if (names.length === 0) return selected;
    const counts = names.map(
      ({ kind, name, transactions }) => `${transactions} by the ${kind} ${quote(name)}`,
    );
    const line = `Of them ${firstOf(counts, MAX_NAMES).join(', ')}, since the text occurs in the name. More words, payee, category or account narrow it.`;
    return {
      ...selected,
      data: { ...selected.data, names_with_words: names },
      lines: [line, ...selected.lines],
    };
  },
  view: 'transactions',
};

const MAX_NAMES = 3;

const hasId =
  (id: string) =>
  ({ account_id, category_id, subtransactions }: FoundTransaction): boolean =>
    account_id === id || category_id === id || subtransactions.some((leg) => leg.category_id === id);
