/**
 * Which rows of a table are no transactions: balances, turnovers and totals. They are recognised by what they do: they stand before or
 * after all others, lack a cell that others have, and are a sum of the others or a balance of them.
 */
import { memo } from '../../../base/memo.ts';
import { isBalance, isPerhapsBalance, isRowOfBalance } from './column-words.ts';
import type { RowText } from './row-texts.ts';
import type { Line } from './table-lines.ts';
import type { Column } from './table-shape.ts';

/** Rows at an end of a list that may be balances and totals. */
const MAX_AT_END = 6;

/** The indexes of rows that are none. `groups` are the rows of each account, in the order of the file. */
export function rowsThatAreNone(
  rows: readonly Line[],
  columns: readonly Column[],
  changes: readonly number[],
  texts: readonly RowText[],
  groups: readonly (readonly number[])[],
  isProven: boolean,
): ReadonlySet<number> {
  const [isNone, isPerhapsNone] = [memo(isBalance), memo(isPerhapsBalance)];
  const hasBalances = texts.some(({ payee, purpose = '' }) => isNone(payee ?? purpose));
  const none = new Set<number>();
  for (const [row, { payee, purpose = '' }] of texts.entries()) {
    const text = payee ?? purpose;
    if (isNone(text) || isNone(purpose) || (hasBalances && isPerhapsNone(text))) none.add(row);
  }
  // Each row with a balance of its own is one of the account.
  if (isProven) return none;
  for (const group of groups) for (const row of sumsIn(group, rows, columns, changes, texts)) none.add(row);
  return none;
}

function sumsIn(
  group: readonly number[],
  rows: readonly Line[],
  columns: readonly Column[],
  changes: readonly number[],
  texts: readonly RowText[],
): readonly number[] {
  const isOdd = oddRows(group, rows, columns);
  let begin = 0;
  while (begin < MAX_AT_END && isOdd(group[begin] ?? -1)) begin += 1;
  let end = group.length;
  while (group.length - end < MAX_AT_END && end > begin && isOdd(group[end - 1] ?? -1)) end -= 1;
  const odd = [...group.slice(0, begin), ...group.slice(end)];
  const inner = group.slice(begin, end).map((row) => changes[row] ?? 0);
  if (odd.length === 0 || inner.length === 0) return [];
  // A change that cannot be read is NaN, and then nothing is a sum.
  const gained = inner.reduce((sum, each) => sum + Math.max(each, 0), 0);
  const spent = inner.reduce((sum, each) => sum + Math.min(each, 0), 0);
  const net = gained + spent;
  const sizes = new Set([net, gained, spent].map(Math.abs));
  const sizeOf = (row: number) => Math.abs(changes[row] ?? 0);
  const isTotal = (row: number) => inner.length > 1 && sizes.has(sizeOf(row));
  const rest = odd.filter((row) => !isTotal(row));
  const isBalanceOf = (row: number) =>
    rest.some(
      (other) =>
        other !== row && [1, -1].some((by) => (changes[row] ?? 0) - (changes[other] ?? 0) === by * net),
    );
  const saysBalance = (row: number) => isRowOfBalance(texts[row]?.payee ?? texts[row]?.purpose ?? '');
  return odd.filter((row) => isTotal(row) || isBalanceOf(row) || saysBalance(row));
}

/** A row lacks a cell that most others have. Another word in it says nothing: a payee may come once. */
function oddRows(
  group: readonly number[],
  rows: readonly Line[],
  columns: readonly Column[],
): (row: number) => boolean {
  if (group.length < 2) return () => false;
  const checked = columns.filter(({ kind, at }) => {
    const filled = group.filter((row) => rows[row]?.[at] !== '').length;
    return kind === 'text' && filled * 5 >= group.length * 2 && filled < group.length;
  });
  return (row) => row >= 0 && checked.some(({ at }) => rows[row]?.[at] === '');
}
