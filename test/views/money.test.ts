import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MoneyFormat } from '../../src/answers/view-data/view-content.ts';
import { countFormatter, moneyFormatter } from '../../src/views/money.ts';

const euro: MoneyFormat = {
  decimal_digits: 2,
  decimal_separator: ',',
  group_separator: '.',
  symbol_first: false,
  currency_symbol: '€',
  display_symbol: true,
};

describe('amounts in views', () => {
  it.each<[string, Partial<MoneyFormat>, number, string]>([
    ['German', {}, -1_234_567_890, '−1.234.567,89 €'],
    [
      'English',
      { decimal_separator: '.', group_separator: ',', symbol_first: true, currency_symbol: '$' },
      1_234_560,
      '$1,234.56',
    ],
    [
      'Japanese, without decimals',
      { decimal_digits: 0, group_separator: ',', symbol_first: true, currency_symbol: '¥' },
      -1_234_000,
      '−¥1,234',
    ],
    [
      'Tunisian, with three decimals',
      { decimal_digits: 3, symbol_first: false, currency_symbol: 'د.ت' },
      1_234_567,
      '1.234,567 د.ت',
    ],
    ['without a symbol', { display_symbol: false }, 5_000, '5,00'],
    ['with thousandths that the currency does not have', { decimal_digits: 0 }, 1_005, '1,005 €'],
    ['less than one', {}, -40, '−0,04 €'],
  ])('a person reads amounts in the format of the budget: %s', (_, format, amount, text) => {
    const money = moneyFormatter({ ...euro, ...format });
    expect(money(amount).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('nothing is rounded, in any format', () => {
    const formats = fc.record({
      decimal_digits: fc.integer({ min: 0, max: 4 }),
      symbol_first: fc.boolean(),
      display_symbol: fc.boolean(),
      group_separator: fc.constantFrom('', '.', ',', ' ', '$&'),
    });
    fc.assert(
      fc.property(fc.maxSafeInteger(), formats, (amount, format) => {
        const text = moneyFormatter({ ...euro, ...format, decimal_separator: '|' })(amount);
        const [whole = '', decimals = ''] = text.replaceAll(/[^\d|]/g, '').split('|');
        const digits = Number(whole + decimals.padEnd(3, '0'));
        expect(text.startsWith('−') ? -digits : digits).toBe(amount === 0 ? 0 : amount);
      }),
    );
  });

  it('a budget without a currency format has plain amounts', () => {
    expect(moneyFormatter(null)(-1_234_500)).toBe('−1,234.50');
  });

  it.each([
    ['German', euro, '1.661', '999'],
    ['English', { ...euro, group_separator: ',' }, '1,661', '999'],
    ['none', null, '1,661', '999'],
  ])(
    'counts have the separator of the amounts, so that none looks like decimals: %s',
    (_, format, thousands, less) => {
      const count = countFormatter(format);
      expect([count(1_661), count(999), count(0)]).toEqual([thousands, less, '0']);
    },
  );
});
