/** The built program while its wall clock is set or its machine sleeps. The wall clock jumps, the monotonic one does not. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import { BEHIND, DROPPED, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startProgram } from './program-behind-proxy.helper.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a lost write is not sent twice if the clock is set forward during the search for it', async () => {
  const { clock, coffees, faults, logCoffee, sent } = await startProgram();
  faults.writes.push(UNANSWERED);
  // For twenty seconds all responses come from a copy of the service without the write.
  faults.reads.push(NO_FAULT, ...Array.from({ length: 40 }, () => BEHIND));
  expect((await logCoffee()).text).toContain('still being looked for');
  await clock.shiftWallClock(MINUTE);
  let answer = await logCoffee();
  for (let repeats = 0; repeats < 9 && answer.isError; repeats += 1) answer = await logCoffee();
  expect(answer.text).toContain('Written already by your equal call of 2026-11-21T12:00:00.000Z');
  expect([coffees(), sent()]).toEqual([1, 1]);
});

test('the outcome of a lost write and the next write are not delayed if the clock is set back during the search', async () => {
  const { call, clock, coffee, coffees, faults, host, logCoffee, sent } = await startProgram();
  faults.writes.push(DROPPED);
  const first = host.call('create_transactions', { transactions: [coffee] });
  while (sent() === 0) await clock.pass(0);
  await clock.shiftWallClock(-10 * MINUTE);
  expect((await clock.passing(first)).text).toContain('still being looked for');
  expect(clock.monotonic()).toBe(10_000);
  await clock.pass(MINUTE);
  expect((await call('get_status')).structured).toMatchObject({ writes: [{ state: 'not_written' }] });
  expect((await logCoffee()).text).toMatch(/^Written\.$/m);
  expect(clock.monotonic()).toBe(10_000 + MINUTE);
  expect([coffees(), sent()]).toEqual([1, 2]);
});

test.each([
  ['the clock was set back by an hour', -HOUR, 10_000],
  ['the machine has slept for six hours', 6 * HOUR, 0],
])('a read shows a transaction that was entered elsewhere after %s', async (_, shift, passed) => {
  const { account, call, clock, ledger } = await startProgram();
  // From the second read on, the budget is cached.
  for (let reads = 0; reads < 2; reads += 1) await call('list_transactions');
  await clock.shiftWallClock(shift);
  const { id } = ledger.commit((books) =>
    addTransaction(books, { account_id: account('Wallet').id, date: '2026-11-21', amount: -1_000 }),
  );
  await clock.pass(passed);
  const { structured } = await call('list_transactions');
  expect(structured['transactions']).toContainEqual(expect.objectContaining({ id }));
});

test('no request becomes available earlier if the clock is set forward by two hours', async () => {
  const { call, clock } = await startProgram({ service: { rateLimit: 20 } });
  const statusSchema = z.object({ requests: z.object({ left_for_reads: z.number() }) });
  const left = async () => statusSchema.parse((await call('get_status')).structured).requests.left_for_reads;
  do await call('refresh_budget');
  while ((await left()) > 0);
  await clock.shiftWallClock(2 * HOUR);
  expect(await left()).toBe(0);
  const refused = await call('refresh_budget');
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('reserved for writes')]);
  await clock.pass(HOUR);
  expect((await call('refresh_budget')).isError).toBe(false);
});
