import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedAge } from '../../../src/session/freshness/freshness-policy.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const now = Date.parse('2026-11-21T12:00:00Z');

const age = (leftForReads: number, returnsIn: readonly number[]) =>
  allowedAge({ now, leftForReads, returnsAt: returnsIn.map((time) => now + time) });

const evenReturns = (count: number) => Array.from({ length: count }, (_, i) => (HOUR * (i + 1)) / count);

const returns = (maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: HOUR }), { maxLength }).map((times) => times.toSorted((a, b) => a - b));
const left = fc.integer({ min: 0, max: 180 });

describe('the allowed age of an answer', () => {
  it('the allowed age is 5 s when few requests were spent', () => {
    expect(age(180, [])).toBe(5 * SECOND);
    expect(age(150, evenReturns(30))).toBe(5 * SECOND);
  });

  it('the allowed age is 5 s when few requests are left but the spent ones return evenly', () => {
    expect(age(36, evenReturns(144))).toBe(5 * SECOND);
  });

  it('when requests were spent far ahead, the allowed age is the pace of those beyond a tenth', () => {
    const lastHalfHour = Array.from({ length: 130 }, (_, i) => HOUR / 2 + i * SECOND);
    expect(age(50, lastHalfHour)).toBeCloseTo(HOUR / 2 / (50 - 18), 6);
  });

  it('the allowed age is at most twice the pace of all requests that are left', () => {
    const inTenMinutes = Array.from({ length: 170 }, (_, i) => HOUR / 6 + i);
    expect(age(10, inTenMinutes)).toBeCloseTo((2 * (HOUR / 6)) / 10, 6);
  });

  it('the allowed age grows from 5 s at 1.25 times the best pace to the pace itself at 1.5 times', () => {
    // Of 180 requests 118 are left, 100 of them beyond a tenth. The others return at the same time.
    const ageWhenAllReturn = (after: number) => age(118, Array<number>(62).fill(after * SECOND));
    expect(ageWhenAllReturn(2_500)).toBeCloseTo(5 * SECOND, 6);
    expect(ageWhenAllReturn(2_750)).toBeCloseTo(((5 + 27.5) / 2) * SECOND, 6);
    expect(ageWhenAllReturn(3_000)).toBeCloseTo(30 * SECOND, 6);
    expect(ageWhenAllReturn(3_200)).toBeCloseTo(32 * SECOND, 6);
  });

  it('the allowed age is infinite when no requests are left', () => {
    expect(age(0, evenReturns(180))).toBe(Number.POSITIVE_INFINITY);
    expect(age(0, [])).toBe(Number.POSITIVE_INFINITY);
  });

  it('the allowed age depends on the limit: 30 evenly spent reads an hour give the same as 180', () => {
    expect(age(6, evenReturns(24))).toBe(age(36, evenReturns(144)));
  });

  it('the allowed age does not decrease when fewer requests are left', () => {
    fc.assert(
      fc.property(left, returns(60), (left, returns) => {
        expect(age(left, returns)).toBeGreaterThanOrEqual(age(left + 1, returns));
      }),
    );
  });

  it('the allowed age does not decrease when a request returns later', () => {
    fc.assert(
      fc.property(left, returns(60), fc.nat(), fc.nat({ max: HOUR }), (left, returns, pick, delay) => {
        const later = returns
          .map((time, i) => (i === pick % returns.length ? Math.min(time + delay, HOUR) : time))
          .toSorted((a, b) => a - b);
        expect(age(left, later)).toBeGreaterThanOrEqual(age(left, returns));
      }),
    );
  });

  it('the allowed age is between 5 s and two hours while requests are left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 180 }), returns(60), (left, returns) => {
        expect(age(left, returns)).toBeGreaterThanOrEqual(5 * SECOND);
        expect(age(left, returns)).toBeLessThanOrEqual(2 * HOUR);
      }),
    );
  });

  it('a reader that follows the allowed age never runs out of requests, whatever was spent before', () => {
    const states = fc.tuple(fc.integer({ min: 1, max: 60 }), returns(60));
    fc.assert(
      fc.property(
        states.filter(([left, returns]) => left + returns.length >= 20),
        ([left, returns]) => {
          let asOf = 0;
          let pending = returns;
          for (let time = 0; time < 2 * HOUR; time += 5 * SECOND) {
            left += pending.filter((at) => at <= time).length;
            pending = pending.filter((at) => at > time);
            const allowed = allowedAge({ now: time, leftForReads: left, returnsAt: pending });
            if (time - asOf <= allowed) continue;
            left -= 1;
            asOf = time;
            pending = [...pending, time + HOUR];
            expect(left).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: fuzzRuns(50) },
    );
  });
});
