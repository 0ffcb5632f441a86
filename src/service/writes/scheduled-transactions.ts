/**
 * Scheduling transactions: the body, its rules and the change (specification, Scheduled transaction). They cannot be
 * split. One that is a split already keeps its legs, and with them its amount and category.
 */
import { z } from 'zod';
import { addYears } from '../ledger/calendar.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { ScheduledTransactionRecord } from '../ledger/records.ts';
import { addScheduled, updateScheduled } from '../ledger/scheduled-transactions.ts';
import { date, flagColor, id, leaf, milliunits, object, oneOf } from './fields.ts';
import { accountProblems, leafProblems, resolved, saysPayee } from './leaf.ts';
import { PayeeNames } from './payee-names.ts';
import { Problems } from './problems.ts';

const frequency = oneOf([
  'never',
  'daily',
  'weekly',
  'everyOtherWeek',
  'twiceAMonth',
  'every4Weeks',
  'monthly',
  'everyOtherMonth',
  'every3Months',
  'every4Months',
  'twiceAYear',
  'yearly',
  'everyOtherYear',
]);

/** Once and without an amount, unless said. */
const scheduledTransaction = object({
  account_id: id,
  date,
  amount: milliunits.exactOptional(),
  ...leaf,
  flag_color: flagColor.exactOptional(),
  frequency: frequency.exactOptional(),
  subtransactions: z.array(z.unknown()).exactOptional(),
});

type Said = z.output<typeof scheduledTransaction>;

export const scheduledTransactionBody = object({ scheduled_transaction: scheduledTransaction });

/** Throws 400 naming what is wrong. */
export function schedule(books: LedgerState, said: Said): ScheduledTransactionRecord {
  const problems = new Problems();
  problems.add(accountProblems(books, said.account_id));
  problems.add(problemsOf(books, said));
  problems.throwIfAny();
  const { payee_id, payee_name, category_id, subtransactions, ...own } = said;
  return addScheduled(books, { amount: 0, ...own, ...resolved(books, new PayeeNames(books), said) });
}

/**
 * What is left out stays, and so does what is repeated unchanged, with no question whether it is allowed. Throws 400
 * naming what is wrong.
 */
export function reschedule(books: LedgerState, before: ScheduledTransactionRecord, said: Said): void {
  const change = effective(before, said);
  const problems = new Problems();
  if (change.account_id !== before.account_id) problems.add(accountProblems(books, change.account_id));
  problems.add(problemsOf(books, change, before));
  problems.throwIfAny();
  const { payee_id, payee_name, category_id, subtransactions, ...own } = change;
  updateScheduled(books, before.id, { ...own, ...resolved(books, new PayeeNames(books), change) });
}

function effective(before: ScheduledTransactionRecord, said: Said): Said {
  const { payee_id, payee_name, category_id, amount, subtransactions, ...rest } = said;
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

function* problemsOf(books: LedgerState, said: Said, before?: ScheduledTransactionRecord): Generator<string> {
  const { today } = books;
  if (said.date !== before?.date_next && (said.date < today || said.date > addYears(today, 5))) {
    yield 'date must not be in the past or over 5 years ahead';
  }
  if (said.subtransactions?.length) yield 'subtransactions are not possible in a scheduled transaction';
  yield* leafProblems(books, said, said.account_id);
  const kept = before === undefined ? [] : saysPayee(said) ? before.legs : [before, ...before.legs];
  if (kept.some(({ transfer_account_id }) => transfer_account_id === said.account_id)) {
    yield 'account_id must not be the account that the transaction transfers to';
  }
}
