import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount } from '../../src/service/money-format.ts';
import type { CurrencyFormat } from '../../src/service/resources.ts';

const dollar: CurrencyFormat = {
  iso_code: 'USD',
  example_format: '123,456.78',
  decimal_digits: 2,
  decimal_separator: '.',
  symbol_first: true,
  group_separator: ',',
  currency_symbol: '$',
  display_symbol: true,
};
const euro = {
  ...dollar,
  decimal_separator: ',',
  group_separator: '.',
  symbol_first: false,
  currency_symbol: '€',
};
const yen = { ...dollar, decimal_digits: 0, currency_symbol: '¥' };
const dinar = { ...dollar, decimal_digits: 3, display_symbol: false };

describe('formatAmount', () => {
  test.each([
    [1_234_567_890, dollar, '$1,234,567.89'],
    [-1_234_500, dollar, '-$1,234.50'],
    [0, dollar, '$0.00'],
    [50, dollar, '$0.05'],
    [999_990, euro, '999,99€'],
    [-12_340, euro, '-12,34€'],
    [84_000_000, yen, '¥84,000'],
    [-1_234_567, dinar, '-1,234.567'],
    [10, { ...dollar, decimal_digits: 4 }, '$0.0100'],
  ])('an amount of %i milliunits has the format of its currency: %#', (milliunits, format, text) => {
    expect(formatAmount(milliunits, format)).toBe(text);
  });

  test.each([
    [5, '$0.01'],
    [-5, '-$0.01'],
    [4, '$0.00'],
    [-4, '$0.00'],
    [999_995, '$1,000.00'],
  ])('%i milliunits are rounded to the digits of the currency, halves away from zero', (milliunits, text) => {
    expect(formatAmount(milliunits, dollar)).toBe(text);
  });

  test('the formatted text of any amount reads back as the amount, within half of the smallest unit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 51), max: 2 ** 51 }),
        fc.constantFrom(dollar, euro, yen, dinar),
        (milliunits, format) => {
          const text = formatAmount(milliunits, format);
          const digits = Number(text.replace(/\D/g, ''));
          const smallestUnit = 10 ** (3 - format.decimal_digits);
          const read = digits * smallestUnit * (text.startsWith('-') ? -1 : 1);
          expect(Math.abs(read - milliunits)).toBeLessThanOrEqual(smallestUnit / 2);
        },
      ),
    );
  });
});
