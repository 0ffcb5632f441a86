/** The data that the view of a write draws: its changes, before or after it is carried out. */
import { z } from 'zod';

const amount = z.int();
/** A text for a person. An amount is in milliunits, and a month is such as `2026-11`, so that the view can format them. */
const value = z.union([z.string(), z.object({ amount }), z.object({ month: z.string() })]);

export type WriteValue = z.output<typeof value>;

const field = z.object({
  label: z.string(),
  /** Missing for something new. */
  before: value.optional(),
  /** Missing for something that is deleted. */
  after: value.optional(),
});

export type WriteField = z.output<typeof field>;

export const writeContent = z.object({
  kind: z.literal('write'),
  /** The changes of the write, in parts that follow one another. */
  title: z.array(value),
  /** Unchanged: the service ignored all of it. */
  state: z.enum(['preview', 'refused', 'written', 'unchanged']),
  changes: z.array(
    z.object({
      what: z.string(),
      date: z.string().optional(),
      amount: amount.optional(),
      fields: z.array(field),
    }),
  ),
  omitted: z.int(),
  balances: z.array(
    z.object({
      kind: z.enum(['account', 'category', 'ready']),
      name: z.string(),
      /** Such as `2026-11`, for what is ready to be assigned in it. */
      month: z.string().optional(),
      before: amount.optional(),
      after: amount,
    }),
  ),
  /** The names of those whose balance cannot be predicted. */
  unpredictable: z.array(z.string()),
  /** Why it would be refused, what the service ignores, and the like. */
  notes: z.array(z.string()),
});

export type WriteContent = z.output<typeof writeContent>;
