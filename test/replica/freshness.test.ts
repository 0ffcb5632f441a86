import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedAge } from '../../src/replica/freshness.ts';
import { fuzzRuns } from '../fuzz.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const now = Date.parse('2026-11-21T12:00:00Z');

const age = (leftForReads: number, returnsIn: readonly number[]) =>
  allowedAge({ now, leftForReads, returnsAt: returnsIn.map((time) => now + time) });

const evenly = (count: number) => Array.from({ length: count }, (_, i) => (HOUR * (i + 1)) / count);

const returns = (most: number) =>
  fc
    .array(fc.integer({ min: 1, max: HOUR }), { maxLength: most })
    .map((times) => times.toSorted((a, b) => a - b));
const left = fc.integer({ min: 0, max: 180 });

describe('how old an answer may be', () => {
  it('is 5 s while the hour is young, so that a burst shares a sync and a new turn syncs', () => {
    expect(age(180, [])).toBe(5 * SECOND);
    expect(age(150, evenly(30))).toBe(5 * SECOND);
  });

  it('is 5 s with little left too, when what was spent comes back evenly', () => {
    expect(age(36, evenly(144))).toBe(5 * SECOND);
  });

  it('is the pace at which what is left beyond a tenth lasts, when that was spent far ahead', () => {
    const lastHalfHour = Array.from({ length: 130 }, (_, i) => HOUR / 2 + i * SECOND);
    expect(age(50, lastHalfHour)).toBeCloseTo(HOUR / 2 / (50 - 18), 6);
  });

  it('uses the tenth before it is more than twice as old as all that is left allows', () => {
    const inTenMinutes = Array.from({ length: 170 }, (_, i) => HOUR / 6 + i);
    expect(age(10, inTenMinutes)).toBeCloseTo((2 * (HOUR / 6)) / 10, 6);
  });

  it('grows from 5 s at 1.25 times the best pace to that pace itself at 1.5 times', () => {
    // Of 180, 118 are left, 100 of them beyond a tenth; the others come back together.
    const back = (after: number) => age(118, Array<number>(62).fill(after * SECOND));
    expect(back(2_500)).toBeCloseTo(5 * SECOND, 6);
    expect(back(2_750)).toBeCloseTo(((5 + 27.5) / 2) * SECOND, 6);
    expect(back(3_000)).toBeCloseTo(30 * SECOND, 6);
    expect(back(3_200)).toBeCloseTo(32 * SECOND, 6);
  });

  it('is without bound when nothing is left', () => {
    expect(age(0, evenly(180))).toBe(Number.POSITIVE_INFINITY);
    expect(age(0, [])).toBe(Number.POSITIVE_INFINITY);
  });

  it('follows the limit: with 30 reads an hour, evenly spent, one is as good as with 180', () => {
    expect(age(6, evenly(24))).toBe(age(36, evenly(144)));
  });

  it('is never less when less is left', () => {
    fc.assert(
      fc.property(left, returns(60), (left, returns) => {
        expect(age(left, returns)).toBeGreaterThanOrEqual(age(left + 1, returns));
      }),
    );
  });

  it('is never less when something comes back later', () => {
    fc.assert(
      fc.property(left, returns(60), fc.nat(), fc.nat({ max: HOUR }), (left, returns, pick, delay) => {
        const later = returns
          .map((time, i) => (i === pick % returns.length ? Math.min(time + delay, HOUR) : time))
          .toSorted((a, b) => a - b);
        expect(age(left, later)).toBeGreaterThanOrEqual(age(left, returns));
      }),
    );
  });

  it('is at least 5 s and, while something is left, less than two hours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 180 }), returns(60), (left, returns) => {
        expect(age(left, returns)).toBeGreaterThanOrEqual(5 * SECOND);
        expect(age(left, returns)).toBeLessThanOrEqual(2 * HOUR);
      }),
    );
  });

  it('keeps something left for as long as it is obeyed, however much is asked and whatever was spent before', () => {
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
