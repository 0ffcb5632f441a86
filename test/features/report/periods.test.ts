import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, lastOfMonth } from '../../../src/base/calendar.ts';
import { comparedRange, periodsOf, rangeOf } from '../../../src/features/report/periods.ts';

const [first, last] = ['2024-11-09', '2026-11-22'];
const range = (wanted: { since?: string; until?: string; monthly?: boolean }) =>
  rangeOf({ monthly: false, ...wanted }, first, last);

describe('the range of a report', () => {
  it('by default it is this month until today, and with months the last twelve', () => {
    expect(range({})).toEqual({ since: '2026-11-01', until: last });
    expect(range({ monthly: true })).toEqual({ since: '2025-12-01', until: last });
  });

  it('with an end only, it is the month of that day, and with months the twelve until then', () => {
    expect(range({ until: '2026-03-31' })).toEqual({ since: '2026-03-01', until: '2026-03-31' });
    expect(range({ until: '2026-03-15', monthly: true })).toEqual({
      since: '2025-04-01',
      until: '2026-03-15',
    });
  });

  it('with a beginning only, it ends today', () => {
    expect(range({ since: '2026-10-05' })).toEqual({ since: '2026-10-05', until: last });
  });

  it('it leaves out the days after today', () => {
    expect(range({ since: '2026-01-01', until: '2026-12-31' })).toEqual({ since: '2026-01-01', until: last });
  });

  it('it may be the day of a user whose day has begun before that of the service', () => {
    const tomorrow = '2026-11-23';
    expect(range({ since: tomorrow, until: tomorrow })).toEqual({ since: tomorrow, until: tomorrow });
    expect(range({ since: tomorrow })).toEqual({ since: tomorrow, until: tomorrow });
  });

  it('it leaves out the months before the first transaction', () => {
    expect(range({ since: '2020-01-01' })).toEqual({ since: '2024-11-01', until: last });
    expect(range({ until: '2025-01-31', monthly: true })).toEqual({
      since: '2024-11-01',
      until: '2025-01-31',
    });
  });

  it('it is empty if all of it is before the first transaction', () => {
    const { since, until } = range({ until: '2024-10-31' });
    expect(since > until).toBe(true);
  });
});

describe('the periods of a range', () => {
  it('they are months, of which the first and the last may be incomplete', () => {
    expect(periodsOf({ since: '2025-12-15', until: '2026-02-03' })).toEqual([
      { name: '2025-12', since: '2025-12-15', until: '2025-12-31' },
      { name: '2026-01', since: '2026-01-01', until: '2026-01-31' },
      { name: '2026-02', since: '2026-02-01', until: '2026-02-03' },
    ]);
  });

  it('24 months are months, and 25 are years', () => {
    expect(periodsOf({ since: '2024-12-01', until: last })).toHaveLength(24);
    expect(periodsOf({ since: '2024-11-30', until: last })).toEqual([
      { name: '2024', since: '2024-11-30', until: '2024-12-31' },
      { name: '2025', since: '2025-01-01', until: '2025-12-31' },
      { name: '2026', since: '2026-01-01', until: last },
    ]);
  });

  it('they cover every day of any range once', () => {
    const day = fc
      .date({ min: new Date('2015-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(day, day, (one, other) => {
        const [since, until] = one < other ? [one, other] : [other, one];
        const periods = periodsOf({ since, until });
        expect(periods[0]?.since).toBe(since);
        expect(periods.at(-1)?.until).toBe(until);
        for (const [index, period] of periods.entries()) {
          expect(period.since <= period.until).toBe(true);
          expect(period.since.startsWith(period.name)).toBe(true);
          expect(period.until.startsWith(period.name)).toBe(true);
          const next = periods[index + 1];
          if (next) expect(next.since).toBe(addDays(period.until, 1));
        }
      }),
    );
  });

  it('days before and after a day follow the calendar', () => {
    expect([addDays('2024-03-01', -1), addDays('2025-12-31', 1)]).toEqual(['2024-02-29', '2026-01-01']);
    expect(lastOfMonth('2024-02')).toBe('2024-02-29');
  });
});

describe('the range that another one is compared with', () => {
  const compared = (versus: 'previous' | 'last_year', since: string, until: string) => {
    const range = comparedRange({ since, until }, versus);
    return `${range.since} ${range.until}`;
  };

  it('a month, a quarter or a year is compared with the whole one before', () => {
    expect(compared('previous', '2026-03-01', '2026-03-31')).toBe('2026-02-01 2026-02-28');
    expect(compared('previous', '2024-02-01', '2024-02-29')).toBe('2024-01-01 2024-01-31');
    expect(compared('previous', '2026-04-01', '2026-06-30')).toBe('2026-01-01 2026-03-31');
    expect(compared('previous', '2025-01-01', '2025-12-31')).toBe('2024-01-01 2024-12-31');
  });

  it('a month that is going on is compared with as many days of the month before', () => {
    expect(compared('previous', '2026-11-01', '2026-11-23')).toBe('2026-10-01 2026-10-23');
    expect(compared('previous', '2026-03-01', '2026-03-29')).toBe('2026-02-01 2026-02-28');
  });

  it('any other range is compared with as many days before it', () => {
    expect(compared('previous', '2026-11-09', '2026-11-15')).toBe('2026-11-02 2026-11-08');
    expect(compared('previous', '2026-11-20', '2026-11-20')).toBe('2026-11-19 2026-11-19');
  });

  it('with the year before, it has the same days, and whole months stay whole', () => {
    expect(compared('last_year', '2026-11-01', '2026-11-23')).toBe('2025-11-01 2025-11-23');
    expect(compared('last_year', '2025-02-01', '2025-02-28')).toBe('2024-02-01 2024-02-29');
    expect(compared('last_year', '2024-02-20', '2024-02-29')).toBe('2023-02-20 2023-02-28');
  });
});
