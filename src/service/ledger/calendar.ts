/**
 * Calendar arithmetic on `YYYY-MM-DD` dates in UTC (docs/interface.md, Data formats). A month is represented by its
 * first day. Dates and months sort as strings, so the ledger compares them with `<`.
 */

const DAY_MS = 86_400_000;

/** The first day of a date's month. */
export function monthOf(date: string): string {
  return `${date.slice(0, 7)}-01`;
}

/** `days` may be negative. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** The first day of the month that is `months` after the month of `date`. */
export function addMonths(date: string, months: number): string {
  const count = monthNumber(date) + months;
  const year = String(Math.floor(count / 12)).padStart(4, '0');
  return `${year}-${String((count % 12) + 1).padStart(2, '0')}-01`;
}

/** The number of calendar months between the months of two dates. */
export function monthsBetween(from: string, to: string): number {
  return monthNumber(to) - monthNumber(from);
}

/** Every month from `first` to `last`, both included. */
export function monthRange(first: string, last: string): string[] {
  return Array.from({ length: Math.max(0, monthsBetween(first, last) + 1) }, (_, i) => addMonths(first, i));
}

export function daysInMonth(date: string): number {
  return daysBetween(monthOf(date), addMonths(date, 1));
}

export function dayOf(date: string): number {
  return Number(date.slice(8, 10));
}

/** The given day in the month of `date`, or the last day of a shorter month. */
export function onDay(date: string, day: number): string {
  return `${date.slice(0, 8)}${String(Math.min(day, daysInMonth(date))).padStart(2, '0')}`;
}

/** The same day some years later, or earlier if negative. 29 February becomes 28 February in a year without it. */
export function addYears(date: string, years: number): string {
  return onDay(addMonths(date, 12 * years), dayOf(date));
}

/** 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(date).getUTCDay();
}

function monthNumber(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}
