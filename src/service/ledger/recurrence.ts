/**
 * The next due date of a scheduled transaction, for each of the 13 frequencies. Pure functions. Month based
 * frequencies keep the day of the first date: the 31st becomes the last day of a shorter month, and the 31st again
 * in a longer one.
 */
import type { ScheduledTransactionFrequency } from '../resources.ts';
import { addDays, addMonths, dayOf, monthsBetween, onDay } from './calendar.ts';

const EVERY_DAYS = { daily: 1, weekly: 7, everyOtherWeek: 14, every4Weeks: 28 } as const;

const EVERY_MONTHS = {
  monthly: 1,
  everyOtherMonth: 2,
  every3Months: 3,
  every4Months: 4,
  twiceAYear: 6,
  yearly: 12,
  everyOtherYear: 24,
} as const;

/**
 * The due date after `current`, which must be a date of the series that begins on `first`. Undefined when there is
 * none.
 */
export function dateAfter(
  frequency: ScheduledTransactionFrequency,
  first: string,
  current: string,
): string | undefined {
  switch (frequency) {
    case 'never':
      return undefined;
    case 'daily':
    case 'weekly':
    case 'everyOtherWeek':
    case 'every4Weeks':
      return addDays(current, EVERY_DAYS[frequency]);
    case 'twiceAMonth':
      return halfMonthAfter(first, current);
    default: {
      const step = EVERY_MONTHS[frequency];
      const steps = Math.floor(monthsBetween(first, current) / step) + 1;
      return onDay(addMonths(first, steps * step), dayOf(first));
    }
  }
}

/** The two days are the day of the first date and the day 15 days from it (such as the 5th and the 20th). */
function halfMonthAfter(first: string, current: string): string {
  const day = dayOf(first);
  const days = day <= 15 ? [day, day + 15] : [day - 15, day];
  const dates = [current, addMonths(current, 1)].flatMap((month) => days.map((each) => onDay(month, each)));
  return dates.find((date) => date > current) ?? addDays(current, 15);
}
