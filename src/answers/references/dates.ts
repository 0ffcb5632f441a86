/**
 * Reads the words of people for days, months and years, such as "2026", "last month" or "3 months ago": one parser for the dates of all tools.
 * Today and this month are those of the person; the service itself counts days and months by UTC (docs/interface.md, Data formats).
 * Pure.
 */
import { z } from 'zod';
import { addDays, addMonths, firstOfMonth, lastOfMonth, onDay } from '../../base/calendar.ts';
import type { JsonObject } from '../../base/json.ts';
import { isDate } from '../../base/schema/fields.ts';
import type { ValueKind } from '../../base/schema/meaning.ts';
import { mapData } from '../../base/schema/walk.ts';

/** The first and the last day, `YYYY-MM-DD`. */
interface Span {
  readonly first: string;
  readonly last: string;
}

const dayAt = (day: string): Span => ({ first: day, last: day });
const monthAt = (day: string): Span => ({ first: firstOfMonth(day), last: lastOfMonth(day) });
const yearAt = (day: string): Span => ({
  first: `${day.slice(0, 4)}-01-01`,
  last: `${day.slice(0, 4)}-12-31`,
});

// Weeks begin on other days in other countries, so that "last week" is not understood.
const words: ReadonlyMap<string, (today: string) => Span> = new Map([
  ['today', dayAt],
  ['yesterday', (today) => dayAt(addDays(today, -1))],
  ['tomorrow', (today) => dayAt(addDays(today, 1))],
  ['current', monthAt],
  ['this month', monthAt],
  ['last month', (today) => monthAt(addMonths(today, -1))],
  ['next month', (today) => monthAt(addMonths(today, 1))],
  ['this year', yearAt],
  ['last year', (today) => yearAt(addMonths(today, -12))],
  ['next year', (today) => yearAt(addMonths(today, 12))],
]);

/** A month or a year ago is the same day, or the last one of a shorter month. */
const monthsAgo = (today: string, months: number) => onDay(addMonths(today, -months), Number(today.slice(8)));

const agoBy: Readonly<Record<string, (today: string, count: number) => string>> = {
  day: (today, count) => addDays(today, -count),
  week: (today, count) => addDays(today, -7 * count),
  month: monthsAgo,
  year: (today, count) => monthsAgo(today, 12 * count),
};

const AGO = /^(\d{1,3}|an?) (day|week|month|year)s? ago$/;

/** How much of a date may be left out, with what takes its place. */
const forms = [
  ['', dayAt],
  ['-01', monthAt],
  ['-01-01', yearAt],
] as const;

/** Undefined for a text that is no day, month or year. Which texts are any does not depend on `today`. */
function spanOf(text: string, today: string): Span | undefined {
  for (const [rest, spanAt] of forms) if (isDate(text + rest)) return spanAt(text + rest);
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ');
  const [, count = '', unit = ''] = AGO.exec(plain) ?? [];
  const ago = agoBy[unit]?.(today, Number(count) || 1);
  return ago === undefined ? words.get(plain)?.(today) : dayAt(ago);
}

/** The part of a span that an argument takes. Undefined if the span is too long for it. */
const takes: ReadonlyMap<ValueKind, (span: Span) => string | undefined> = new Map([
  ['date', ({ first, last }) => (first === last ? first : undefined)],
  ['range_start', ({ first }) => first],
  ['range_end', ({ last }) => last],
  [
    'month',
    ({ first, last }) => (firstOfMonth(first) === firstOfMonth(last) ? firstOfMonth(first) : undefined),
  ],
]);

function taken(kind: ValueKind, text: string, today: string): string | undefined {
  const span = spanOf(text, today);
  return span && takes.get(kind)?.(span);
}

const ANY_DAY = '2026-01-31';

/** The form of an argument in which a host gives it. */
const inWords = (kind: ValueKind, expected: string) =>
  z.string().refine((text) => taken(kind, text, ANY_DAY) !== undefined, `must be ${expected}`);

const DAY = 'a day that exists, written YYYY-MM-DD, or words such as today or 3 days ago';
const DAY_OR_LONGER =
  'a day, month or year that exists, written YYYY-MM-DD, YYYY-MM or YYYY, or words such as last month or 3 months ago';
const MONTH = 'a month that exists, written YYYY-MM, or "current"';

/** An end has the form of the beginning before it, which is said once. */
export const dateForms = new Map<ValueKind, z.ZodType>([
  ['date', inWords('date', DAY).meta({ description: 'YYYY-MM-DD' })],
  ['range_start', inWords('range_start', DAY_OR_LONGER).meta({ description: 'YYYY-MM-DD or YYYY-MM' })],
  ['range_end', inWords('range_end', DAY_OR_LONGER)],
  ['month', inWords('month', MONTH).meta({ description: 'YYYY-MM or current' })],
]);

/**
 * `data` with days, and first days of months, in place of what hosts gave. `schema` is the operation's schema of the same data.
 * Calls `onWords` for each that depends on `today`.
 */
export const resolveDates = (
  schema: z.ZodObject,
  data: JsonObject,
  today: string,
  onWords: (words: string, meant: string) => void,
): JsonObject =>
  mapData(schema, data, {
    value({ meaning: { kind } }, value) {
      const meant = kind && typeof value === 'string' ? taken(kind, value, today) : undefined;
      if (typeof value !== 'string' || meant === undefined) return value;
      if (/[a-z]/i.test(value)) onWords(value, kind === 'month' ? meant.slice(0, 7) : meant);
      return meant;
    },
  });
