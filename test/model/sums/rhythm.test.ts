import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDate, rhythmOf, rhythms } from '../../../src/model/sums/rhythm.ts';

/** Days of a rhythm, each moved by up to `jitter` days. */
const daysOf = (period: number, jitter: readonly number[]) =>
  jitter.map((moved, at) => Math.round(20_000 + at * period) + moved);

const withoutJitter = (period: number, count: number) => daysOf(period, Array(count).fill(0));

describe('the rhythm of days', () => {
  it.each(rhythms)('enough days that are about a period apart are recognised: $name', (rhythm) => {
    const most = Math.floor((rhythm.tolerance - 1) / 2);
    // Longer than needed, because a few jittered days look like a neighbouring rhythm.
    const jitter = fc.array(fc.integer({ min: -most, max: most }), {
      minLength: rhythm.enough + 12,
      maxLength: 30,
    });
    fc.assert(
      fc.property(jitter, (moved) => {
        expect(rhythmOf(daysOf(rhythm.days, moved))).toBe(rhythm);
      }),
    );
    expect(rhythmOf(withoutJitter(rhythm.days, rhythm.enough))).toBe(rhythm);
    expect(rhythmOf(withoutJitter(rhythm.days, rhythm.enough - 1))).toBeUndefined();
  });

  it('days of the month are monthly, and days 28 days apart are not', () => {
    const monthly = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'].map(
      (date) => Date.parse(date) / 86_400_000,
    );
    expect(rhythmOf(monthly)?.name).toBe('monthly');
    expect(rhythmOf(withoutJitter(28, 6))?.name).toBe('every four weeks');
  });

  it('one of six may be left out, and not more', () => {
    const monthly = withoutJitter(30.44, 12);
    expect(rhythmOf(monthly.filter((_, at) => at !== 5))?.name).toBe('monthly');
    expect(rhythmOf(monthly.filter((_, at) => ![3, 6, 9].includes(at)))).toBeUndefined();
  });

  it('a single irregular gap ends the rhythm', () => {
    const monthly = withoutJitter(30.44, 12);
    expect(rhythmOf([...monthly, (monthly.at(-1) ?? 0) + 3])).toBeUndefined();
  });
});

describe('the next date', () => {
  const named = (name: string) => rhythms.find((each) => each.name === name) ?? expect.unreachable();

  it('a monthly charge is expected on its usual day, and on the last day of a shorter month', () => {
    expect(nextDate(named('monthly'), ['2026-09-14', '2026-10-14', '2026-11-16'])).toBe('2026-12-14');
    expect(nextDate(named('monthly'), ['2026-10-31', '2026-11-30', '2026-12-31'])).toBe('2027-01-31');
    expect(nextDate(named('monthly'), ['2026-10-31', '2026-12-01', '2026-12-31', '2027-01-31'])).toBe(
      '2027-02-28',
    );
  });

  it('a charge that came a day late, in the next month, does not skip a month', () => {
    expect(nextDate(named('monthly'), ['2026-08-31', '2026-10-31', '2026-12-01'])).toBe('2026-12-31');
  });

  it('a weekly charge is expected after a week, and a yearly one after a year', () => {
    expect(nextDate(named('weekly'), ['2026-11-21'])).toBe('2026-11-28');
    expect(nextDate(named('yearly'), ['2025-03-12', '2026-03-12'])).toBe('2027-03-12');
  });
});
