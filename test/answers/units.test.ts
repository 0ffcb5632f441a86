import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  excessPrecision,
  moneyFormatter,
  schemaFromUnits,
  schemaInUnits,
  valuesToUnits,
} from '../../src/answers/units.ts';
import type { CurrencyFormat } from '../../src/base/schema/budget.ts';
import { milliunits } from '../../src/base/schema/fields.ts';
import { operations } from '../../src/operations/index.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { objectOf } from './arbitrary-data.helper.ts';

const amountSchema = z.object({ amount: milliunits });
const unitsOf = (amount: number) => Number(valuesToUnits(amountSchema, { amount })['amount']);

const amountsBelow = (bound: number) => fc.maxSafeInteger().filter((amount) => Math.abs(amount) < bound);

/** The decimal form of an amount, without arithmetic. */
function decimalOf(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(4, '0');
  const text = `${digits.slice(0, -3)}.${digits.slice(-3)}`.replace(/\.?0+$/, '');
  return amount < 0 ? `-${text}` : text;
}

describe('amounts in currency units', () => {
  it('amounts below 2^52 milliunits are exact in JSON, without extra digits', () => {
    fc.assert(
      fc.property(amountsBelow(2 ** 52), (amount) => {
        expect(JSON.stringify(unitsOf(amount))).toBe(decimalOf(amount));
      }),
    );
  });

  it('rounding an amount below 2^42 units returns its milliunits', () => {
    fc.assert(
      fc.property(amountsBelow(2 ** 42 * 1000), (amount) => {
        expect(Math.round(unitsOf(amount) * 1000)).toBe(amount);
      }),
    );
  });

  it('an amount in currency units is a thousandth of the milliunits', () => {
    expect([unitsOf(-12_340), unitsOf(5), unitsOf(1_000_000), unitsOf(0)]).toEqual([-12.34, 0.005, 1000, 0]);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'the output of %s conforms to its advertised schema',
    (_, { output }) => {
      const advertised = z.strictObject(shapeOf(schemaInUnits(output)));
      fc.assert(
        fc.property(objectOf(output), (data) => {
          const sent = valuesToUnits(output, data);
          expect(advertised.parse(sent)).toEqual(sent);
        }),
        { numRuns: fuzzRuns(25) },
      );
    },
  );
});

describe('amounts of input', () => {
  const parseAmount = (units: unknown) => schemaFromUnits(milliunits).safeParse(units);
  const problemOf = (units: unknown) => parseAmount(units).error?.issues[0]?.message;

  it('an amount below 2^42 units is converted to exact milliunits', () => {
    fc.assert(
      fc.property(amountsBelow(2 ** 42 * 1000), (amount) => {
        expect(parseAmount(unitsOf(amount)).data).toBe(amount);
      }),
    );
  });

  it('the rounding error of a sum of decimals is removed', () => {
    const cents = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(cents, (amounts) => {
        // A model that adds up may round at any step. The result differs from the true sum in the last digit only.
        const exact = amounts.reduce((sum, amount) => sum + amount, 0);
        const units = exact / 100;
        for (const rounded of [units, units * (1 + Number.EPSILON), units * (1 - Number.EPSILON)])
          expect(parseAmount(rounded).data).toBe(exact * 10);
      }),
    );
    expect(parseAmount(0.1 + 0.2).data).toBe(300);
    expect(parseAmount(1.1 * 3).data).toBe(3_300);
  });

  it('the sign is kept, and negative zero becomes zero', () => {
    expect(parseAmount(-12.345).data).toBe(-12_345);
    expect(parseAmount(-0).data).toBe(0);
    expect(Object.is(parseAmount(-0).data, 0)).toBe(true);
    expect(Object.is(parseAmount(-0).data, -0)).toBe(false);
  });

  it.each([1.2345, -0.0001, 0.00049, 1_000_000.0001])(
    'an amount with a fourth decimal is refused: %d',
    (units) => {
      expect(problemOf(units)).toBe('must have at most three decimals');
    },
  );

  it.each([1e21, -1e21, 2 ** 42, Number.MAX_VALUE])('an amount that is too large is refused: %d', (units) => {
    expect(problemOf(units)).toBe('is too large for an amount');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '1', 'NaN', null, true])(
    'an amount that is not a number is refused: %j',
    (units) => expect(parseAmount(units).success).toBe(false),
  );

  it('amounts at any depth are converted, and other values are not', () => {
    const schema = schemaFromUnits(
      z.strictObject({
        rows: z.array(z.object({ amount: milliunits, count: z.int() })).max(1),
        maybe: milliunits.nullable().optional(),
        memo: z.string(),
      }),
    );
    const row = { amount: 1.5, count: 1500 };
    expect(schema.parse({ rows: [row], maybe: 1.5, memo: 'x' })).toEqual({
      rows: [{ amount: 1500, count: 1500 }],
      maybe: 1500,
      memo: 'x',
    });
    expect(schema.parse({ rows: [], maybe: null, memo: '' })).toEqual({ rows: [], maybe: null, memo: '' });
    expect(schema.safeParse({ rows: [row, row], memo: '' }).success).toBe(false);
    expect(schema.safeParse({ rows: [], memo: '', more: 1 }).success).toBe(false);
  });

  it('a rule that compares amounts is checked in milliunits', () => {
    const schema = schemaFromUnits(
      z
        .object({ amount: milliunits, legs: z.array(z.object({ amount: milliunits })) })
        .refine(({ amount, legs }) => legs.reduce((sum, leg) => sum + leg.amount, 0) === amount),
    );
    expect(schema.safeParse({ amount: 0.3, legs: [{ amount: 0.1 }, { amount: 0.2 }] }).success).toBe(true);
    expect(schema.safeParse({ amount: 0.3, legs: [{ amount: 0.1 }, { amount: 0.3 }] }).success).toBe(false);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'the input schema of %s advertises amounts as plain numbers',
    (_, { input }) => {
      const json = JSON.stringify(z.toJSONSchema(schemaFromUnits(input), { io: 'input' }));
      expect(json).not.toContain('"integer"');
    },
  );
});

describe('amounts with more decimals than the currency', () => {
  const schema = z.object({
    amount: milliunits,
    count: z.int(),
    rows: z.array(z.object({ amount: milliunits.nullable().optional() })).optional(),
  });

  it('excess decimals are reported by path', () => {
    const data = { amount: 1_005, count: 7, rows: [{ amount: 10 }, { amount: -1 }, { amount: null }, {}] };
    expect(excessPrecision(schema, data, 2)).toEqual(['amount', 'rows.1.amount']);
    expect(excessPrecision(schema, data, 3)).toEqual([]);
    expect(excessPrecision(schema, data, 0)).toEqual(['amount', 'rows.0.amount', 'rows.1.amount']);
  });

  it('an amount is reported exactly if the currency cannot represent it', () => {
    fc.assert(
      fc.property(amountsBelow(2 ** 53), fc.integer({ min: 0, max: 3 }), (amount, digits) => {
        const decimals = decimalOf(amount).split('.')[1] ?? '';
        expect(excessPrecision(schema, { amount, count: 1 }, digits)).toEqual(
          decimals.length > digits ? ['amount'] : [],
        );
      }),
    );
  });
});

function shapeOf(schema: z.ZodType): z.ZodRawShape {
  if (schema instanceof z.ZodObject) return schema.shape;
  throw new TypeError('An object keeps being one.');
}

const dollars: CurrencyFormat = {
  iso_code: 'USD',
  example_format: '123,456.78',
  decimal_digits: 2,
  decimal_separator: '.',
  group_separator: ',',
  symbol_first: true,
  currency_symbol: '$',
  display_symbol: true,
};
const euros = {
  ...dollars,
  decimal_separator: ',',
  group_separator: '.',
  symbol_first: false,
  currency_symbol: '€',
};
const yen = { ...dollars, decimal_digits: 0, currency_symbol: '¥' };
const dinars = { ...dollars, decimal_digits: 3, currency_symbol: 'د.ك', symbol_first: false };
const kronor = { ...euros, group_separator: ' ', display_symbol: false };

describe('amounts in text', () => {
  it.each([
    ['with the sign before the symbol', dollars, -1_234_560, '-$1,234.56'],
    ['with as many decimals as the currency has', dollars, 1_000, '$1.00'],
    ['with all decimals for zero', dollars, 0, '$0.00'],
    ['with a zero before the decimals of less than a unit', dollars, -5_0, '-$0.05'],
    ['with groups of three digits', dollars, 123_456_789_010, '$123,456,789.01'],
    ['without groups below one thousand', dollars, 999_990, '$999.99'],
    ['with the symbol last and a decimal comma', euros, -1_234_500, '-1.234,50€'],
    ['without a symbol if the budget shows none', kronor, 1_234_567_890, '1 234 567,89'],
    ['without decimals if the currency has none', yen, 1_234_000, '¥1,234'],
    ['with three decimals if the currency has three', dinars, 1_234_500, '1,234.500د.ك'],
    ['with a third decimal if a currency of two decimals needs it', dollars, 1_005, '$1.005'],
    ['with a decimal if a currency without decimals needs it', yen, 1_500, '¥1.5'],
    ['with two decimals and nothing else for a budget without a format', null, -1_234_560, '-1234.56'],
  ])('amounts are formatted %s', (_, format, amount, text) => {
    expect(moneyFormatter(format)(amount)).toBe(text);
  });

  it('a formatted amount has at most three decimals, whatever the format says', () => {
    expect(moneyFormatter({ ...dollars, decimal_digits: 2 ** 40 })(1_000)).toBe('$1.000');
  });

  it('a formatted negative zero is zero', () => {
    expect(moneyFormatter(dollars)(-0)).toBe('$0.00');
  });

  it('a formatted amount can be parsed back to its milliunits in any format', () => {
    const format = fc.constantFrom(dollars, euros, yen, dinars, kronor, { ...yen, group_separator: '' });
    fc.assert(
      fc.property(format, amountsBelow(2 ** 53), (currency, amount) => {
        const text = moneyFormatter(currency)(amount);
        const [whole = '', decimals = ''] = text
          .replace(currency.currency_symbol, '')
          .replaceAll(currency.group_separator, '')
          .split(currency.decimal_separator);
        expect(decimals.length).toBeGreaterThanOrEqual(currency.decimal_digits);
        expect(BigInt(whole + decimals.padEnd(3, '0'))).toBe(BigInt(amount));
        expect(text.includes(currency.currency_symbol)).toBe(currency.display_symbol);
      }),
    );
  });
});
