/** The fields that writes send of a transaction, and of a line of a scheduled one (docs/interface.md, Transaction). */
import { z } from 'zod';
import * as field from './fields.ts';

/**
 * What a new line says in addition to its amount. The payee is given by id or by name. A name refers to an existing payee or a new
 * one. A transfer uses the account's `transfer_payee_id`.
 */
export const newLine = {
  payee_id: field.payeeId.optional(),
  payee_name: field.payeeName.optional(),
  category_id: field.categoryId.optional(),
  memo: field.typed(500).optional(),
};

const leg = z.strictObject({ amount: field.milliunits, ...newLine });

const status = {
  cleared: field.clearedState.optional(),
  approved: z.boolean().optional(),
};

/** The legs of a split must add up to its amount. The service refuses it otherwise. */
const addsUp = ({ amount, subtransactions: legs }: Pick<TransactionChange, 'amount' | 'subtransactions'>) =>
  !legs?.length || amount === undefined || legs.reduce((sum, leg) => sum + leg.amount, 0) === amount;
const addsError = {
  error: 'the amounts of the subtransactions must add up to the amount',
  path: ['subtransactions'],
};

export const newTransaction = z
  .strictObject({
    account_id: field.accountId,
    date: field.date,
    amount: field.milliunits,
    ...newLine,
    ...status,
    flag_color: field.flagColor.optional(),
    subtransactions: z.array(leg).optional(),
    import_id: field.typed(36).optional(),
  })
  .refine(addsUp, addsError);

export type NewTransaction = z.output<typeof newTransaction>;

export const changes = {
  account_id: field.accountId.optional(),
  date: field.date.optional(),
  amount: field.milliunits.optional(),
  payee_id: field.clearable(field.payeeId),
  payee_name: field.payeeName.optional(),
  category_id: field.clearable(field.categoryId),
  memo: field.clearable(field.typed(500)),
  ...status,
  flag_color: field.clearable(field.flagColor),
  subtransactions: z.array(leg).optional(),
};

export type TransactionChange = z.output<z.ZodObject<typeof changes>>;

export const changedTransaction = z
  .strictObject({ id: field.transactionId.optional(), import_id: field.typed(36).optional(), ...changes })
  .refine(addsUp, addsError)
  .refine((row) => (row.id === undefined) !== (row.import_id === undefined), {
    error: 'needs the id or the import_id of the transaction to change, not both',
    path: ['id'],
  });
