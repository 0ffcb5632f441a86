/** Sorts every list of a result by id, because most lists have no guaranteed order. Numbers and strings stay as they are. */

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const keyOf = (row: unknown) =>
  isObject(row) ? String(('id' in row && row.id) || ('month' in row && row.month)) : String(row);

export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(inOrder);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inOrder(each)]));
}
