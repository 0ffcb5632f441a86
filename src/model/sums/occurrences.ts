/**
 * The dates on which a scheduled transaction is due. The interface names the frequencies and no rule
 * (docs/interface.md, Scheduled transaction). The rule here is the usual one: a number of days apart, or the same day of
 * the month, which is the last day of a shorter month.
 */

import { addDays, dayOfMonth, daysBetween, lastOfMonth, monthsBetween, onDay } from '../../base/calendar.ts';
import type { ScheduledTransactionSummary } from '../replica/entities.ts';

export type Schedule = Pick<ScheduledTransactionSummary, 'date_first' | 'date_next' | 'frequency'>;

const daysApart = new Map([
  ['daily', 1],
  ['weekly', 7],
  ['everyOtherWeek', 14],
  ['every4Weeks', 28],
]);

const monthsApart = new Map([
  ['monthly', 1],
  ['everyOtherMonth', 2],
  ['every3Months', 3],
  ['every4Months', 4],
  ['twiceAYear', 6],
  ['yearly', 12],
  ['everyOtherYear', 24],
]);

const TWICE_A_MONTH = 'twiceAMonth';

/** Whether it is due more than once. */
export const isRepeating = ({ frequency }: Pick<Schedule, 'frequency'>): boolean => frequency !== 'never';

/** Whether its frequency says when it is due again. The service may add others, which sums leave out. */
export const isRhythmKnown = ({ frequency }: Pick<Schedule, 'frequency'>): boolean =>
  !isRepeating({ frequency }) ||
  frequency === TWICE_A_MONTH ||
  daysApart.has(frequency) ||
  monthsApart.has(frequency);

/**
 * The due dates in the month that begins on `month`, from the next one on. None if the frequency is not known: what is due
 * once would be taken for all that is.
 */
export function dueDatesIn(month: string, schedule: Schedule): string[] {
  if (!isRhythmKnown(schedule)) return [];
  const next = schedule.date_next;
  if (month.slice(0, 7) < next.slice(0, 7)) return [];
  const later = datesIn(month, schedule).filter((date) => date > next);
  return month.slice(0, 7) === next.slice(0, 7) ? [next, ...later] : later;
}

/** Every date of the series in the month. Those before the next date may be among them. */
function datesIn(month: string, { date_first, date_next, frequency }: Schedule): string[] {
  const days = daysApart.get(frequency);
  if (days !== undefined) {
    const steps = Math.max(0, Math.ceil(daysBetween(date_next, month) / days));
    const first = addDays(date_next, steps * days);
    const count = Math.floor(daysBetween(first, lastOfMonth(month)) / days) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, at) => addDays(first, at * days));
  }
  const day = dayOfMonth(date_first);
  // Two days that are 15 days apart, such as the 5th and the 20th.
  if (frequency === TWICE_A_MONTH)
    return (day <= 15 ? [day, day + 15] : [day - 15, day]).map((each) => onDay(month, each));
  const months = monthsApart.get(frequency);
  return months !== undefined && monthsBetween(date_first, month) % months === 0 ? [onDay(month, day)] : [];
}
