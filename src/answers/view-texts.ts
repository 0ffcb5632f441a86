/** Names, formats and rows in the data of views, which has a limited size. */
import { visible } from '../base/quote.ts';
import type { MoneyFormat } from './view-data/view-content.ts';

const MAX_NAME = 200;

/** A name without invisible characters. No place in a view is large enough for more of a long one. */
export function shownName(name: string, max = MAX_NAME): string {
  const characters = [...visible(name.slice(0, 4 * Math.max(max, MAX_NAME)))];
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : characters.join('');
}

/** No symbol of a currency is longer. */
const MAX_SYMBOL = 20;

/** A format of amounts without invisible characters, which could change the order of the digits. */
export const shownFormat = (format: MoneyFormat | null): MoneyFormat | null =>
  format && {
    ...format,
    currency_symbol: shownName(format.currency_symbol, MAX_SYMBOL),
    group_separator: shownName(format.group_separator, MAX_SYMBOL),
    decimal_separator: shownName(format.decimal_separator, MAX_SYMBOL),
  };

/** The first rows whose JSON has at most `characters`. */
export function fittingRows<Row>(rows: readonly Row[], characters: number): readonly Row[] {
  let left = characters;
  const end = rows.findIndex((row) => {
    left -= JSON.stringify(row).length + 1;
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
