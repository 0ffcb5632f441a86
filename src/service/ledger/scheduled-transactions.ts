/** Changes to scheduled transactions, and their entering the register when they come due. */
import type { ScheduledTransactionFrequency } from '../resources.ts';
import type { LedgerState } from './ledger-state.ts';
import { transferAccountOf } from './payees.ts';
import type { ScheduledTransactionRecord } from './records.ts';
import { dateAfter } from './recurrence.ts';
import { addTransaction, categoryOf, type LegInput } from './transactions.ts';

type Own = Pick<ScheduledTransactionRecord, 'memo' | 'flag_color' | 'payee_id' | 'category_id'>;

export interface ScheduledInput extends Partial<Own> {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  /** `never`, that is once, if left out. */
  readonly frequency?: ScheduledTransactionFrequency;
  readonly legs?: readonly LegInput[];
}

export function addScheduled(books: LedgerState, input: ScheduledInput): ScheduledTransactionRecord {
  const { date, legs, ...own } = input;
  return put(books, {
    memo: null,
    flag_color: null,
    payee_id: null,
    category_id: null,
    frequency: 'never',
    ...own,
    id: books.newId(),
    date_first: date,
    date_next: date,
    transfer_account_id: null,
    legs: legsFrom(books, legs ?? []),
  });
}

/** A new date begins the series anew. */
export function updateScheduled(books: LedgerState, id: string, change: Partial<ScheduledInput>): void {
  const before = books.scheduled.get(id);
  if (before === undefined) return;
  const { date, legs, ...own } = change;
  const dates = date !== undefined && date !== before.date_next ? { date_first: date, date_next: date } : {};
  put(books, { ...before, ...own, ...dates, legs: legs ? legsFrom(books, legs) : before.legs });
}

export function deleteScheduled(books: LedgerState, id: string): void {
  books.removeScheduled(id);
}

/**
 * Enters what is due by today, unapproved, with the id of the scheduled transaction and the date; then its next
 * date is the one after today, or it is deleted if there is none.
 */
export function enterDue(books: LedgerState): void {
  for (const scheduled of [...books.scheduled.values()]) {
    let next: string | undefined = scheduled.date_next;
    while (next !== undefined && next <= books.today) {
      enterOccurrence(books, scheduled, next);
      next = dateAfter(scheduled.frequency, scheduled.date_first, next);
    }
    if (next === undefined) books.removeScheduled(scheduled.id);
    else if (next !== scheduled.date_next) books.putScheduled({ ...scheduled, date_next: next });
  }
}

function enterOccurrence(books: LedgerState, scheduled: ScheduledTransactionRecord, date: string): void {
  const { account_id, amount, memo, flag_color, payee_id, category_id } = scheduled;
  const id = `${scheduled.id}_${date}`;
  const legs = scheduled.legs.map((leg) => ({ ...leg, id: `${leg.id}_${date}` }));
  addTransaction(books, { id, account_id, date, amount, memo, flag_color, payee_id, category_id, legs });
}

function put(books: LedgerState, draft: ScheduledTransactionRecord): ScheduledTransactionRecord {
  const transfer = { ...draft, transfer_account_id: transferAccountOf(books, draft.payee_id) };
  const record = { ...transfer, category_id: categoryOf(books, transfer, transfer) };
  books.putScheduled(record);
  return record;
}

function legsFrom(books: LedgerState, legs: readonly LegInput[]): ScheduledTransactionRecord['legs'] {
  return legs.map((leg) => ({
    id: leg.id ?? books.newId(),
    amount: leg.amount,
    memo: leg.memo ?? null,
    payee_id: leg.payee_id ?? null,
    category_id: leg.category_id ?? null,
    transfer_account_id: transferAccountOf(books, leg.payee_id),
  }));
}
