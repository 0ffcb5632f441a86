import { expect, test } from 'vitest';
import { estimateBytes } from '../../src/replica/memory-estimate.ts';

test('a string with characters beyond Latin-1 is estimated at two bytes per character', () => {
  const bytesOf = (name: string) => estimateBytes({ name });
  const latin = bytesOf('é'.repeat(40));
  expect(bytesOf('ж'.repeat(40))).toBe(latin + 40);
  expect(bytesOf('「猫」と犬'.repeat(8))).toBe(latin + 40);
  expect(bytesOf('a'.repeat(40))).toBe(latin);
});
