/** The conditions by which transactions are found, and approved. Names and short ids are replaced by full ids before they count. */
import { z } from 'zod';
import * as field from './fields.ts';

/** Every condition that is given has to hold. */
export const transactionQuery = z.object({
  text: z.string().optional(),
  /** In milliunits. Signs are ignored, also those of the transactions. */
  min_amount: field.amountSize.optional(),
  max_amount: field.amountSize.optional(),
  since: field.rangeStart.optional(),
  until: field.rangeEnd.optional(),
  /** Any of these. */
  account: z.array(field.accountId).min(1).optional(),
  /** Categories, and groups for all of their categories. */
  category: z.array(field.categoryOrGroupId).min(1).optional(),
  payee: z.array(field.payeeId).min(1).optional(),
  cleared: field.clearedState.optional(),
  approved: z.boolean().optional(),
  flag_color: field.flagColor.optional(),
  /** Those without a category that need one, also as legs, or transfers to any account. */
  type: z.enum(['uncategorized', 'unapproved', 'transfer']).optional(),
});

export type TransactionQuery = z.output<typeof transactionQuery>;
