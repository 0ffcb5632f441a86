import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueDatesIn } from '../../../src/model/sums/occurrences.ts';
import { dateAfter } from '../../../src/service/ledger/recurrence.ts';

const frequencies = [
  'never',
  'daily',
  'weekly',
  'everyOtherWeek',
  'twiceAMonth',
  'every4Weeks',
  'monthly',
  'everyOtherMonth',
  'every3Months',
  'every4Months',
  'twiceAYear',
  'yearly',
  'everyOtherYear',
] as const;

const dueIn = (month: string, frequency: string, date_next: string, date_first = date_next) =>
  dueDatesIn(month, { date_first, date_next, frequency });

describe('the due dates of a scheduled transaction', () => {
  it('a daily one is due on every remaining day of the month', () => {
    expect(dueIn('2026-11-01', 'daily', '2026-11-28')).toEqual(['2026-11-28', '2026-11-29', '2026-11-30']);
    expect(dueIn('2027-02-01', 'daily', '2026-11-28')).toHaveLength(28);
  });

  it('a weekly one is due several times in a month', () => {
    expect(dueIn('2026-12-01', 'weekly', '2026-11-28')).toEqual([
      '2026-12-05',
      '2026-12-12',
      '2026-12-19',
      '2026-12-26',
    ]);
  });

  it('one of the 31st is due on the last day of a shorter month, and on the 31st of a longer one', () => {
    expect(dueIn('2027-02-01', 'monthly', '2026-12-31')).toEqual(['2027-02-28']);
    expect(dueIn('2027-03-01', 'monthly', '2026-11-30', '2026-10-31')).toEqual(['2027-03-31']);
  });

  it('a single one is due once, and nothing is due before the next date', () => {
    expect(dueIn('2026-12-01', 'never', '2026-12-11')).toEqual(['2026-12-11']);
    expect(dueIn('2027-01-01', 'never', '2026-12-11')).toEqual([]);
    expect(dueIn('2026-11-01', 'monthly', '2026-12-02')).toEqual([]);
  });

  it('with a frequency that is not known, no date is due', () => {
    expect(dueIn('2026-12-01', 'everyFullMoon', '2026-12-11')).toEqual([]);
  });

  it('the last month that a date can name is no exception', () => {
    expect(dueIn('9999-12-01', 'daily', '2026-11-28')).toHaveLength(31);
    expect(dueIn('9999-12-01', 'monthly', '2026-11-28')).toEqual(['9999-12-28']);
  });

  it('the dates are those on which the embedded service enters the transaction, for every frequency', () => {
    const day = fc
      .date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    const laterDates = fc.nat({ max: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...frequencies), day, laterDates, (frequency, first, entered) => {
        const dates = [first];
        for (let last: string | undefined = first; last && last < '2032'; ) {
          last = dateAfter(frequency, first, last);
          if (last) dates.push(last);
        }
        const remaining = dates.slice(Math.min(entered, dates.length - 1));
        const [next = first] = remaining;
        for (const month of ['2025-02', '2026-11', '2026-12', '2027-02', '2028-02', '2031-10'])
          expect(dueIn(`${month}-01`, frequency, next, first)).toEqual(
            remaining.filter((date) => date.startsWith(month)),
          );
      }),
    );
  });
});
