/**
 * Dates as a person says them: `today` and `yesterday` in the user's time zone. The service itself counts days and months
 * by UTC (docs/interface.md, Data formats). And the month of amounts, which the service's response does not contain.
 */
import { z } from 'zod';
import { addDays, lastOfMonth } from '../base/calendar.ts';
import type { JsonObject } from '../base/json.ts';
import { date, rangeEnd, rangeStart, text } from '../base/schema/fields.ts';
import { mapData } from '../base/schema/map-data.ts';

type DateWord = 'today' | 'yesterday';

/** Returns the date that a word means. */
export type DateWords = (word: DateWord) => string;

/** `now` is in milliseconds since the epoch. `timeZone` is a name of the IANA database, such as `Europe/Berlin`. */
export const dateWordsAt =
  (now: number, timeZone: string | undefined): DateWords =>
  (word) => {
    // The Swedish form of a date is YYYY-MM-DD.
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
    return word === 'today' ? today : addDays(today, -1);
  };

const isWord = (value: string): value is DateWord => value === 'today' || value === 'yesterday';

/** A date as a host gives it. */
export const dateOrWord = z
  .string()
  .superRefine((value, context) => {
    if (isWord(value)) return;
    for (const { message } of date.safeParse(value).error?.issues ?? [])
      context.issues.push({ code: 'custom', input: value, message });
  })
  .meta({ description: 'YYYY-MM-DD' });

/** The first or last day of a range as a host gives it. */
export const dayOrMonth = z
  .string()
  .superRefine((value, context) => {
    if (isWord(value)) return;
    const { error } = date.safeParse(MONTH.test(value) ? `${value}-01` : value);
    if (error)
      context.issues.push({
        code: 'custom',
        input: value,
        message: 'must be a day or month that exists, written YYYY-MM-DD or YYYY-MM',
      });
  })
  .meta({ description: 'YYYY-MM-DD, YYYY-MM or today' });

const MONTH = /^\d{4}-\d\d$/;

/** `data` with dates in place of the words and of months. `schema` is the operation's schema of the same data. */
export const resolveDates = (schema: z.ZodObject, data: JsonObject, words: DateWords): JsonObject =>
  mapData(schema, data, {
    value: (each, value) =>
      typeof value === 'string' && [date, rangeStart, rangeEnd].some((day) => day === each)
        ? resolveDay(each, value, words)
        : value,
  });

function resolveDay(schema: z.core.$ZodType, text: string, words: DateWords): string {
  if (MONTH.test(text) && schema === rangeStart) return `${text}-01`;
  if (MONTH.test(text) && schema === rangeEnd) return lastOfMonth(text);
  return isWord(text) ? words(text) : text;
}

const hasCategoryAmounts = ({ shape }: z.ZodObject) => 'category' in shape || 'category_groups' in shape;

/** The field `month`, if the output has amounts of categories. */
export const monthField = (output: z.ZodObject) =>
  hasCategoryAmounts(output) ? { month: text.optional() } : {};

/** The first day of the requested month. The default is the month of `today`, a UTC date such as `2026-11-21`. */
export function monthOf(
  output: z.ZodObject,
  { month }: JsonObject,
  today: string,
): { readonly month?: string } {
  if (!hasCategoryAmounts(output)) return {};
  return { month: typeof month === 'string' && month !== 'current' ? month : `${today.slice(0, 7)}-01` };
}
