/** The days that a report is about, and the months or years that are its columns. Days are written `YYYY-MM-DD`. Pure. */
import { dateOf } from '../platform/clock.ts';

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

const DAY_MS = 86_400_000;
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
  const begin = since ?? firstOfMonth(addMonths(monthOf(until), monthly ? 1 - DEFAULT_MONTHS : 0));
  const firstMonth = firstOfMonth(monthOf(first));
  return { since: begin < firstMonth ? firstMonth : begin, until };
}

/** The months of a range or, of a long one, its years. The first and the last may be incomplete. */
export function periodsOf({ since, until }: Range): Period[] {
  const months = monthsBetween(monthOf(since), monthOf(until));
  const isLong = months.length > MAX_MONTHS;
  const names = isLong ? [...new Set(months.map((month) => month.slice(0, 4)))] : months;
  const firstDays = names.map((name, index) =>
    index === 0 ? since : isLong ? `${name}-01-01` : `${name}-01`,
  );
  return names.map((name, index) => {
    const next = firstDays[index + 1];
    return {
      name,
      since: firstDays[index] ?? since,
      until: next === undefined ? until : dayBefore(next),
    };
  });
}

export const dayBefore = (day: string): string => dateOf(Date.parse(day) - DAY_MS);
export const dayAfter = (day: string): string => dateOf(Date.parse(day) + DAY_MS);

const monthOf = (day: string) => day.slice(0, 7);
const firstOfMonth = (month: string) => `${month}-01`;

const addMonths = (month: string, count: number) =>
  monthOf(dateOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + count)));

function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month);
  return months;
}
