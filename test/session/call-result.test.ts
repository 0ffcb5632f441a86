import { expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { formatStaleReason } from '../../src/session/call-result.ts';

const error = new BudgetError('timed_out', 'The service took too long.');
const writeAt = Date.parse('2026-11-21T12:00:00Z');
const BEHIND = 'The service answered from an older state than before.';
const LACKS = 'A write of 2026-11-21T12:00:00.000Z may be missing from it.';

test.each([
  [{}, undefined],
  [{ isLagging: false, error: undefined, writeAt: undefined }, undefined],
  [{ isLagging: true }, BEHIND],
  [{ writeAt }, LACKS],
  [{ isLagging: true, writeAt }, `${BEHIND} ${LACKS}`],
  [{ error }, error.message],
  // A failed request explains the age, so that the earlier response that was behind does not matter.
  [{ error, isLagging: true }, error.message],
  [{ error, writeAt }, `${error.message} ${LACKS}`],
])('an old answer names every reason for its age: %o', (reasons, expected) => {
  expect(formatStaleReason(reasons)).toBe(expected);
});
