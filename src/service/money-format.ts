/** Writes an amount in the format of a currency (docs/interface.md, Amounts). */
import type { CurrencyFormat } from './resources.ts';

/** Rounds to the decimal digits of the currency, halves away from zero. The minus sign comes first: `-$1,234.50`. */
export function formatAmount(milliunits: number, format: CurrencyFormat): string {
  const { decimal_digits: digits } = format;
  const exactDigits = Math.min(3, digits);
  const smallestUnits = Math.round(Math.abs(milliunits) / 10 ** (3 - exactDigits));
  const scale = 10 ** exactDigits;
  const whole = withGroups(String(Math.floor(smallestUnits / scale)), format.group_separator);
  const fraction = String(smallestUnits % scale)
    .padStart(exactDigits, '0')
    .padEnd(digits, '0');
  const number = digits === 0 ? whole : whole + format.decimal_separator + fraction;
  const sign = milliunits < 0 && smallestUnits > 0 ? '-' : '';
  return sign + withSymbol(number, format);
}

function withSymbol(
  number: string,
  { currency_symbol, display_symbol, symbol_first }: CurrencyFormat,
): string {
  if (!display_symbol) return number;
  return symbol_first ? currency_symbol + number : number + currency_symbol;
}

function withGroups(digits: string, separator: string): string {
  return digits.length > 3 ? digits.replace(/\B(?=(?:\d{3}){1,5}$)/g, separator) : digits;
}
