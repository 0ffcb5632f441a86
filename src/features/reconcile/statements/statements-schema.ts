/** The statements of the user as an answer and a view have them. No row is in them. */
import { z } from 'zod';
import { integer, text } from '../../../base/schema/fields.ts';

export const listedStatement = z.object({
  name: text,
  format: text.optional(),
  rows: integer.optional(),
  first: text.optional(),
  last: text.optional(),
  account: text.optional(),
  currency: text.optional(),
  skipped: integer.optional(),
  reading: text.optional(),
  /** Why it cannot be read. */
  problem: text.optional(),
});

export type ListedStatement = z.output<typeof listedStatement>;

export const statementsContent = z.object({
  kind: z.literal('statements'),
  statements: z.array(listedStatement),
  /** Of a file that is not complete yet: what the next part has to name. */
  upload: z.string().optional(),
});

export type StatementsContent = z.output<typeof statementsContent>;
