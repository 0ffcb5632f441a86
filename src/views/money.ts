/** Formats amounts and counts for a person, in the format of the budget. Pure. */
import type { MoneyFormat } from '../answers/view-data/view-content.ts';

export type Money = (milliunits: number) => string;
export type Count = (number: number) => string;

const plain: MoneyFormat = {
  decimal_digits: 2,
  decimal_separator: '.',
  symbol_first: false,
  group_separator: ',',
  currency_symbol: '',
  display_symbol: false,
};

/** Nothing is rounded: digits beyond those of the currency are shown if they are not zero. */
export function moneyFormatter(format: MoneyFormat | null): Money {
  const {
    decimal_digits,
    decimal_separator,
    group_separator,
    symbol_first,
    currency_symbol,
    display_symbol,
  } = format ?? plain;
  const symbol = display_symbol ? currency_symbol : '';
  // Letters need a space to be read as a symbol of their own.
  const space = symbol.length > 1 || !symbol_first ? '\u00a0' : '';
  return (milliunits) => {
    const digits = String(Math.abs(milliunits)).padStart(4, '0');
    const whole = grouped(digits.slice(0, -3), group_separator);
    const decimals = digits
      .slice(-3)
      .replace(/0{1,3}$/, '')
      .padEnd(Math.min(decimal_digits, 3), '0');
    const number = decimals === '' ? whole : whole + decimal_separator + decimals;
    const sign = milliunits < 0 ? '\u2212' : '';
    if (symbol === '') return sign + number;
    return symbol_first ? sign + symbol + space + number : sign + number + space + symbol;
  };
}

/** A change, which is written with its sign. */
export const signed = (money: Money, amount: number) => `${amount > 0 ? '+' : ''}${money(amount)}`;

/** A separator of another language would look like that of decimals. */
export const countFormatter =
  (format: MoneyFormat | null): Count =>
  (number) =>
    grouped(String(number), (format ?? plain).group_separator);

const grouped = (digits: string, separator: string) =>
  digits.replace(/\B(?=(?:\d{3}){1,5}$)/g, () => separator);
