/**
 * What scheduled transactions will change in each account, by the service's rules of repetition (`occurrences.ts`). Both
 * sides of a transfer count, of legs too. What is due today or overdue counts today. Pure.
 */
import { addMonths, firstOfMonth } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ScheduledTransaction, Transaction } from '../replica/entities.ts';
import { firstIndexWhere } from '../replica/transaction-table.ts';
import { linesOf } from './lines.ts';
import { dueDatesIn, isRepeating, isRhythmKnown, type Schedule } from './occurrences.ts';

/** What changes the balance of an account, in milliunits. */
export interface AccountChange {
  readonly account_id: string;
  readonly date: string;
  readonly amount: number;
}

/** In no order. `until` is the last day. */
export function scheduledChanges(
  scheduled: readonly ScheduledTransaction[],
  today: string,
  until: string,
): AccountChange[] {
  return scheduled.flatMap((row) => {
    const dates = dueDates(row, today, until);
    return sidesOf(row).flatMap((side) => dates.map((date) => ({ ...side, date })));
  });
}

/** The days on which it is entered, from today until the last day. */
export function dueDates(schedule: Schedule, today: string, until: string): string[] {
  const dates: string[] = [];
  for (let month = firstOfMonth(schedule.date_next); month <= until; month = addMonths(month, 1))
    for (const date of dueDatesIn(month, schedule))
      if (date <= until) dates.push(date < today ? today : date);
  return dates;
}

/** What each occurrence changes in the accounts. */
function sidesOf(row: ScheduledTransaction): Omit<AccountChange, 'date'>[] {
  return [
    { account_id: row.account_id, amount: row.amount },
    ...linesOf(row).flatMap(({ transfer_account_id, amount }) =>
      transfer_account_id === null ? [] : [{ account_id: transfer_account_id, amount: 0 - amount }],
    ),
  ];
}

/**
 * Whether a scheduled transaction stands for a transaction: the same payee and about the same amount. One that sums leave out
 * stands for none.
 */
export function scheduledTest(scheduled: readonly ScheduledTransaction[]): (row: Transaction) => boolean {
  const amounts: { readonly key: string; readonly amount: number }[] = [];
  const addAmount = (account: string, other: string | null, amount: number) =>
    amounts.push({ key: `${account} ${other}`, amount });
  for (const { account_id, payee_id, transfer_account_id, amount, frequency } of scheduled) {
    if (!isRepeating({ frequency }) || !isRhythmKnown({ frequency })) continue;
    addAmount(account_id, transfer_account_id ?? payee_id, amount);
    if (transfer_account_id !== null) addAmount(transfer_account_id, account_id, 0 - amount);
  }
  const byKey = groupBy(
    amounts.sort((a, b) => a.amount - b.amount),
    ({ key }) => key,
  );
  return ({ account_id, payee_id, transfer_account_id, amount }) => {
    const sorted = byKey.get(`${account_id} ${transfer_account_id ?? payee_id}`) ?? [];
    const at = firstIndexWhere(sorted, (each) => each.amount >= amount);
    return sorted.slice(Math.max(0, at - 1), at + 1).some((each) => isSimilar(each.amount, amount));
  };
}

/** Of the same sign, and at most half as much again. */
export const isSimilar = (a: number, b: number) =>
  a < 0 === b < 0 && Math.max(Math.abs(a), Math.abs(b)) <= 1.5 * Math.min(Math.abs(a), Math.abs(b));
