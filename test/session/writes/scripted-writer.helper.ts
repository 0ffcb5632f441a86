/** A writer with a scripted service. Its clock advances at once when it is asked to sleep. */

import type { z } from 'zod';
import type { Operation } from '../../../src/operations/operation.ts';
import { createScheduledTransaction } from '../../../src/operations/scheduled-transactions.ts';
import { createTransactions, deleteTransaction } from '../../../src/operations/transaction-writes.ts';
import { OwnWrite } from '../../../src/session/writes/own-write.ts';
import { ANSWER_LIMIT_MS, WaitingHost } from '../../../src/session/writes/write-call.ts';
import { AutoAdvanceClock } from '../../manual-clock.helper.ts';
import { ScriptedService, type Turn } from '../scripted-service.helper.ts';
import { CALL, composeWrites, withoutTimers } from './pending.helper.ts';

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

interface Options {
  readonly signal?: AbortSignal;
  /** For so long the host still waits. */
  readonly remainingMs?: number;
  /** Called in each state of the write. */
  onState?(state: string): void;
}

export function start(...script: Turn[]) {
  const service = new ScriptedService(...script);
  const clock = new EventfulClock('2026-11-21T12:00:00Z');
  const { writer, watermarks, store, writes: signIn } = composeWrites(service, clock);
  let last: OwnWrite | undefined;
  let count = 0;
  const write = <Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    { signal, remainingMs = ANSWER_LIMIT_MS, onState }: Options = {},
  ) => {
    const host = new WaitingHost(withoutTimers(clock), { waitedMs: ANSWER_LIMIT_MS - remainingMs });
    count += 1;
    const call = { ...CALL, input: { count } };
    const own = new OwnWrite({ id: `w${count}`, call, isTogether: false }, signIn, clock, host);
    last = own;
    signal?.addEventListener('abort', () => own.cancel());
    if (onState) void watch(own, onState);
    return writer.exclusively(own, (turn) => writer.write({ operation, input, number: 1, own, turn }));
  };
  const log = (rows: (typeof COFFEE & { import_id?: string })[] = [COFFEE], options: Options = {}) =>
    write(createTransactions, { budget_id: 'b', transactions: rows }, options);
  const plan = (options: Options = {}) => write(createScheduledTransaction, PLAN, options);
  const remove = (transaction_id: string) => write(deleteTransaction, { budget_id: 'b', transaction_id });
  const searches = () => service.reads.filter(({ name }) => /transactions$/.test(name));
  /** Looks again for the last write. */
  const searchAgain = () => (last ? signIn.adoption.searchAgain(last.record) : undefined);
  const state = () => last?.record.state;
  return { service, clock, store, watermarks, write, log, plan, remove, searches, searchAgain, state };
}

async function watch(own: OwnWrite, onState: (state: string) => void) {
  for (let { state: seen } = own.record; ; seen = own.record.state) {
    await own.until(({ state }) => state !== seen);
    onState(own.record.state);
  }
}

export type Started = ReturnType<typeof start>;
