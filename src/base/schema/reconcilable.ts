/** The fields of a transaction that move the reconciled balance of its account, in any form in which the service sends it. */
import { z } from 'zod';
import { integer, text } from './fields.ts';

const transfer = { transfer_transaction_id: text.nullable() };

const reconcilable = z.object({
  id: text,
  account_id: text,
  amount: integer,
  cleared: text,
  deleted: z.boolean().optional(),
  ...transfer,
  subtransactions: z.array(z.object(transfer)).default([]),
});

export type Reconcilable = z.output<typeof reconcilable>;

/** Those of the rows that are transactions. */
export const transactionsIn = (rows: readonly unknown[]): Reconcilable[] =>
  rows.flatMap((row) => reconcilable.safeParse(row).data ?? []);
