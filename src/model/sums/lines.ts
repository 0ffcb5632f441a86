/**
 * The lines of a transaction or a scheduled one, which sums are made of: itself or, for a split, its legs. The category of a
 * split itself means nothing (docs/interface.md, Transaction).
 */
import type { ScheduledTransaction, Subtransaction, Transaction } from '../replica/entities.ts';

/** What a transaction and a leg have in common. A leg without a payee has that of its transaction. */
export type Line = Omit<Subtransaction, 'transaction_id' | 'transfer_transaction_id'>;

export const linesOf = (transaction: Transaction | ScheduledTransaction): readonly Line[] =>
  transaction.subtransactions.length > 0 ? transaction.subtransactions : [transaction];
