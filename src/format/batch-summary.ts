/** Sums up a write of several transactions, so that a model need not read back what it has just sent. */
import { z } from 'zod';
import { firstOf, type TextContext } from './text.ts';
import { formatTransaction } from './transactions.ts';

const categorized = {
  category_id: z.string().nullable().optional(),
  category_name: z.string().nullable().optional(),
};
const row = z.looseObject({
  id: z.string(),
  ...categorized,
  subtransactions: z.array(z.looseObject(categorized)).optional(),
});

const MAX_CATEGORIES = 10;

/** How many there are, in which categories, and in full only those of which the service ignored something. */
export function summarizeBatch(
  transactions: readonly unknown[],
  differing: ReadonlySet<string>,
  context: TextContext,
): string[] {
  const rows = transactions.map((each) => row.parse(each));
  const counts = new Map<string, number>();
  for (const each of rows)
    for (const { category_id: id, category_name: name } of each.subtransactions?.length
      ? each.subtransactions
      : [each]) {
      const label = id && name ? context.withId('category', id, name) : 'no category';
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  const categories = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`);
  const shown = firstOf(categories, MAX_CATEGORIES, 'categories').join(', ');
  return [
    `${rows.length} ${rows.length === 1 ? 'transaction' : 'transactions'}, by category: ${shown}.`,
    ...rows.filter(({ id }) => differing.has(id)).map((each) => formatTransaction(each, context)),
  ];
}
