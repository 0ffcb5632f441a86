/** Changes to scheduled transactions, and their entry as transactions when they come due. */
import type { ScheduledTransactionFrequency } from '../resources.ts';
import type { LedgerState } from './ledger-state.ts';
import { transferAccountOf } from './payees.ts';
import type { ScheduledTransactionRecord } from './records.ts';
import { dateAfter } from './recurrence.ts';
import { addTransaction, categoryOf, type LegInput } from './transactions.ts';

type OptionalFields = Pick<ScheduledTransactionRecord, 'memo' | 'flag_color' | 'payee_id' | 'category_id'>;

export interface ScheduledInput extends Partial<OptionalFields> {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
  /** `never` by default, which means once. */
  readonly frequency?: ScheduledTransactionFrequency;
  readonly legs?: readonly LegInput[];
}

export function addScheduled(state: LedgerState, input: ScheduledInput): ScheduledTransactionRecord {
  const { date, legs, ...fields } = input;
  return putWithDerivedFields(state, {
    memo: null,
    flag_color: null,
    payee_id: null,
    category_id: null,
    frequency: 'never',
    ...fields,
    id: state.newId(),
    date_first: date,
    date_next: date,
    transfer_account_id: null,
    legs: legsFrom(state, legs ?? []),
  });
}

/** A new date starts a new series. */
export function updateScheduled(state: LedgerState, id: string, change: Partial<ScheduledInput>): void {
  const before = state.scheduled.get(id);
  if (before === undefined) return;
  const { date, legs, ...fields } = change;
  const dates = date !== undefined && date !== before.date_next ? { date_first: date, date_next: date } : {};
  putWithDerivedFields(state, {
    ...before,
    ...fields,
    ...dates,
    legs: legs ? legsFrom(state, legs) : before.legs,
  });
}

export function deleteScheduled(state: LedgerState, id: string): void {
  state.removeScheduled(id);
}

/**
 * Enters each occurrence up to today as an unapproved transaction, whose id combines the scheduled id and the date.
 * The next date becomes the first one after today. A scheduled transaction without a next date is deleted.
 */
export function enterDueTransactions(state: LedgerState): void {
  for (const scheduled of [...state.scheduled.values()]) {
    let next: string | undefined = scheduled.date_next;
    while (next !== undefined && next <= state.today) {
      enterOccurrence(state, scheduled, next);
      next = dateAfter(scheduled.frequency, scheduled.date_first, next);
    }
    if (next === undefined) state.removeScheduled(scheduled.id);
    else if (next !== scheduled.date_next) state.putScheduled({ ...scheduled, date_next: next });
  }
}

function enterOccurrence(state: LedgerState, scheduled: ScheduledTransactionRecord, date: string): void {
  const { account_id, amount, memo, flag_color, payee_id, category_id } = scheduled;
  const id = `${scheduled.id}_${date}`;
  const legs = scheduled.legs.map((leg) => ({ ...leg, id: `${leg.id}_${date}` }));
  addTransaction(state, { id, account_id, date, amount, memo, flag_color, payee_id, category_id, legs });
}

function putWithDerivedFields(
  state: LedgerState,
  draft: ScheduledTransactionRecord,
): ScheduledTransactionRecord {
  const transfer = { ...draft, transfer_account_id: transferAccountOf(state, draft.payee_id) };
  const record = { ...transfer, category_id: categoryOf(state, transfer, transfer) };
  state.putScheduled(record);
  return record;
}

function legsFrom(state: LedgerState, legs: readonly LegInput[]): ScheduledTransactionRecord['legs'] {
  return legs.map((leg) => ({
    id: leg.id ?? state.newId(),
    amount: leg.amount,
    memo: leg.memo ?? null,
    payee_id: leg.payee_id ?? null,
    category_id: leg.category_id ?? null,
    transfer_account_id: transferAccountOf(state, leg.payee_id),
  }));
}
