import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSubsets, MAX_NUMBERS } from '../../../src/features/reconcile/cleared-balance.ts';

/** Every set of indexes that adds up to the total, by trying all of them. */
function allSubsets(numbers: readonly number[], total: number): number[][] {
  return Array.from({ length: 2 ** numbers.length }, (_, bits) =>
    numbers.flatMap((_, index) => ((bits >> index) & 1 ? [index] : [])),
  ).filter((set) => set.reduce((sum, index) => sum + (numbers[index] ?? 0), 0) === total);
}

const few = fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 9 });

it('findSubsets finds what trying every set finds, up to the maximum', () => {
  fc.assert(
    fc.property(
      few,
      fc.integer({ min: -20, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (numbers, total, max) => {
        const all = allSubsets(numbers, total);
        const found = findSubsets(numbers, total, max);
        expect(found).toHaveLength(Math.min(max, all.length));
        expect(new Set(found.map(String)).size).toBe(found.length);
        for (const set of found) expect(all).toContainEqual(set);
      },
    ),
  );
});

it('findSubsets finds the only set among the largest number of candidates', () => {
  const powers = Array.from({ length: MAX_NUMBERS }, (_, index) => 2 ** index);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** MAX_NUMBERS - 1 }), (total) => {
      const bits = powers.flatMap((power, index) => ((total & power) === 0 ? [] : [index]));
      expect(findSubsets(powers, total)).toEqual([bits]);
    }),
    { numRuns: 20 },
  );
});

it('findSubsets adds large amounts exactly', () => {
  const large = Number.MAX_SAFE_INTEGER;
  expect(findSubsets([large, large, 1], large)).toEqual([[0], [1]]);
  // In floating point, large + 1 + 1 would equal large + 1.
  expect(findSubsets([large, 1, 1, -large], 1)).toHaveLength(2);
  expect(findSubsets([large, 2, -1, -large, -1], 2)).toEqual([[1], [0, 1, 3]]);
});

it('findSubsets refuses more numbers than it can search', () => {
  expect(() => findSubsets(Array(MAX_NUMBERS + 1).fill(1), 1)).toThrow(RangeError);
});
