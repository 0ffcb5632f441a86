/**
 * What sums leave out, because the service says something of it that is not known here: new values may come in each of its
 * enumerations (docs/interface.md, Data formats). An answer names it.
 */
import { z } from 'zod';
import { text } from '../../base/schema/fields.ts';

export const leftOut = z.object({
  kind: z.enum(['account', 'category', 'scheduled_transaction', 'transaction']),
  id: text,
  name: text,
  /** The field whose value is not known, in words. */
  field: text,
  value: text,
  /** The next date of a scheduled transaction, or that of a transaction. */
  date: text.optional(),
});

export type LeftOut = z.output<typeof leftOut>;
