import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clockAhead, describeClock } from '../../src/base/clock-difference.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('an answer without a date, or with an invalid one, says nothing about the clock', () => {
  for (const date of [undefined, '', 'yesterday', ['a', 'b']])
    expect(clockAhead(date, { sentAt: 0, receivedAt: 0 })).toBeUndefined();
});

test('the difference is never larger than the true one, and misses at most the round trip and a second', () => {
  const milliseconds = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(
      fc.integer({ min: -100 * 24 * HOUR, max: 100 * 24 * HOUR }),
      milliseconds(40_000),
      milliseconds(40_000),
      milliseconds(4_000_000_000_000),
      (ahead, onTheWay, onTheWayBack, now) => {
        const date = new Date(now).toUTCString();
        const trip = { sentAt: now - onTheWay + ahead, receivedAt: now + onTheWayBack + ahead };
        const found = clockAhead(date, trip) ?? Number.NaN;
        // A whole second of `Date` counts as a part of the way back.
        expect(found).toBeGreaterThanOrEqual(Math.min(ahead, 0));
        expect(found).toBeLessThanOrEqual(Math.max(ahead, 0) + (ahead < 0 ? 999 : 0));
        expect(Math.abs(found - ahead)).toBeLessThanOrEqual(Math.max(onTheWay, onTheWayBack) + 1_000);
      },
    ),
  );
});

test.each([
  [2 * MINUTE, undefined],
  [-2 * MINUTE, undefined],
  [3 * MINUTE, '3 min ahead of'],
  [-100 * MINUTE, '100 min behind'],
  [24 * HOUR, '24 h ahead of'],
  [-24 * HOUR + 1_000, '24 h behind'],
  [366 * 24 * HOUR, '366 days ahead of'],
])('a difference of %i ms is described as %s', (ahead, words) => {
  expect(describeClock(ahead)).toBe(words && `The clock of this machine is ${words} that of the service.`);
});
