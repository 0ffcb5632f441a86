/** A writer with a scripted service. Its clock advances at once when it is asked to sleep. */

import { createScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { Watermarks } from '../../src/replica/watermarks.ts';
import { ExactlyOnceWriter } from '../../src/writes/exactly-once-writer.ts';
import type { WriteObserver } from '../../src/writes/write-observer.ts';
import { ScriptedService, type Turn } from '../client/scripted-service.helper.ts';
import { AutoAdvanceClock } from '../manual-clock.helper.ts';

export const COFFEE = { account_id: 'a-1', date: '2026-11-21', amount: -4_500, payee_name: 'Café' };
export const PLAN = { budget_id: 'b', account_id: 'a-1', date: '2026-12-01', amount: -30_000 };

/** Calls the functions in `onNextSleep` at the start of the next sleep. */
class EventfulClock extends AutoAdvanceClock {
  readonly onNextSleep: (() => void)[] = [];
  /** The length of each sleep, in milliseconds. */
  readonly slept: number[] = [];

  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    for (const run of this.onNextSleep.splice(0)) run();
    this.slept.push(milliseconds);
    return super.sleep(milliseconds, signal);
  }
}

export function start(...script: Turn[]) {
  const service = new ScriptedService(...script);
  const clock = new EventfulClock('2026-11-21T12:00:00Z');
  const watermarks = new Watermarks(clock);
  const writer = new ExactlyOnceWriter(service, watermarks, clock);
  const log = (rows: (typeof COFFEE & { import_id?: string })[] = [COFFEE], observer: WriteObserver = {}) =>
    writer.write(createTransactions, { budget_id: 'b', transactions: rows }, 'b', observer);
  const plan = (observer: WriteObserver = {}) =>
    writer.write(createScheduledTransaction, PLAN, 'b', observer);
  const remove = (transaction_id: string) =>
    writer.write(deleteTransaction, { budget_id: 'b', transaction_id }, 'b');
  const searches = () => service.reads.filter(({ name }) => /transactions$/.test(name));
  return { service, clock, watermarks, writer, log, plan, remove, searches };
}

export type Started = ReturnType<typeof start>;
