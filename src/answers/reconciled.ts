/** Says which reconciled balances a write moves: they had been compared with the bank. */
import { z } from 'zod';
import { accountId, milliunits } from '../base/schema/fields.ts';
import type { ReconciledMove } from '../model/bookkeeping/reconciled.ts';
import type { TextContext } from './text.ts';

/** By how much they move. */
export const reconciledField = {
  reconciled: z.array(z.object({ account_id: accountId, amount: milliunits })).optional(),
};

export const reconciledData = (moves: readonly ReconciledMove[]) => moves.length > 0 && { reconciled: moves };

/** A sentence for each account. */
export const reconciledLines = (
  moves: readonly ReconciledMove[],
  verb: 'has moved' | 'would move',
  context: Pick<TextContext, 'reference' | 'money'>,
): string[] =>
  moves.map(
    ({ account_id, amount }) =>
      `The reconciled balance of account ${context.reference(account_id, 'account')}, which was compared with the bank, ${verb} by ${context.money(amount)}.`,
  );
