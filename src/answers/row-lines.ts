/** The first rows of a list as lines, with the number and the sum of the rest. */
import { quoteStart } from '../base/quote.ts';
import { sumOf } from '../model/sums/sum.ts';
import { joinParts, present, type TextContext, word } from './text.ts';

/** More of them would fill the answer, and a next step needs none of them. */
export const MAX_SHOWN = 20;
export const MAX_NAME = 60;

interface Row {
  readonly date: string;
  readonly amount: number;
  readonly text?: string | null | undefined;
}

export const rowLines = (rows: readonly Row[], context: TextContext, max = MAX_SHOWN) =>
  firstLines(rows, context, max, ({ date, amount, text: purpose }) =>
    joinParts(
      word(date),
      context.money(amount),
      typeof purpose === 'string' && quoteStart(purpose, MAX_NAME),
    ),
  );

export function firstLines<Row extends { readonly amount: number }>(
  rows: readonly Row[],
  { money }: TextContext,
  max: number,
  lineOf: (row: Row) => string,
): string[] {
  const rest = rows.slice(max);
  return present([
    ...rows.slice(0, max).map((each) => `  ${lineOf(each)}`),
    rest.length > 0 && `  … and ${rest.length} more, sum ${money(sumOf(rest, ({ amount }) => amount))}`,
  ]);
}
