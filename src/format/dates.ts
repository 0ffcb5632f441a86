/**
 * Dates as a person says them: `today` and `yesterday` in the user's time zone. The service itself counts days and months
 * by UTC (docs/interface.md, Data formats).
 */
import { z } from 'zod';
import { dateOf } from '../platform/clock.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import { date } from '../schema/fields.ts';

const DAY_MS = 86_400_000;

type DateWord = 'today' | 'yesterday';

/** Returns the date that a word means. */
export type DateWords = (word: DateWord) => string;

/** `now` is in milliseconds since the epoch. `timeZone` is a name of the IANA database, such as `Europe/Berlin`. */
export const dateWordsAt =
  (now: number, timeZone: string | undefined): DateWords =>
  (word) => {
    // The Swedish form of a date is YYYY-MM-DD.
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
    return word === 'today' ? today : dateOf(Date.parse(today) - DAY_MS);
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
  .meta({ description: 'YYYY-MM-DD, today or yesterday' });

/** `data` with dates in place of the words. `schema` is the operation's schema of the same data. */
export const resolveDates = (schema: z.ZodObject, data: JsonObject, words: DateWords): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, resolveField(schema.shape[name], value, words)]),
  );

function resolveField(schema: z.core.$ZodType | undefined, data: unknown, words: DateWords): unknown {
  if (schema === date) return typeof data === 'string' && isWord(data) ? words(data) : data;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return resolveField(schema.unwrap(), data, words);
  // A field with a default, such as `since_date`.
  if (schema instanceof z.ZodPipe) return resolveField(schema.in, data, words);
  if (schema instanceof z.ZodArray && Array.isArray(data))
    return data.map((item) => resolveField(schema.element, item, words));
  return schema instanceof z.ZodObject && isJsonObject(data) ? resolveDates(schema, data, words) : data;
}
