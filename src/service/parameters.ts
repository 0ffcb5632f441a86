/**
 * Schemas for the parameters of paths and queries. An invalid parameter is a 400 whose detail names it. An unknown
 * parameter is ignored.
 */
import type { Context } from 'hono';
import { validator } from 'hono/validator';
import { z } from 'zod';
import { dateOf } from '../base/clock.ts';
import type { Authenticated } from './authentication.ts';
import { ServiceError } from './errors.ts';
import type { Versioned } from './interface-version.ts';
import { addYears } from './ledger/calendar.ts';
import type { TransactionFilter } from './ledger.ts';

const knowledge = z
  .string('must be given once')
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

const date = z.iso.date('must be a date in the form YYYY-MM-DD');

/** The parameter of every delta request (docs/interface.md, Query parameters). */
export const delta = z.object({ last_knowledge_of_server: knowledge.optional() });

const type = z
  .enum(['uncategorized', 'unapproved'], "must be either 'uncategorized' or 'unapproved'")
  .optional();

const filtersOf185 = delta.extend({ since_date: date.optional(), until_date: date.optional(), type });

const filters = {
  '1.77': delta.extend({ since_date: date.optional(), type }),
  '1.85': filtersOf185,
  '1.86': filtersOf185,
};

/**
 * Validates the filters of a list of transactions (docs/interface.md, Query parameters). Since 1.85 the list begins one
 * year ago where `since_date` is not given, unless it is the list of a month.
 */
export const transactionFilter = (list?: 'of a month') =>
  validator('query', (value, c: Context<Authenticated & Versioned>): TransactionFilter => {
    const { version, now } = c.var;
    const { last_knowledge_of_server: since, ...filter } = parse(filters[version], value);
    if (version === '1.77' || list === 'of a month') return { ...filter, since };
    return { since_date: addYears(dateOf(now), -1), ...filter, since };
  });

export const budgetListOptions = z.object({
  include_accounts: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .default(false),
});

/** A month is written as its first day. `current` is the current month in UTC. */
export const month = z.object({
  month: z
    .string()
    .regex(
      /^(current|\d{4}-(0[1-9]|1[0-2])-01)$/,
      'must be the first day of a month (YYYY-MM-01) or current',
    ),
});

/** Validates the query; a route reads it with `c.req.valid('query')`. */
export const query = <S extends z.ZodType>(schema: S) => validator('query', (value) => parse(schema, value));

/** Validates the path; a route reads it with `c.req.valid('param')`. */
export const path = <S extends z.ZodType>(schema: S) => validator('param', (value) => parse(schema, value));

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const detail = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join(', ');
  throw new ServiceError('bad_request', detail);
}
