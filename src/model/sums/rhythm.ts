/**
 * Recognises how often something happens by the days on which it did. The gaps between the days have to be about one
 * period each. One in six may be about two periods, because a charge was left out.
 */
import { addDays, addMonths, dayOfMonth, daysBetween, onDay } from '../../base/calendar.ts';

export interface Rhythm {
  readonly name: string;
  /** The mean length of a period in days. */
  readonly days: number;
  /** The length in months, if the day of the month stays. */
  readonly months?: number;
  readonly per_year: number;
  /** By how many days a gap may differ from the period. It differs twice as much as a day from its date. */
  readonly tolerance: number;
  /** How many days show the rhythm, if the amounts are the same, and if they differ. */
  readonly enough: number;
  readonly enoughIfAmountsDiffer: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Rhythms with the same day in some months. */
const monthlyRhythms = [
  { name: 'monthly', months: 1, tolerance: 8, enough: 3, enoughIfAmountsDiffer: 5 },
  { name: 'every two months', months: 2, tolerance: 10, enough: 3, enoughIfAmountsDiffer: 5 },
  { name: 'quarterly', months: 3, tolerance: 14, enough: 3, enoughIfAmountsDiffer: 4 },
  { name: 'every six months', months: 6, tolerance: 20, enough: 3, enoughIfAmountsDiffer: 4 },
  { name: 'yearly', months: 12, tolerance: 15, enough: 2, enoughIfAmountsDiffer: 2 },
] as const;

/** Charges of different amounts every few days are shopping. Therefore short rhythms need equal amounts. */
export const rhythms = [
  { name: 'weekly', days: 7, per_year: 52, tolerance: 3, enough: 6, enoughIfAmountsDiffer: NEVER },
  { name: 'every two weeks', days: 14, per_year: 26, tolerance: 4, enough: 5, enoughIfAmountsDiffer: NEVER },
  { name: 'twice a month', days: 15.22, per_year: 24, tolerance: 4, enough: 6, enoughIfAmountsDiffer: NEVER },
  { name: 'every four weeks', days: 28, per_year: 13, tolerance: 6, enough: 4, enoughIfAmountsDiffer: 6 },
  ...monthlyRhythms.map((each) => ({
    ...each,
    days: (each.months * 365.25) / 12,
    per_year: 12 / each.months,
  })),
] satisfies readonly Rhythm[];

/** By what part the mean gap may differ from the period. */
const MAX_MEAN_DIFFERENCE = 0.08;

/** The rhythm of these days since the epoch, which are in order. Undefined if they have none. */
export function rhythmOf(days: readonly number[]): Rhythm | undefined {
  let best: Rhythm | undefined;
  let least = MAX_MEAN_DIFFERENCE;
  for (const rhythm of rhythms) {
    const difference = days.length < rhythm.enough ? undefined : meanDifference(days, rhythm);
    if (difference === undefined || difference >= least) continue;
    best = rhythm;
    least = difference;
  }
  return best;
}

/** By what part the mean gap differs from the period. Undefined if a gap does not fit the rhythm. */
function meanDifference(dates: readonly number[], { days, tolerance }: Rhythm): number | undefined {
  let periods = 0;
  let leftOut = 0;
  for (let at = 1; at < dates.length; at += 1) {
    const gap = (dates[at] ?? 0) - (dates[at - 1] ?? 0);
    const count = gap > 1.5 * days ? 2 : 1;
    if (Math.abs(gap - count * days) > tolerance) return undefined;
    periods += count;
    leftOut += count - 1;
  }
  if (leftOut > dates.length / 6) return undefined;
  const mean = ((dates.at(-1) ?? 0) - (dates[0] ?? 0)) / periods;
  return Math.abs(mean - days) / days;
}

/** The date on which the next one is expected. `dates` are those until now. */
export function nextDate({ days, months }: Rhythm, dates: readonly string[]): string {
  const last = dates.at(-1) ?? '';
  const expected = addDays(last, Math.round(days));
  if (months === undefined) return expected;
  const day = mostFrequent(dates.map(dayOfMonth));
  const candidates = [-1, 0, 1].map((shift) => onDay(addMonths(expected, shift), day));
  const [nearest = expected] = candidates.toSorted(
    (a, b) => Math.abs(daysBetween(expected, a)) - Math.abs(daysBetween(expected, b)),
  );
  return nearest;
}

/** The latest one of several that are as frequent. */
function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return values.findLast((value) => counts.get(value) === most) ?? 1;
}
