/** An account: where money is, or what is owed (docs/interface.md, Account). */
import { z } from 'zod';
import { flag, milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

/** A rate in thousandths of a per cent, by the date from which it holds. Some have decimals. */
const rates = z.record(text, z.number());
const amounts = z.record(text, milliunits);

export const account = z
  .object({
    id: text,
    name: text,
    type: text,
    on_budget: flag,
    closed: flag,
    note: orNull(text),
    balance: milliunits,
    cleared_balance: milliunits,
    uncleared_balance: milliunits,
    transfer_payee_id: orNull(text),
    direct_import_linked: orNull(flag),
    direct_import_in_error: orNull(flag),
    last_reconciled_at: orNull(text),
    debt_original_balance: orNull(milliunits),
    debt_interest_rates: orNull(rates),
    debt_minimum_payments: orNull(amounts),
    debt_escrow_amounts: orNull(amounts),
    deleted: flag,
  })
  .register(meanings, { row: 'account' });

/** The types of accounts that can be created. Answers have other types as well. */
export const accountType = z.enum([
  'checking',
  'savings',
  'cash',
  'creditCard',
  'otherAsset',
  'otherLiability',
]);
