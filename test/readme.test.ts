import { expect, test } from 'vitest';
import { readReadme, withTables } from './readme.ts';

test('the README lists tools and prompts as their tables have them (npm run generate)', () => {
  expect(readReadme()).toBe(withTables(readReadme()));
});
