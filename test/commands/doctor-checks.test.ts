import { expect, test } from 'vitest';
import { checkClock } from '../../src/commands/doctor-checks.ts';

test('an answer without a date says nothing about the clock', () => {
  expect(checkClock('', 0)).toEqual([]);
});
