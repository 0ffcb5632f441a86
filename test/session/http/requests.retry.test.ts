import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetError, type ErrorCode, errorTable } from '../../../src/base/errors.ts';
import { delayBeforeRetry } from '../../../src/session/http/requests.ts';

const codes = Object.keys(errorTable) as ErrorCode[];
const passing: ErrorCode[] = ['connection_lost', 'internal_server_error', 'service_unavailable'];
const error = (code: ErrorCode) => new BudgetError(code, 'It failed.');
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('a failed read', () => {
  it.each(passing)('a failed read is repeated twice after %s, with increasing delays', (code) => {
    const delays = [1, 2, 3].map((attempt) => delayBeforeRetry(error(code), attempt));
    expect(delays).toEqual([250, 1000, undefined]);
  });

  it('a failed read is not repeated within the call after any other error, including a 429', () => {
    const others = codes.filter((code) => !passing.includes(code));
    expect(others).toEqual(expect.arrayContaining(['too_many_requests', 'rate_budget_spent', 'timed_out']));
    expect(others.filter((code) => delayBeforeRetry(error(code), 1) !== undefined)).toEqual([]);
  });

  it('a failed read is not repeated after a bug', () => {
    expect(delayBeforeRetry(new TypeError('A bug.'), 1)).toBeUndefined();
  });

  it('a failed read is repeated after half to one and a half of the delay, at random', () => {
    expect(delayBeforeRetry(error('connection_lost'), 1, 0)).toBe(125);
    fc.assert(
      fc.property(random, random, fc.constantFrom(1, 2), (a, b, attempt) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)].map(
          (random) => delayBeforeRetry(error('service_unavailable'), attempt, random) ?? 0,
        );
        const middle = attempt === 1 ? 250 : 1000;
        expect(earlier).toBeGreaterThanOrEqual(middle / 2);
        expect(later).toBeGreaterThanOrEqual(earlier ?? 0);
        expect(later).toBeLessThanOrEqual(middle * 1.5);
      }),
    );
  });
});
