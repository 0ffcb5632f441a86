/** Schemas of the fields in the service's interface (docs/interface.md, Data formats). */
import { z } from 'zod';
import { meanings, type ReferenceKind } from './meaning.ts';

/**
 * An amount in thousandths of a currency unit, negative for outflow. An integer beyond 2^53 cannot be read exactly
 * and is refused, not rounded.
 */
export const milliunits = z.int().register(meanings, { kind: 'amount' });

// A model needs another example of each (`mcp/tool-schemas.ts`).
/** An amount that is neither inflow nor outflow, such as what is budgeted, or how large an amount is. */
export const amountSize = z.int().register(meanings, { kind: 'amount_size' });
/** The balance of an account. What is owed is negative. */
export const balanceAmount = z.int().register(meanings, { kind: 'balance' });

/** A field that the interface does not require. It may be null, and it may be missing in some versions. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

// Enumerations are open: the service adds values within v1, and a response with an unknown value is valid.
export const text = z.string();
export const flag = z.boolean();
export const integer = z.int();
export const jsonRecord = z.record(z.string(), z.json());

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** True if a value is a day of a response, with which dates can be computed. */
export const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value);

/** A day in a response. That it is one is checked where a response is parsed (`fast-validate.ts`), and nowhere again. */
export const dayText = z.string().register(meanings, { isValid: isDay });

// Checks with error messages instead of patterns, because patterns would appear in every tool's schema.
const isWritten = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value);
const exists = (day: string) => new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ?? false;

/** True for a day that exists, written YYYY-MM-DD. */
export const isDate = (value: string) => isWritten(value) && exists(value);

/** Ids are UUIDs. Those of transactions entered by a schedule end in `_YYYY-MM-DD`. */
export const id = z
  .string()
  .refine((value) => /^[\w-]{1,200}$/.test(value), 'must be an id as the service gave it');

/** A thing as a caller names it: by its id, by the beginning of its id, or by its name. Operations get its id. */
const named = (error = 'must be an id or a name') =>
  z.string().refine((value) => value !== '' && value.length <= 500, error);

const reference = (kind: ReferenceKind) => named().register(meanings, { reference: kind });

export const accountId = reference('account');
/** `Ready to Assign` names the money that is not assigned to any other category. */
export const categoryId = reference('category');
export const categoryGroupId = reference('category_group');
export const categoryOrGroupId = reference('category_or_group');
export const payeeId = reference('payee');
export const payeeLocationId = reference('payee_location');
export const transactionId = reference('transaction');
export const scheduledTransactionId = reference('scheduled_transaction');

/** A budget's id or name. If it is absent, the client chooses the budget. */
export const budgetId = named('must be an id or a name, or be left out').optional();

const day = () =>
  z
    .string()
    .refine(isWritten, {
      error: 'must be a date written YYYY-MM-DD',
      abort: true,
    })
    .refine(exists, 'must be a day that exists');

export const date = day().register(meanings, { kind: 'date' });
/** The first day of a range. A month means its first day. */
export const rangeStart = day().register(meanings, { kind: 'range_start' });
/** The last day of a range. A month means its last day. */
export const rangeEnd = day().register(meanings, { kind: 'range_end' });

/** A month as `2026-11`, `2026-11-01` or `current`. It is sent as a date or `current`. */
export const month = z
  .string()
  .refine((value) => /^(\d{4}-\d\d(-01)?|current)$/.test(value), {
    error: 'must be a month written YYYY-MM, its first day, or "current"',
    abort: true,
  })
  .refine((value) => value === 'current' || exists(`${value.slice(0, 7)}-01`), 'must be a month that exists')
  .register(meanings, { kind: 'month' })
  .transform((value) => (/^\d{4}-\d\d$/.test(value) ? `${value}-01` : value));

/** A name or note as a person typed it. The service counts characters; an emoji has fewer of them than of UTF-16 units. */
export const typed = (maximum: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= maximum || [...value].length <= maximum,
      `must have at most ${maximum} characters`,
    );

/** The name of something that is created or renamed. */
export const nameText = (maximum = Number.POSITIVE_INFINITY) =>
  typed(maximum).refine((value) => value.trim() !== '', 'must not be blank');

/** The name of a payee that exists or is to be created. The name of a transfer payee stands for its `payee_id`. */
export const payeeName = nameText(200);

export const clearedState = z.enum(['cleared', 'uncleared', 'reconciled']);

export const flagColor = z.enum(['red', 'orange', 'yellow', 'green', 'blue', 'purple']);

/** How often a scheduled transaction repeats. `never` is once. */
export const frequency = z
  .enum([
    'never',
    'daily',
    'weekly',
    'everyOtherWeek',
    'twiceAMonth',
    'every4Weeks',
    'monthly',
    'everyOtherMonth',
    'every3Months',
    'every4Months',
    'twiceAYear',
    'yearly',
    'everyOtherYear',
  ])
  .register(meanings, { kind: 'frequency' });

/** An absent field keeps its value, and null removes it. */
export function clearable<Schema extends z.ZodType>(schema: Schema) {
  const field = schema.nullable().optional();
  meanings.add(field, { isClearable: true });
  return field;
}
