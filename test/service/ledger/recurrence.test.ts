import { describe, expect, it } from 'vitest';
import { dateAfter } from '../../../src/service/ledger/recurrence.ts';
import type { ScheduledTransactionFrequency } from '../../../src/service/resources.ts';

/** The first dates of a series. */
function series(frequency: ScheduledTransactionFrequency, first: string, count: number): string[] {
  const dates = [first];
  for (let date: string | undefined = first; dates.length < count; ) {
    date = dateAfter(frequency, first, date);
    if (date === undefined) break;
    dates.push(date);
  }
  return dates;
}

describe('recurrence', () => {
  it.each([
    ['never', '2026-01-31', ['2026-01-31']],
    ['daily', '2026-02-27', ['2026-02-27', '2026-02-28', '2026-03-01']],
    ['weekly', '2026-02-20', ['2026-02-20', '2026-02-27', '2026-03-06']],
    ['everyOtherWeek', '2026-12-20', ['2026-12-20', '2027-01-03', '2027-01-17']],
    ['twiceAMonth', '2026-01-05', ['2026-01-05', '2026-01-20', '2026-02-05', '2026-02-20']],
    ['twiceAMonth', '2026-01-31', ['2026-01-31', '2026-02-16', '2026-02-28', '2026-03-16', '2026-03-31']],
    ['every4Weeks', '2026-02-01', ['2026-02-01', '2026-03-01', '2026-03-29']],
    ['monthly', '2026-01-31', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']],
    ['everyOtherMonth', '2026-11-15', ['2026-11-15', '2027-01-15', '2027-03-15']],
    ['every3Months', '2026-11-30', ['2026-11-30', '2027-02-28', '2027-05-30']],
    ['every4Months', '2026-10-10', ['2026-10-10', '2027-02-10', '2027-06-10']],
    ['twiceAYear', '2026-08-31', ['2026-08-31', '2027-02-28', '2027-08-31']],
    ['yearly', '2024-02-29', ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
    ['everyOtherYear', '2026-05-01', ['2026-05-01', '2028-05-01', '2030-05-01']],
  ] as const)(
    'the next dates follow from the frequency %s and the first date %s',
    (frequency, first, dates) => {
      expect(series(frequency, first, dates.length + (frequency === 'never' ? 1 : 0))).toEqual(dates);
    },
  );
});
