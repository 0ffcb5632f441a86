/** The days that a report is about, and the months or years that are its columns. Days are written `YYYY-MM-DD`. Pure. */
import {
  addDays,
  addMonths,
  dayOfMonth,
  daysBetween,
  firstOfMonth,
  lastOfMonth,
  monthsBetween,
  onDay,
} from '../../base/calendar.ts';

/** From one day to another, both included. */
export interface Range {
  readonly since: string;
  readonly until: string;
}

/** A part of a range. Its name is a month such as `2026-11` or a year such as `2026`. */
export interface Period extends Range {
  readonly name: string;
}

export interface WantedRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly monthly: boolean;
}

const DEFAULT_MONTHS = 12;
/** A longer range is divided into years. */
const MAX_MONTHS = 24;

/**
 * The range that is meant: this month by default, or the last twelve with `monthly`. It leaves out the days after `last`
 * and the months before the day `first`, because nothing happened then. It is empty (`since` after `until`) if all of it is
 * before that month.
 */
export function rangeOf(wanted: WantedRange, first: string, last: string): Range {
  const { since, monthly } = wanted;
  const lastDay = since !== undefined && since > last ? since : last;
  const until = wanted.until === undefined || wanted.until > lastDay ? lastDay : wanted.until;
  const begin = since ?? addMonths(until, monthly ? 1 - DEFAULT_MONTHS : 0);
  const firstMonth = firstOfMonth(first);
  return { since: begin < firstMonth ? firstMonth : begin, until };
}

/**
 * The range that another one is compared with: the one directly before it, or that of the year before. A range that begins
 * with a month is moved by whole months, so that a month which is going on is compared with as many days of the one before.
 */
export function comparedRange({ since, until }: Range, versus: 'previous' | 'last_year'): Range {
  const isOfMonths = dayOfMonth(since) === 1;
  if (versus === 'previous' && !isOfMonths)
    return { since: addDays(since, -1 - daysBetween(since, until)), until: addDays(since, -1) };
  const months = versus === 'last_year' ? -12 : -1 - monthsBetween(since, until);
  const isWhole = isOfMonths && until === lastOfMonth(until);
  return {
    since: onDay(addMonths(since, months), dayOfMonth(since)),
    until: onDay(addMonths(until, months), isWhole ? 31 : dayOfMonth(until)),
  };
}

/** The months of a range or, of a long one, its years. The first and the last may be incomplete. */
export function periodsOf({ since, until }: Range): Period[] {
  const months: string[] = [];
  for (let day = firstOfMonth(since); day <= until; day = addMonths(day, 1)) months.push(day.slice(0, 7));
  const isLong = months.length > MAX_MONTHS;
  const names = isLong ? [...new Set(months.map((month) => month.slice(0, 4)))] : months;
  return names.map((name) => {
    const first = isLong ? `${name}-01-01` : `${name}-01`;
    const last = isLong ? `${name}-12-31` : lastOfMonth(name);
    return { name, since: first < since ? since : first, until: last > until ? until : last };
  });
}
