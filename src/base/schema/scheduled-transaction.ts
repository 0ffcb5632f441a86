/** A scheduled transaction and its legs (docs/interface.md, Scheduled transaction). */
import { z } from 'zod';
import { dayText, flag, milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';
import { joinedNames, legFields } from './transaction.ts';

const summary = {
  id: text,
  date_first: dayText,
  date_next: dayText,
  frequency: text,
  amount: milliunits,
  memo: orNull(text),
  flag_color: orNull(text),
  flag_name: orNull(text),
  account_id: text,
  payee_id: orNull(text),
  category_id: orNull(text),
  transfer_account_id: orNull(text),
  deleted: flag,
};

export const scheduledTransactionSummary = z.object(summary);

export const scheduledSubtransaction = z.object({
  id: text,
  scheduled_transaction_id: text,
  ...legFields,
  deleted: flag,
});

export const scheduledTransaction = z
  .object({
    ...summary,
    ...joinedNames,
    subtransactions: z.array(scheduledSubtransaction),
  })
  .register(meanings, { row: 'scheduled_transaction' });

export type ScheduledTransaction = z.output<typeof scheduledTransaction>;
