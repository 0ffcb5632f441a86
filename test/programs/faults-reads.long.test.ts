/** Reads of the built program while requests fail, budgets are deleted and copies of the service lag behind. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import { BEHIND, NO_FAULT } from '../faulty-proxy.helper.ts';
import { dataOf } from '../service/running-service.helper.ts';
import { type StartedProgram, startProgram } from './program-behind-proxy.helper.ts';

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111';

const rowsSchema = z.array(z.object({ id: z.string() }));
const idsOf = (rows: unknown) => rowsSchema.parse(rows).map(({ id }) => id);

const monthsSchema = z.array(z.looseObject({ month: z.string() }));
const monthsOf = (rows: unknown) => monthsSchema.parse(rows).map(({ month }) => month);

const statusSchema = z.object({ requests: z.object({ left: z.number(), left_for_reads: z.number() }) });
const requestsOf = async ({ call }: StartedProgram) =>
  statusSchema.parse((await call('get_status')).structured).requests;

/** The program caches a budget from the second read on. */
async function startWithReplica(options: Parameters<typeof startProgram>[0] = {}) {
  const started = await startProgram(options);
  await started.call('list_accounts');
  await started.call('list_accounts');
  return started;
}

test('after a write that could not be sent, reads return the cached budget and its age', async () => {
  const { call, clock, logCoffee, proxy } = await startWithReplica();
  await clock.pass(60_000);
  proxy.stop();
  const failed = await logCoffee();
  expect([failed.isError, failed.text]).toEqual([
    true,
    expect.stringMatching(/^This call changed nothing\. /),
  ]);
  const { isError, structured, text } = await call('list_accounts');
  expect(isError, text).toBe(false);
  expect(structured['accounts']).not.toEqual([]);
  expect(text).toMatch(
    /As of 2026-11-21T12:00:00.000Z, .* It is older than it should be: .*cannot be reached/,
  );
  expect(text).not.toContain('may be missing');
  expect((await call('list_budgets')).isError).toBe(false);
});

test('after a write that the service refuses, reads return the cached budget although no request is left for reads', async () => {
  const started = await startWithReplica({ service: { rateLimit: 20 } });
  const { call, clock, coffee } = started;
  while ((await requestsOf(started)).left_for_reads > 0) await call('refresh_budget');
  await clock.pass(60_000);
  const refused = await call('create_transactions', {
    transactions: [{ ...coffee, account_id: UNKNOWN_ID }],
  });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('400')]);
  const { isError, text } = await call('list_accounts');
  expect(isError, text).toBe(false);
  expect(text).toMatch(/It is older than it should be: .*reserved for writes/);
  expect((await call('list_budgets')).isError).toBe(false);
});

async function startWithDeletedBudget() {
  const started = await startWithReplica();
  const { call, clock, service } = started;
  const { structured } = await call('list_accounts');
  const { id } = z.object({ id: z.string() }).parse(structured['budget']);
  await clock.pass(12_000);
  const { ledgers } = service.user;
  ledgers.splice(
    ledgers.findIndex((ledger) => ledger.id === id),
    1,
  );
  return { ...started, deletedId: id, leftIds: ledgers.map((ledger) => ledger.id) };
}

test('a budget that was deleted elsewhere is missing from the next list of budgets', async () => {
  const { call, leftIds } = await startWithDeletedBudget();
  const { isError, structured, text } = await call('list_budgets');
  expect(isError, text).toBe(false);
  expect(idsOf(structured['budgets'])).toEqual(leftIds);
});

test('a configured default budget that was deleted elsewhere causes an error that names the others', async () => {
  const { call, leftIds } = await startWithDeletedBudget();
  const first = await call('list_accounts');
  expect([first.isError, first.text]).toEqual([true, expect.stringContaining(leftIds[0] ?? 'nothing')]);
  expect((await call('list_accounts', { budget_id: leftIds[0] })).isError).toBe(false);
});

/** Writes a transaction. The next responses come from a copy of the service without it. */
async function startWithWrite(answersBehind: number) {
  const started = await startWithReplica();
  const { clock, faults, logCoffee } = started;
  await clock.pass(30_000);
  const behind = Array.from({ length: answersBehind }, () => BEHIND);
  // The first read is the one before the write.
  faults.reads.push(NO_FAULT, ...behind);
  const { structured } = await logCoffee();
  const [id = expect.unreachable()] = z.array(z.string()).parse(structured['transaction_ids']);
  return { ...started, id };
}

test('a read after a write shows the write, because the program repeats a read whose response lacks it', async () => {
  const { call, faults, id } = await startWithWrite(3);
  // Two of the three were reads for the result of the write.
  expect(faults.reads).toHaveLength(1);
  const { structured, text } = await call('list_transactions');
  expect(faults.reads).toEqual([]);
  expect(idsOf(structured['transactions'])).toContain(id);
  expect(text).not.toContain('older than it should be');
});

test('a read after a write says that the write may be missing if all responses lack it', async () => {
  const { call, id } = await startWithWrite(99);
  const { structured, text } = await call('list_transactions');
  expect(idsOf(structured['transactions'])).not.toContain(id);
  expect(text).toMatch(/It is older than it should be: .*may be missing from it/);
});

test('a 429 that does not come from the service stops reads and writes for at most a minute', async () => {
  const started = await startWithReplica();
  const { call, clock, faults, logCoffee } = started;
  await clock.pass(30_000);
  faults.reads.push({ deliveries: 0, answer: '429' });
  expect((await call('list_accounts')).text).toMatch(/It is older than it should be: .*429/);
  expect((await requestsOf(started)).left).toBe(0);
  await clock.pass(60_000);
  expect((await call('list_accounts')).text).not.toContain('older than it should be');
  expect((await requestsOf(started)).left).toBeGreaterThan(150);
  expect((await logCoffee()).text).toMatch(/^Written\.$/m);
});

test('an outage uses up no requests, and reads work again a minute after it', async () => {
  const started = await startWithReplica({ service: { rateLimit: 60 } });
  const { call, clock, service } = started;
  const { left_for_reads } = await requestsOf(started);
  service.maintenance = true;
  for (let asked = 0; asked < 60; asked += 1) await call('refresh_budget');
  expect((await requestsOf(started)).left_for_reads).toBe(left_for_reads);
  service.maintenance = false;
  await clock.pass(60_000);
  expect((await call('list_accounts')).text).not.toContain('older than it should be');
});

test('months keep the order of the service when a transaction before the first month is entered elsewhere', async () => {
  const { account, call, clock, ledger, service } = await startWithReplica();
  const monthsOfService = async () => {
    const shape = { months: monthsSchema, server_knowledge: z.int() };
    return monthsOf((await dataOf(service, `/budgets/${ledger.id}/months`, shape)).months);
  };
  const before = await monthsOfService();
  ledger.commit((books) =>
    addTransaction(books, { account_id: account('Wallet').id, date: '2025-12-24', amount: -1_000 }),
  );
  await clock.pass(30_000);
  const after = await monthsOfService();
  expect(after.length).toBeGreaterThan(before.length);
  const list = await call('list_months');
  expect(monthsOf(list.structured['months'])).toEqual(after);
});
