/** Processes that are killed during a write, and what their successors answer. */
import { expect } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import type { WriteSteps } from '../../src/session/call-writes.ts';
import type { SharedMemory } from '../../src/store/memory-store.ts';
import type { Process, Sharing } from './sharing-processes.helper.ts';

export function budgetError(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}

/** The outcome of the first call that is not about an unknown outcome or an earlier write that takes too long. */
export async function callUntilSettled({ log }: Process, amount: number) {
  for (let call = 1; call <= 20; call += 1) {
    const result = await log(amount).catch(budgetError);
    if (!(result instanceof BudgetError)) return result;
    expect(['outcome_unknown', 'not_written']).toContain(result.code);
  }
  return expect.unreachable('It was never settled.');
}

/** Waits for `work` or for the end of its process. */
export async function untilKilled<Result>({ passing }: Sharing, { life }: Process, work: Promise<Result>) {
  const killed = new Promise<'killed'>((resolve) => life.onKilled(() => resolve('killed')));
  return passing(Promise.race([killed, work.catch(budgetError)]));
}

/** A process that is killed when the proxy has its request, and so before the answer. */
export async function killedWhileSending(sharing: Sharing, memory: SharedMemory, amount: number) {
  const process = sharing.startProcess(memory);
  sharing.onWrite.push(() => process.life.kill());
  expect(await untilKilled(sharing, process, process.start(amount))).toBe('killed');
}

const LOG_TWO = { name: 'log_two', title: 'Log two' };

/** A call that writes two equal entries, one after the other. */
export const logTwo = ({ client }: Process, coffee: Sharing['coffee'], amount: number) =>
  client.begin().writeTogether(LOG_TWO, { amount }, async ({ write }: WriteSteps) => {
    const input = { transactions: [{ ...coffee, amount }] };
    const first = await write(createTransactions, input);
    const second = await write(createTransactions, input);
    return { outcome: 'written', data: { first: first.data, second: second.data } };
  });
