/** A transaction, the legs of a split, and the list that holds both side by side (docs/interface.md, Transaction). */
import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import { dayText, flag, isDay, milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

const summary = {
  id: text,
  date: dayText,
  amount: milliunits,
  memo: orNull(text),
  cleared: text,
  approved: flag,
  flag_color: orNull(text),
  flag_name: orNull(text),
  account_id: text,
  payee_id: orNull(text),
  category_id: orNull(text),
  transfer_account_id: orNull(text),
  transfer_transaction_id: orNull(text),
  matched_transaction_id: orNull(text),
  import_id: orNull(text),
  import_payee_name: orNull(text),
  import_payee_name_original: orNull(text),
  debt_transaction_type: orNull(text),
  deleted: flag,
};

/** Scheduled transactions have these and `legFields` too. */
export const joinedNames = { account_name: text, payee_name: orNull(text), category_name: orNull(text) };

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';

const FIELDS = Object.keys(summary).length;

/**
 * Whether `transactionSummary` would return an equal value. Written out, because an export has a hundred thousand of them, and
 * V8 reads fields by name several times faster than by a variable.
 */
export const isTransactionSummary = (row: unknown): row is z.output<z.ZodObject<typeof summary>> =>
  isJsonObject(row) &&
  Object.keys(row).length === FIELDS &&
  isText(row['id']) &&
  isDay(row['date']) &&
  Number.isSafeInteger(row['amount']) &&
  isTextOrNull(row['memo']) &&
  isText(row['cleared']) &&
  isFlag(row['approved']) &&
  isTextOrNull(row['flag_color']) &&
  isTextOrNull(row['flag_name']) &&
  isText(row['account_id']) &&
  isTextOrNull(row['payee_id']) &&
  isTextOrNull(row['category_id']) &&
  isTextOrNull(row['transfer_account_id']) &&
  isTextOrNull(row['transfer_transaction_id']) &&
  isTextOrNull(row['matched_transaction_id']) &&
  isTextOrNull(row['import_id']) &&
  isTextOrNull(row['import_payee_name']) &&
  isTextOrNull(row['import_payee_name_original']) &&
  isTextOrNull(row['debt_transaction_type']) &&
  isFlag(row['deleted']);

export const transactionSummary = z.object(summary).register(meanings, { isParsed: isTransactionSummary });

export const legFields = {
  amount: milliunits,
  memo: orNull(text),
  payee_id: orNull(text),
  payee_name: orNull(text),
  category_id: orNull(text),
  category_name: orNull(text),
  transfer_account_id: orNull(text),
};

export const subtransaction = z.object({
  id: text,
  transaction_id: text,
  ...legFields,
  transfer_transaction_id: orNull(text),
  deleted: flag,
});

export const transaction = z
  .object({ ...summary, ...joinedNames, subtransactions: z.array(subtransaction) })
  .register(meanings, { row: 'transaction' });

export type Transaction = z.output<typeof transaction>;

/** A transaction or one leg of a split, side by side in one list. */
export const hybridTransaction = z
  .object({
    ...summary,
    type: text,
    parent_transaction_id: orNull(text),
    ...joinedNames,
  })
  .register(meanings, { row: 'transaction' });
