/** Sums up a write of several transactions, so that a model need not read back what it has just sent. */
import { z } from 'zod';
import type { JsonObject } from '../platform/json.ts';
import { fitRows, type Row } from './fit-rows.ts';
import { firstOf, type TextContext } from './text.ts';
import { formatTransaction } from './transactions.ts';

const categorized = {
  category_id: z.string().nullable().optional(),
  category_name: z.string().nullable().optional(),
};
const transaction = z.object({ ...categorized, subtransactions: z.array(z.object(categorized)).optional() });

const inCategory = z.object({ id: z.string().nullable(), name: z.string().nullable(), count: z.number() });

/** A leg of a split counts as one in its category. */
export const batchSummary = z.object({ transactions: z.number(), by_category: z.array(inCategory) });

export interface SummarizedBatch {
  readonly summary: z.output<typeof batchSummary>;
  /** The rows of which the service ignored something, as many as fit. */
  readonly differing: readonly Row[];
  readonly lines: readonly string[];
}

const MAX_CATEGORIES = 10;

/** How many there are, in which categories, and in full only those of which the service ignored something. */
export function summarizeBatch(
  rows: readonly JsonObject[],
  idsOfDiffering: ReadonlySet<string>,
  context: TextContext,
): SummarizedBatch {
  const categories = new Map<string | null, z.output<typeof inCategory>>();
  for (const row of rows) {
    const { subtransactions = [], ...whole } = transaction.parse(row);
    for (const { category_id, category_name } of subtransactions.length > 0 ? subtransactions : [whole]) {
      const id = category_name ? (category_id ?? null) : null;
      const counted = categories.get(id) ?? {
        id,
        name: id === null ? null : (category_name ?? null),
        count: 0,
      };
      categories.set(id, { ...counted, count: counted.count + 1 });
    }
  }
  const by_category = [...categories.values()].sort((a, b) => b.count - a.count);
  const counts = by_category.map(({ id, name, count }) =>
    id === null || name === null
      ? `no category ${count}`
      : `${context.withId('category', id, name)} ${count}`,
  );
  const all = rows.filter(({ id }) => idsOfDiffering.has(String(id)));
  const differing = fitRows(all, { context, format: (row) => formatTransaction(row, context) });
  const rest = all.length - differing.rows.length;
  return {
    summary: { transactions: rows.length, by_category },
    differing: differing.rows,
    lines: [
      `${rows.length} ${rows.length === 1 ? 'transaction' : 'transactions'}, by category: ${firstOf(counts, MAX_CATEGORIES, 'categories').join(', ')}.`,
      ...differing.lines,
      ...(rest > 0 ? [`… and ${rest} more of which something was ignored.`] : []),
    ],
  };
}
