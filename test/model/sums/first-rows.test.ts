import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amountOf, firstRows } from '../../../src/model/sums/first-rows.ts';

const row = fc.record({ name: fc.option(fc.string({ maxLength: 500 })), amount: fc.integer() });

it('number and sum are those of all rows, and the rows are the first ones', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (all, max) => {
      const { total, sum, rows } = firstRows(all, max, amountOf);
      expect({ total, sum }).toEqual({
        total: all.length,
        sum: all.reduce((total, { amount }) => total + amount, 0),
      });
      expect(rows).toEqual(all.slice(0, rows.length));
      expect(rows.length).toBeLessThanOrEqual(max);
      expect(rows.length).toBeGreaterThanOrEqual(Math.min(1, all.length));
    }),
  );
});

it('rows with long names are fewer', () => {
  const long = Array.from({ length: 20 }, () => ({ name: 'x'.repeat(500), amount: 1 }));
  expect(firstRows(long, 20, amountOf).rows).toHaveLength(4);
});

it('a sum that would not be exact is refused', () => {
  const large = { name: 'a', amount: Number.MAX_SAFE_INTEGER };
  expect(() => firstRows([large, large], 2, amountOf)).toThrow(RangeError);
});
