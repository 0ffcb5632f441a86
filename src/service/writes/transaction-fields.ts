/** Schemas for the rows of transaction bodies, and the rule for their dates (docs/interface.md, Transaction). */
import { z } from 'zod';
import { addDays, addYears } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import {
  date,
  flagColor,
  id,
  lineFields,
  list,
  milliunits,
  objectWithFields,
  oneOf,
  text,
  trueOrFalse,
} from './fields.ts';
import { leg } from './split.ts';

const importId = text(36).nullable().exactOptional();

const optional = {
  ...lineFields,
  cleared: oneOf(['cleared', 'uncleared', 'reconciled']).exactOptional(),
  approved: trueOrFalse.exactOptional(),
  flag_color: flagColor.exactOptional(),
  subtransactions: z.array(leg, 'must be a list').exactOptional(),
};

export const newTransaction = objectWithFields({
  account_id: id,
  date,
  amount: milliunits,
  ...optional,
  import_id: importId,
});

export type NewTransaction = z.output<typeof newTransaction>;

/** Absent fields stay unchanged. */
export const transactionChange = objectWithFields({
  account_id: id.exactOptional(),
  date: date.exactOptional(),
  amount: milliunits.exactOptional(),
  ...optional,
});

export type TransactionChange = z.output<typeof transactionChange>;

export const identifiedChange = transactionChange.extend({
  id: text().nullable().exactOptional(),
  import_id: importId,
});

/** One transaction or a list, not both. The rows are parsed one by one, so that each problem names its row. */
export const newTransactions = z
  .object(
    { transaction: z.unknown().exactOptional(), transactions: list.nullable().exactOptional() },
    'must be an object',
  )
  .refine(
    ({ transaction, transactions }) => (transaction ?? null) === null || (transactions ?? null) === null,
    'must have either transaction or transactions, not both',
  )
  .refine(
    ({ transaction, transactions }) => (transaction ?? transactions ?? null) !== null,
    'must have transaction or transactions',
  )
  .refine(({ transactions }) => transactions?.length !== 0, { path: ['transactions'], error: 'is empty' });

export const changedTransactions = objectWithFields({
  transactions: list.min(1, 'is empty'),
});

/** The body of an update of one transaction. Its id is in the path. */
export const changedTransaction = objectWithFields({ transaction: z.unknown() });

/** It is tomorrow already for people east of Greenwich. */
export function* dateProblems({ today }: LedgerState, value: string): Generator<string> {
  if (value > addDays(today, 1) || value < addYears(today, -5))
    yield 'date must not be in the future or over 5 years ago';
}
