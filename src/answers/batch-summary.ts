/** Sums up a write of many transactions, so that a model need not read back what it has just sent. */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { type FittingRows, fitRows, type Row, type RowWriter } from './fit-rows.ts';
import { counted, DEFAULT_BYTES, firstOf, present, type TextContext } from './text.ts';
import { cutLines } from './tool-result.ts';
import { formatTransaction } from './transactions.ts';

const categorized = {
  category_id: z.string().nullable().optional(),
  category_name: z.string().nullable().optional(),
};
const transaction = z.object({
  date: z.string(),
  ...categorized,
  subtransactions: z.array(z.object(categorized)).optional(),
});

const inCategory = z.object({ id: z.string().nullable(), name: z.string().nullable(), count: z.number() });

/** A leg of a split counts as one in its category. */
export const batchSummary = z.object({ transactions: z.number(), by_category: z.array(inCategory) });

const MAX_CATEGORIES = 10;
/** Of the rows of a write: more are summed up. */
export const MAX_LISTED = 20;

/** The first twenty that fit. Legs of a long split are left out, so that there is room for the lines after it, such as balances. */
export function fitWritten(rows: readonly Row[], writer: RowWriter): FittingRows {
  const { rows: shown, lines } = fitRows(rows.slice(0, MAX_LISTED), writer);
  return { rows: shown, lines: writer.context.room.isLimited ? cutLines(lines, DEFAULT_BYTES) : lines };
}

/** How many there are, in which categories, and the first ones, which are `shown`. Those of which the service ignored something come first. */
export function summarizeBatch(
  rows: readonly JsonObject[],
  idsOfDiffering: ReadonlySet<string>,
  context: TextContext,
) {
  const categories = new Map<string | null, z.output<typeof inCategory>>();
  const read = rows.map((row) => ({ row, ...transaction.parse(row) }));
  for (const { subtransactions = [], ...whole } of read) {
    for (const { category_id, category_name } of subtransactions.length > 0 ? subtransactions : [whole]) {
      const id = category_name ? (category_id ?? null) : null;
      const name = id === null ? null : (category_name ?? null);
      const category = categories.get(id) ?? { id, name, count: 0 };
      categories.set(id, { ...category, count: category.count + 1 });
    }
  }
  const by_category = [...categories.values()].sort((a, b) => b.count - a.count);
  const counts = by_category.map(({ id, name, count }) =>
    id === null || name === null
      ? `no category ${count}`
      : `${context.withId('category', id, name)} ${count}`,
  );
  const isDiffering = ({ row }: { readonly row: Row }) => idsOfDiffering.has(String(row['id']));
  const inOrder = [...read.filter(isDiffering), ...read.filter((each) => !isDiffering(each))];
  const format = (row: Row) => formatTransaction(row, context);
  const { rows: shown, lines } = fitWritten(
    inOrder.map(({ row }) => row),
    { context, format },
  );
  const rest = inOrder.slice(shown.length);
  const dates = rest.map(({ date }) => date).sort();
  return {
    summary: { transactions: rows.length, by_category },
    shown,
    lines: present([
      `${counted(rows.length, 'transaction')}, by category: ${firstOf(counts, MAX_CATEGORIES, 'categories').join(', ')}.`,
      ...lines,
      dates.length > 0 &&
        `… and ${dates.length} more: find_transactions since ${dates[0]} until ${dates.at(-1)} lists them.`,
    ]),
  };
}
