/** Exact sums of milliunits. */

/** Throws `RangeError` beyond 2^53, where numbers are no longer exact. */
export function sumOf<Row>(rows: Iterable<Row>, amountOf: (row: Row) => number): number {
  let sum = 0;
  for (const row of rows) sum += amountOf(row);
  if (!Number.isSafeInteger(sum)) throw new RangeError('The sum of these amounts is too large to be exact.');
  return sum;
}
