/**
 * Creates and changes scheduled transactions (docs/interface.md, Scheduled transaction). They cannot become splits.
 * An existing split keeps its legs, its amount and its category.
 */
import { z } from 'zod';
import { addYears } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { ScheduledTransactionRecord } from '../ledger/records.ts';
import { addScheduled, updateScheduled } from '../ledger/scheduled-transactions.ts';
import { scheduledFrequencies } from '../resources.ts';
import { date, flagColor, id, lineFields, milliunits, objectWithFields, oneOf } from './fields.ts';
import { accountProblems, lineProblems, resolveReferences, specifiesPayee } from './line-fields.ts';
import { PayeeNames } from './payee-names.ts';
import { Problems } from './problems.ts';

const frequency = oneOf(scheduledFrequencies);

/** By default the frequency is once and the amount is 0. */
const scheduledTransaction = objectWithFields({
  account_id: id,
  date,
  amount: milliunits.exactOptional(),
  ...lineFields,
  flag_color: flagColor.exactOptional(),
  frequency: frequency.exactOptional(),
  subtransactions: z.array(z.unknown()).exactOptional(),
});

type ScheduledFields = z.output<typeof scheduledTransaction>;

export const scheduledTransactionBody = objectWithFields({ scheduled_transaction: scheduledTransaction });

/** Throws 400 with the problems. */
export function schedule(state: LedgerState, fields: ScheduledFields): ScheduledTransactionRecord {
  const problems = new Problems();
  problems.add(accountProblems(state, fields.account_id));
  problems.add(problemsOf(state, fields));
  problems.throwIfAny();
  const { payee_id, payee_name, category_id, subtransactions, ...ownFields } = fields;
  return addScheduled(state, {
    amount: 0,
    ...ownFields,
    ...resolveReferences(state, new PayeeNames(state), fields),
  });
}

/**
 * Absent fields stay. Fields that repeat the current value stay too, and are not validated again. Throws 400 with
 * the problems.
 */
export function reschedule(
  state: LedgerState,
  before: ScheduledTransactionRecord,
  fields: ScheduledFields,
): void {
  const change = withoutUnchanged(before, fields);
  const problems = new Problems();
  if (change.account_id !== before.account_id) problems.add(accountProblems(state, change.account_id));
  problems.add(problemsOf(state, change, before));
  problems.throwIfAny();
  const { payee_id, payee_name, category_id, subtransactions, ...ownFields } = change;
  updateScheduled(state, before.id, {
    ...ownFields,
    ...resolveReferences(state, new PayeeNames(state), change),
  });
}

function withoutUnchanged(before: ScheduledTransactionRecord, fields: ScheduledFields): ScheduledFields {
  const { payee_id, payee_name, category_id, amount, subtransactions, ...rest } = fields;
  const isSplit = before.legs.length > 0;
  const repeatsPayee = typeof payee_id === 'string' && payee_id === before.payee_id;
  return {
    ...rest,
    ...(amount === undefined || isSplit ? {} : { amount }),
    ...(payee_id === undefined || repeatsPayee ? {} : { payee_id }),
    ...(payee_name === undefined || repeatsPayee ? {} : { payee_name }),
    ...(category_id === undefined || isSplit ? {} : { category_id }),
    ...(subtransactions === undefined || isSplit ? {} : { subtransactions }),
  };
}

function* problemsOf(
  state: LedgerState,
  fields: ScheduledFields,
  before?: ScheduledTransactionRecord,
): Generator<string> {
  const { today } = state;
  if (fields.date !== before?.date_next && (fields.date < today || fields.date > addYears(today, 5))) {
    yield 'date must not be in the past or over 5 years ahead';
  }
  if (fields.subtransactions?.length) yield 'subtransactions are not possible in a scheduled transaction';
  yield* lineProblems(state, fields, fields.account_id);
  const keptLines =
    before === undefined ? [] : specifiesPayee(fields) ? before.legs : [before, ...before.legs];
  if (keptLines.some(({ transfer_account_id }) => transfer_account_id === fields.account_id)) {
    yield 'account_id must not be the account that the transaction transfers to';
  }
}
