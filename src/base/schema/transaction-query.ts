/** The conditions by which transactions are found, and approved. Names and short ids are replaced by full ids before they count. */
import { z } from 'zod';
import { accountId, amountSize, categoryOrGroupId, payeeId, rangeEnd, rangeStart } from './fields.ts';

export const transactionQuery = z.object({
  text: z.string().optional(),
  min_amount: amountSize.optional(),
  max_amount: amountSize.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  account: accountId.optional(),
  category: categoryOrGroupId.optional(),
  payee: payeeId.optional(),
  cleared: z.enum(['cleared', 'uncleared', 'reconciled']).optional(),
  approved: z.boolean().optional(),
  flag_color: z.enum(['red', 'orange', 'yellow', 'green', 'blue', 'purple']).optional(),
  type: z.enum(['uncategorized', 'unapproved', 'transfer']).optional(),
});
