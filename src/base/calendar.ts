/** Arithmetic on dates `YYYY-MM-DD` in UTC (docs/interface.md, Data formats). Dates sort as texts, so they are compared with `<`. */
import { dateOf } from './clock.ts';

const DAY_MS = 86_400_000;

export const addDays = (date: string, days: number): string => dateOf(Date.parse(date) + days * DAY_MS);

export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** In days since 1970-01-01. */
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;

export const dayOfMonth = (date: string): number => Number(date.slice(8, 10));

export const firstOfMonth = (date: string): string => `${date.slice(0, 7)}-01`;

export const lastOfMonth = (date: string): string =>
  dateOf(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0));

/** The first day of the month that is `months` after the month of `date`. */
export const addMonths = (date: string, months: number): string =>
  dateOf(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1 + months, 1));

/** The number of months from the month of one date to that of another. */
export const monthsBetween = (from: string, to: string): number =>
  (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12 +
  Number(to.slice(5, 7)) -
  Number(from.slice(5, 7));

/** A day in the month of `date`, or the last day of a shorter month. */
export const onDay = (date: string, day: number): string =>
  date.slice(0, 8) + String(Math.min(day, dayOfMonth(lastOfMonth(date)))).padStart(2, '0');

/** The date of a time, in milliseconds since the epoch. */
export type DayOf = (milliseconds: number) => string;

/** The days that may count as today in a call. */
export interface Days {
  /** The person's day. */
  readonly today: string;
  /** The day of the service, in UTC. Undefined if its time is not known: it then decides itself. */
  readonly ofService: string | undefined;
}

/** True if a day is to come for certain: the service takes what is entered for the next day, because it is today in the east. */
export const isToCome = (date: string, { today, ofService }: Days): boolean =>
  ofService !== undefined && date > today && date > addDays(ofService, 1);

/** True if a day is over for certain, for the person and for the service. */
export const isOver = (date: string, { today, ofService }: Days): boolean =>
  ofService !== undefined && date < today && date < ofService;

/** Days as a person in this time zone counts them, such as `Europe/Berlin`. The default is the zone of this machine. */
export function dayIn(timeZone?: string): DayOf {
  // The Swedish form of a date is YYYY-MM-DD.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (milliseconds) => format.format(milliseconds);
}

/** Whether `name` is a time zone such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
