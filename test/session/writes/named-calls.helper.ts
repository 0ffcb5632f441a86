/** Calls about the compared budget, whose ids are looked up by names. */
import { expect } from 'vitest';
import type { TransactionRecord } from '../../../src/service/ledger/records.ts';
import type { WritingService } from '../../service/writes/writing.helper.ts';
import { startComparing } from './refused-alike.helper.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Ids of the compared budget by names, and of its transactions and scheduled transactions by what they are. */
export function startNamed(service: WritingService) {
  const { ledger, compare } = startComparing(service, {});
  const { state } = ledger;
  const named = (rows: Iterable<{ readonly id: string; readonly name: string }>, name: string) =>
    [...rows].find((row) => row.name === name)?.id ?? expect.unreachable(name);
  const account = (name: string) => named(state.accounts.values(), name);
  const transferTo = (name: string) => named(state.payees.values(), `Transfer : ${name}`);
  const category = (name: string) => named(state.categories.values(), name);
  const group = (name: string) => named(state.groups.values(), name);
  const payee = (name: string) => named(state.payees.values(), name);
  const transaction = (isWanted: (each: TransactionRecord) => boolean) =>
    [...state.transactions.values()].find(isWanted)?.id ?? expect.unreachable();
  const scheduled = (account_id: string, isSplit = false) =>
    [...state.scheduled.values()].find(
      (each) => each.account_id === account_id && each.legs.length > 0 === isSplit,
    )?.id ?? expect.unreachable();
  return { compare, account, transferTo, category, group, payee, transaction, scheduled };
}

export type Started = ReturnType<typeof startNamed>;
export type Call = (started: Started) => readonly [string, Fields];

const spending = ({ account }: Started, fields: Fields) => ({
  transactions: [{ account_id: account('Checking'), date: '2026-01-15', amount: -10, ...fields }],
});
export const spendingWith =
  (fieldsOf: (started: Started) => Fields): Call =>
  (started) => ['create_transactions', spending(started, fieldsOf(started))];
export const changeOf =
  (
    isWanted: (each: TransactionRecord, started: Started) => boolean,
    fieldsOf: (started: Started) => Fields,
  ): Call =>
  (started) => [
    'update_transaction',
    { transaction_id: started.transaction((each) => isWanted(each, started)), ...fieldsOf(started) },
  ];
export const planWith =
  (fieldsOf: (started: Started) => Fields): Call =>
  (started) => [
    'create_scheduled_transaction',
    { account_id: started.account('Checking'), date: '2026-03-01', amount: -10, ...fieldsOf(started) },
  ];
