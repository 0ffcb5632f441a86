/** Searches all transactions of a budget. Lists the found ones by pages, with the number and sum of all of them. */
import { z } from 'zod';
import { pageArguments, pageSchema, selectPage, selectRows } from '../../answers/selection.ts';
import { firstOf, joinWords, quote, type TextContext, type TextPart } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { foundTransaction } from '../../answers/transactions.ts';
import { transactionsContent } from '../../answers/transactions-view.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { budgetId, integer, milliunits } from '../../base/schema/fields.ts';
import { transactionQuery } from '../../base/schema/transaction-query.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { findingKindsById, review } from '../../model/review/review.ts';
import { suggestionsIn } from '../../model/sums/category-suggestions.ts';
import {
  type FoundTransaction,
  findTransactions as find,
  queryProblems,
} from '../../model/sums/found-transactions.ts';
import { namesWithWords } from '../../model/sums/text-search.ts';

/** What `selectRows` has to know about the list. */
const list = {
  name: 'find_transactions',
  input: z.object({ budget_id: budgetId, ...transactionQuery.shape }),
  output: z.object({ transactions: z.array(foundTransaction) }),
  rows: { key: 'transactions', order: 'newest first' },
} as const;

/** The categories and accounts in whose names the text occurs, with the number of rows that it finds for that reason. */
const byNames = z.array(
  z.object({ kind: z.enum(['category', 'account']), name: z.string(), transactions: z.number() }),
);

const payeeSum = z.object({
  id: z.string(),
  name: z.string().nullable(),
  transactions: integer,
  sum: milliunits,
});

type Names = z.output<typeof byNames>;
type Usual = z.output<typeof usualCategories>;
type PayeeSum = z.output<typeof payeeSum>;

/** What the payees of transactions without a category have had most. */
const usualCategories = z.array(
  z.object({
    payee_id: z.string(),
    name: z.string().nullable(),
    category_id: z.string(),
    category_name: z.string(),
    count: integer,
    of: integer,
  }),
);

export const findTransactions = defineTool({
  name: list.name,
  title: 'Find transactions',
  description:
    'Searches (looks up, lists, shows) payments, purchases, charges, refunds, recent activity: "when was the last time we had the plumber?", "did it come, arrive?", "has it been paid?", "looking for a charge of around 50 on the 2nd", "what was that?", "what did I buy or pay?", "show me everything flagged, or over 200", the largest, uncleared ones, "did anything come in twice?" Number, sum (by payee), rows, usual category. text: words or parts of them in payee, memo, category, account, flag, text of the bank. Amounts: either sign. A split counts by its matching legs.',
  kind: 'read',
  toolset: 'reports',
  input: z.strictObject({ ...list.input.shape, ...pageArguments }),
  output: z.object({
    ...list.output.shape,
    page: pageSchema,
    names_with_words: byNames.optional(),
    by_payee: z.array(payeeSum).optional(),
    usual_categories: usualCategories.optional(),
  }),
  example: { text: 'market', min_amount: 50, since: '2026-10' },
  check: (query) => [...queryProblems(query)],
  async run(call, input) {
    const { replica, freshness } = await readWholeBudget(call);
    const { budget_id: _, limit: __, cursor, ...query } = input;
    const transactions = find(replica, query);
    const page = { total: transactions.length, returned: transactions.length, next_cursor: null };
    const found = { data: { transactions, page }, budgetId: call.budget?.id };
    const named = query.text === undefined ? [] : namesWithWords(query.text, replica);
    const countOf = named.length === 0 ? new Map<string, number>() : countsById(transactions);
    const names = named
      .map(({ id, kind, name }) => ({ kind, name, transactions: countOf.get(id) ?? 0 }))
      .filter(({ transactions }) => transactions > 0);
    // By these names, the heading says what all rows have in common.
    const args = {
      ...input,
      account_id: onlyOf(query.account),
      category_id: onlyOf(query.category),
      payee_id: onlyOf(query.payee),
    };
    return {
      ...found,
      freshness,
      args,
      names,
      payees: sumsByPayee(transactions),
      usual: query.type === 'uncategorized' ? usualOf(replica, transactions) : [],
      view: () =>
        transactionsContent({
          replica,
          query,
          isContinued: cursor !== undefined,
          flags: findingKindsById(review(replica).findings),
          page: (limit) => selectPage(list, transactions, { ...args, limit }, found.budgetId),
        }),
    };
  },
  text({ args, names, payees, usual, ...found }, context) {
    const selected = selectRows(list, found, args, context);
    return {
      ...selected,
      data: {
        ...selected.data,
        ...(names.length > 0 && { names_with_words: names }),
        ...(payees.length > 0 && { by_payee: payees }),
        ...(usual.length > 0 && { usual_categories: usual }),
      },
      lines: [...summaryLines({ names, payees, usual }, context), ...selected.lines],
    };
  },
  view: 'transactions',
});

const onlyOf = (ids: readonly string[] = []) => (ids.length === 1 ? ids[0] : undefined);

const MAX_NAMES = 3;

/** Lines about all that was found, before the rows. */
function summaryLines(
  { names, payees, usual }: { names: Names; payees: readonly PayeeSum[]; usual: Usual },
  context: TextContext,
): TextPart[] {
  const counts = names.map(({ kind, name, transactions }) => `${transactions} by the ${kind} ${quote(name)}`);
  const sums = payees.map(
    ({ id, name, transactions, sum }) =>
      `${context.named('payee', id, name)} ${context.money(sum)} (${transactions})`,
  );
  const categories = usual.map((each) =>
    joinWords(
      context.named('category', each.category_id, each.category_name),
      `in ${each.count} of ${each.of}`,
      context.named('payee', each.payee_id, each.name),
    ),
  );
  return [
    counts.length > 0 &&
      `Of them ${firstOf(counts, MAX_NAMES).join(', ')}, since the text occurs in the name. More words, payee, category or account narrow it.`,
    sums.length > 0 && `By payee: ${sums.join(', ')}.`,
    categories.length > 0 && `Usual category: ${firstOf(categories, MAX_NAMES).join(', ')}.`,
  ];
}

/** One for each payee. */
function usualOf(replica: BudgetReplica, found: readonly FoundTransaction[]): Usual {
  const ids = new Set(found.map(({ id }) => id));
  const usual = suggestionsIn(replica).flatMap(({ transaction_id, payee_id, name, suggestion }) =>
    ids.has(transaction_id) && payee_id !== null && suggestion ? [{ payee_id, name, ...suggestion }] : [],
  );
  return [...new Map(usual.map((each) => [each.payee_id, each])).values()];
}

/** How many have each account and category, themselves or in a leg. */
function countsById(rows: readonly FoundTransaction[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { account_id, category_id, subtransactions } of rows)
    for (const id of new Set([account_id, category_id, ...subtransactions.map((leg) => leg.category_id)]))
      if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const MAX_PAYEES = 5;

/**
 * The number and the sum for each payee, as long as these are few, largest sum first. Empty for a single payee or more than five, if most have one row only, if a row has no payee, or if
 * legs have payees of their own.
 */
export function sumsByPayee(rows: readonly FoundTransaction[]): PayeeSum[] {
  const sums = new Map<string, PayeeSum>();
  for (const { payee_id, payee_name: name, amount, matching_amount = amount, subtransactions } of rows) {
    if (payee_id === null) return [];
    if (subtransactions.some((leg) => leg.payee_id !== null && leg.payee_id !== payee_id)) return [];
    const { transactions, sum } = sums.get(payee_id) ?? { transactions: 0, sum: 0 };
    sums.set(payee_id, { id: payee_id, name, transactions: transactions + 1, sum: sum + matching_amount });
    if (sums.size > MAX_PAYEES) return [];
  }
  if (sums.size < 2 || rows.length < 2 * sums.size) return [];
  return [...sums.values()].sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum));
}
