/** The conditions by which transactions are found, and approved. Names and short ids are replaced by full ids before they count. */
import { z } from 'zod';
import {
  accountId,
  amountSize,
  categoryOrGroupId,
  clearedState,
  flagColor,
  payeeId,
  rangeEnd,
  rangeStart,
} from './fields.ts';

/** Every condition that is given has to hold. */
export const transactionQuery = z.object({
  text: z.string().optional(),
  /** In milliunits. Signs are ignored, also those of the transactions. */
  min_amount: amountSize.optional(),
  max_amount: amountSize.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  account: accountId.optional(),
  /** A category, or a group for all of its categories. */
  category: categoryOrGroupId.optional(),
  payee: payeeId.optional(),
  cleared: clearedState.optional(),
  approved: z.boolean().optional(),
  flag_color: flagColor.optional(),
  /** Those without a category that need one, also as legs, or transfers to any account. */
  type: z.enum(['uncategorized', 'unapproved', 'transfer']).optional(),
});

export type TransactionQuery = z.output<typeof transactionQuery>;
