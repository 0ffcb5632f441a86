/** The kinds of field that the service's interface is made of (specification, Data formats). */
import { z } from 'zod';

/**
 * An amount in thousandths of a currency unit, negative for outflow. Beyond 2^53 an integer of the service can no
 * longer be read exactly; it is refused rather than rounded.
 */
export const milliunits = z.int();

/** A field that the interface does not require: it may be null and, as versions come and go, missing. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

// Enumerations are open: the service adds values within v1, and an unknown one is still an answer.
export const text = z.string();
export const flag = z.boolean();
export const integer = z.int();

// Checks that say it in words, not as patterns, which every model would have to read in every tool.
const isDate = (value: string) => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) ?? false;

/** Identifiers are UUIDs, but those of transactions made by a schedule carry `_YYYY-MM-DD`. */
export const id = z
  .string()
  .refine((value) => /^[\w-]{1,200}$/.test(value), 'must be an id as the service gave it');

/** Left out, a budget's id, or its name: the client knows which budget is meant. */
export const budgetId = z
  .string()
  .refine((value) => value !== '' && value.length <= 500, 'must be an id or a name, or be left out')
  .optional();

export const date = z
  .string()
  .refine((value) => /^\d{4}-\d\d-\d\d$/.test(value), {
    error: 'must be a date written YYYY-MM-DD',
    abort: true,
  })
  .refine(isDate, 'must be a day that exists');

/** A month as `2026-11`, `2026-11-01` or `current`; sent to the service as a date or `current`. */
export const month = z
  .string()
  .refine((value) => /^(\d{4}-\d\d(-01)?|current)$/.test(value), {
    error: 'must be a month written YYYY-MM, its first day, or "current"',
    abort: true,
  })
  .refine((value) => value === 'current' || isDate(`${value.slice(0, 7)}-01`), 'must be a month that exists')
  .transform((value) => (/^\d{4}-\d\d$/.test(value) ? `${value}-01` : value));

/** A name or note as somebody typed it; the service counts characters, of which an emoji has fewer than UTF-16. */
export const typed = (most: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= most || [...value].length <= most,
      `must have at most ${most} characters`,
    );

/** Left out, a field keeps its value; null takes it away. */
export const clearable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional();
