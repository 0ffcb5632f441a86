import { expect, it } from 'vitest';
import { isTooDeep } from '../../src/transports/nesting.ts';

const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

it('A message may have 64 levels, and no more', () => {
  expect(isTooDeep(nested(64))).toBe(false);
  expect(isTooDeep(nested(65))).toBe(true);
});

it('A message is too deep by any one of its parts', () => {
  expect(isTooDeep({ first: 1, second: [nested(62)], third: null })).toBe(false);
  expect(isTooDeep({ first: 1, second: [nested(63)], third: null })).toBe(true);
});
