/** The fields of a transaction that writes send (docs/interface.md, Transaction). */
import { z } from 'zod';
import {
  accountId,
  categoryId,
  clearable,
  clearedState,
  date,
  flagColor,
  milliunits,
  payeeId,
  payeeName,
  transactionId,
  typed,
} from './fields.ts';

/**
 * The payee by id or by name. A name refers to an existing payee or a new one. A transfer uses the account's
 * `transfer_payee_id`.
 */
const payee = { payee_id: payeeId.optional(), payee_name: payeeName.optional() };

const leg = z.strictObject({
  amount: milliunits,
  ...payee,
  category_id: categoryId.optional(),
  memo: typed(500).optional(),
});

const status = {
  cleared: clearedState.optional(),
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
    account_id: accountId,
    date,
    amount: milliunits,
    ...payee,
    category_id: categoryId.optional(),
    memo: typed(500).optional(),
    ...status,
    flag_color: flagColor.optional(),
    subtransactions: z.array(leg).optional(),
    import_id: typed(36).optional(),
  })
  .refine(addsUp, addsError);

export type NewTransaction = z.output<typeof newTransaction>;

export const changes = {
  account_id: accountId.optional(),
  date: date.optional(),
  amount: milliunits.optional(),
  payee_id: clearable(payeeId),
  payee_name: payeeName.optional(),
  category_id: clearable(categoryId),
  memo: clearable(typed(500)),
  ...status,
  flag_color: clearable(flagColor),
  subtransactions: z.array(leg).optional(),
};

export type TransactionChange = z.output<z.ZodObject<typeof changes>>;

export const changedTransaction = z
  .strictObject({ id: transactionId.optional(), import_id: typed(36).optional(), ...changes })
  .refine(addsUp, addsError)
  .refine((row) => (row.id === undefined) !== (row.import_id === undefined), {
    error: 'needs the id or the import_id of the transaction to change, not both',
    path: ['id'],
  });
