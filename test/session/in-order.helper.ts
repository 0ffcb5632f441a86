/** Results in a form in which those of a replica and of the service are the same. */
import { category } from '../../src/base/schema/category.ts';
import { isInternalCategory, withoutOwnAmounts } from '../../src/model/bookkeeping/own-categories.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const keyOf = (row: unknown) =>
  isObject(row) ? String(('id' in row && row.id) || ('month' in row && row.month)) : String(row);

/** Without what a replica leaves out of an internal category, and adds to that of income. Anything else stays as it is. */
export function comparableRow(row: object): object {
  const { data } = category.safeParse(row);
  if (!data) return row;
  const { to_be_budgeted: _, ...same } = isInternalCategory(data) ? withoutOwnAmounts(data) : data;
  return same;
}

/** Sorts every list of a result by id, because most lists have no guaranteed order. Numbers and strings stay as they are. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(inOrder);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(comparableRow(value)).map(([name, each]) => [name, inOrder(each)]),
  );
}
