import { expect, test } from 'vitest';
import { readReadme, withTools } from './readme.ts';

test('the README lists the tools as the operations table has them (npm run generate)', () => {
  expect(readReadme()).toBe(withTools(readReadme()));
});
