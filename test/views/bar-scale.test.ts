import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BREAK, barScale } from '../../src/views/bar-scale.ts';

it('one very large amount goes beyond the scale, which the second largest then fills as far as the break', () => {
  const { partOf, isBeyond } = barScale([1_265_000, 410_000, 205_000, 0]);
  expect([1_265_000, 410_000, 205_000, 0].map(partOf)).toEqual([1, BREAK, BREAK / 2, 0]);
  expect([1_265_000, 410_000].map(isBeyond)).toEqual([true, false]);
});

it('amounts that are not far from one another have one scale', () => {
  const { partOf, isBeyond } = barScale([400_000, 200_000, 100_000]);
  expect([400_000, 200_000, 100_000].map(partOf)).toEqual([1, 0.5, 0.25]);
  expect(isBeyond(400_000)).toBe(false);
});

it('a single amount, and amounts beside nothing, are to scale', () => {
  expect(barScale([500_000]).partOf(500_000)).toBe(1);
  expect(barScale([500_000, 0, -20_000]).isBeyond(500_000)).toBe(false);
  expect(barScale([0, 0]).partOf(0)).toBe(0);
});

it('a larger amount never has a shorter bar, no bar is longer than the whole, and at most one is not to scale', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { minLength: 1 }), (amounts) => {
      const { partOf, isBeyond } = barScale(amounts);
      const parts = amounts.toSorted((a, b) => a - b).map(partOf);
      expect(parts).toEqual(parts.toSorted((a, b) => a - b));
      expect(parts.every((part) => part >= 0 && part <= 1)).toBe(true);
      expect(amounts.filter(isBeyond).length).toBeLessThanOrEqual(1);
    }),
  );
});
