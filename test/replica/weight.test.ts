import { expect, test } from 'vitest';
import { bytesOf } from '../../src/replica/weight.ts';

test('a text beyond Latin weighs two bytes a character, as the engine keeps it, if only one character is', () => {
  const weightOf = (name: string) => bytesOf({ name });
  const latin = weightOf('é'.repeat(40));
  expect(weightOf('ж'.repeat(40))).toBe(latin + 40);
  expect(weightOf(`${'a'.repeat(39)}猫`)).toBe(latin + 40);
  expect(weightOf('a'.repeat(40))).toBe(latin);
});
