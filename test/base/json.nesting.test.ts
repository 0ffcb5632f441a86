import { expect, it } from 'vitest';
import { isTooDeep } from '../../src/base/json.ts';

const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

it('a message may have at most 64 levels', () => {
  expect(isTooDeep(nested(64))).toBe(false);
  expect(isTooDeep(nested(65))).toBe(true);
});

it('a message is too deep if one of its parts is', () => {
  expect(isTooDeep({ first: 1, second: [nested(62)], third: null })).toBe(false);
  expect(isTooDeep({ first: 1, second: [nested(63)], third: null })).toBe(true);
});
