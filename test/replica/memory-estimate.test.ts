import { expect, test } from 'vitest';
import { estimateBytes } from '../../src/replica/memory-estimate.ts';

test('a text in a script beyond Latin weighs two bytes a character, as the engine keeps it', () => {
  const weightOf = (name: string) => estimateBytes({ name });
  const latin = weightOf('é'.repeat(40));
  expect(weightOf('ж'.repeat(40))).toBe(latin + 40);
  expect(weightOf('「猫」と犬'.repeat(8))).toBe(latin + 40);
  expect(weightOf('a'.repeat(40))).toBe(latin);
});
