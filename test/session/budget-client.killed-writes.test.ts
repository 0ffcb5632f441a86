/** What a process that was killed during a write leaves to its successor. */

import { describe, expect, test } from 'vitest';
import { listAccounts } from '../../src/operations/accounts.ts';
import { createPayee } from '../../src/operations/payees.ts';
import { createTransactions, updateTransaction } from '../../src/operations/transaction-writes.ts';
import { createPayee as addPayee, renamePayee } from '../../src/service/ledger/payees.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { DROPPED } from '../faulty-proxy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { bearer, sendRequest } from '../service/running-service.helper.ts';
import { budgetError, callUntilSettled, killedWhileSending, untilKilled } from './killed-writes.helper.ts';
import { failureOf } from './sending.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

describe('a process that is killed during a write', () => {
  test('the next process finds the write without being called again, and says whose it was', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await killedWhileSending(sharing, memory, -4_500);
    const next = sharing.startProcess(memory);
    const call = next.client.begin();
    await sharing.passing(call.resolveBudget(undefined));
    await sharing.pass(5_000);
    expect((await sharing.passing(next.client.status())).writes).toEqual([
      {
        tool: 'create_transactions',
        budget_id: sharing.ledger.id,
        called_at: Date.parse('2026-11-21T12:00:00Z'),
        state: 'written',
        earlier_run: true,
      },
    ]);
    const [entry] = await next.journal();
    expect(entry?.steps[0]?.data['transaction_ids']).toEqual(sharing.coffees(-4_500).map(({ id }) => id));
    expect(call.takeNews()).toMatchObject([{ tool: 'create_transactions' }]);
    expect(call.takeNews()).toEqual([]);
    const another = next.client.begin({ caller: 'another' });
    await sharing.passing(another.resolveBudget(sharing.ledger.id));
    expect(another.takeNews()).toEqual([]);
    expect(sharing.sent()).toBe(1);
  });

  test('a request that arrives after the end of its process is found, and the equal call is not sent', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    sharing.faults.writes.push(DROPPED);
    await killedWhileSending(sharing, memory, -4_500);
    const next = sharing.startProcess(memory);
    expect((await failureOf(next.log(-4_500))).code).toBe('outcome_unknown');
    await sharing.pass(10_000);
    await sharing.enterCoffee(-4_500);
    const { earlier_call } = await callUntilSettled(next, -4_500);
    expect([earlier_call !== undefined, sharing.coffees(-4_500).length]).toEqual([true, 1]);
  });

  test('an equal call that waited for its turn in another process gets the outcome, and is not sent', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const [first, next] = [sharing.startProcess(memory), sharing.startProcess(memory)];
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    first.life.suspendAt('after request POST');
    void first.start(-4_500);
    await sharing.pass(1_000);
    const waiting = next.start(-4_500);
    await sharing.pass(1_000);
    first.life.kill();
    const { earlier_call } = await sharing.passing(waiting);
    expect([earlier_call !== undefined, sharing.coffees(-4_500).length, sharing.sent()]).toEqual([
      true,
      1,
      1,
    ]);
    expect(await next.journal()).toHaveLength(1);
    await sharing.pass(2_000);
    expect(await next.states()).toEqual([]);
  });

  test('an equal call gets the outcome, and is not sent, while the process still seems to run', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const [first, next] = [sharing.startProcess(memory), sharing.startProcess(memory)];
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    // As with a lease, which stays for some seconds after a kill.
    let seemsToRun = true;
    Object.assign(next.store, { isRunning: async () => seemsToRun });
    await first.log(-4_500);
    first.life.kill();
    const waiting = next.start(-4_500);
    await sharing.pass(5_000);
    expect(sharing.sent()).toBe(1);
    seemsToRun = false;
    const { earlier_call } = await sharing.passing(waiting);
    expect([earlier_call !== undefined, sharing.coffees(-4_500).length, sharing.sent()]).toEqual([
      true,
      1,
      1,
    ]);
  });

  test('a call that waited for its turn in another process is sent if the equal one was not carried out', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const [first, next] = [sharing.startProcess(memory), sharing.startProcess(memory)];
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    first.life.suspendAt('before request POST');
    void first.start(-4_500);
    await sharing.pass(1_000);
    const waiting = next.start(-4_500).catch(budgetError);
    await sharing.pass(1_000);
    first.life.kill();
    await sharing.passing(waiting);
    const { earlier_call } = await callUntilSettled(next, -4_500);
    expect([earlier_call, sharing.coffees(-4_500).length, sharing.sent()]).toEqual([undefined, 1, 1]);
  });

  test('while it is looked for, different writes go on, and an equal one is not sent', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    sharing.faults.writes.push(DROPPED);
    await killedWhileSending(sharing, memory, -4_500);
    const [one, other] = [sharing.startProcess(memory), sharing.startProcess(memory)];
    for (const [process, amount] of [
      [one, -9_900],
      [other, -8_800],
      [one, -7_700],
    ] as const) {
      const begunAt = sharing.clock.monotonic();
      expect((await process.log(amount)).outcome).toBe('written');
      expect(sharing.clock.monotonic() - begunAt).toBeLessThan(15_000);
    }
    expect((await failureOf(other.log(-4_500))).code).toBe('outcome_unknown');
    expect(await one.states()).toEqual(['being_looked_for']);
    await sharing.pass(60_000);
    expect((await other.log(-4_500)).earlier_call).toBeUndefined();
    expect([sharing.sent(), sharing.coffees(-4_500).length]).toEqual([5, 1]);
  });

  test('its entry is found, although another process has written an equal one meanwhile and names it as a duplicate', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    sharing.faults.writes.push(DROPPED);
    await killedWhileSending(sharing, memory, -4_500);
    const next = sharing.startProcess(memory);
    const goOn = next.life.suspendAt('before request POST');
    const transactions = [-4_500, -9_900].map((amount) => ({ ...sharing.coffee, amount }));
    const writing = callOperation(next.client, createTransactions, { transactions });
    await sharing.pass(500);
    await sharing.enterCoffee(-4_500);
    goOn();
    const { data, possibleDuplicates } = await sharing.passing(writing);
    const { data: found, earlier_call } = await callUntilSettled(next, -4_500);
    expect(possibleDuplicates).toEqual(found.transaction_ids);
    expect(data.transaction_ids).not.toContain(found.transaction_ids[0]);
    expect([earlier_call !== undefined, sharing.coffees(-4_500).length]).toEqual([true, 2]);
  });

  test('its entry is found before another process changes it', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await killedWhileSending(sharing, memory, -4_500);
    const [written] = sharing.coffees(-4_500);
    const next = sharing.startProcess(memory);
    const change = { transaction_id: written?.id ?? '', amount: -5_500 };
    expect((await sharing.passing(callOperation(next.client, updateTransaction, change))).outcome).toBe(
      'written',
    );
    expect(await next.states()).toEqual(['written']);
    expect((await next.log(-4_500)).data.transaction_ids).toEqual([written?.id]);
    expect(sharing.sent()).toBe(2);
  });

  test('the journal of a found change has what was there before it, so that it can be undone', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
    const { data } = await first.log(-4_500);
    for (const _ of [1, 2]) await sharing.passing(callOperation(first.client, listAccounts, {}));
    const [id = ''] = data.transaction_ids;
    const knowledgeBefore = sharing.ledger.knowledge;
    sharing.onWrite.push(() => first.life.kill());
    const changing = callOperation(first.client, updateTransaction, { transaction_id: id, amount: -5_500 });
    expect(await untilKilled(sharing, first, changing)).toBe('killed');
    const next = sharing.startProcess(memory);
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    await sharing.pass(5_000);
    const [changed] = await next.journal();
    expect(changed?.steps).toMatchObject([
      {
        operation: 'update_transaction',
        before: [{ id, amount: -4_500 }],
        knowledgeBefore,
        data: { transaction: { amount: -5_500 } },
      },
    ]);
  });

  test('a payee that was there before and is renamed elsewhere is not taken for the one that was to be created', async () => {
    const sharing = await startSharing();
    const { ledger } = sharing;
    const { id } = ledger.commit((books) => addPayee(books, 'Shop'));
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    sharing.faults.writes.push(DROPPED);
    sharing.onWrite.push(() => first.life.kill());
    const creating = callOperation(first.client, createPayee, { name: 'Florist' });
    expect(await untilKilled(sharing, first, creating)).toBe('killed');
    ledger.commit((books) => renamePayee(books, id, 'Florist'));
    const next = sharing.startProcess(memory);
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    await sharing.pass(60_000);
    expect(await next.states()).toEqual(['not_written']);
  });

  test('if the successor is killed too, the next one settles the write', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await killedWhileSending(sharing, memory, -4_500);
    const second = sharing.startProcess(memory);
    await sharing.passing(second.client.begin().resolveBudget(undefined));
    second.life.kill();
    const third = sharing.startProcess(memory);
    const { earlier_call, data } = await callUntilSettled(third, -4_500);
    expect(earlier_call).toBeDefined();
    expect(data.transaction_ids).toEqual(sharing.coffees(-4_500).map(({ id }) => id));
    expect(sharing.sent()).toBe(1);
  });

  test('an outcome that was delivered just before the kill is kept for an equal call', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    const { data } = await first.log(-4_500);
    first.life.kill();
    const next = sharing.startProcess(memory);
    expect(await next.log(-4_500)).toMatchObject({ data: { transaction_ids: data.transaction_ids } });
    expect((await next.log(-4_500)).earlier_call).toBeUndefined();
    expect(sharing.coffees(-4_500)).toHaveLength(2);
  });

  test('an outcome that was delivered some time before the kill is not kept', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    await first.log(-4_500);
    await sharing.pass(1_000);
    first.life.kill();
    const next = sharing.startProcess(memory);
    expect(await next.states()).toEqual([]);
    expect((await next.log(-4_500)).earlier_call).toBeUndefined();
    expect(sharing.coffees(-4_500)).toHaveLength(2);
  });

  test('an outcome is kept for ten minutes after another process has taken it over', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await killedWhileSending(sharing, memory, -4_500);
    await sharing.pass(3_600_000);
    const next = sharing.startProcess(memory);
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    await sharing.pass(600_000);
    expect(await next.states()).toEqual(['written']);
    await sharing.pass(1);
    expect(await next.states()).toEqual([]);
  });

  test('a write that a person changed before the next process started a day later is not reported as not written, and an equal call sends nothing for ten minutes', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await killedWhileSending(sharing, memory, -4_500);
    const [written] = sharing.coffees(-4_500);
    const changing = sendRequest(
      sharing.service,
      `/budgets/${sharing.ledger.id}/transactions/${written?.id}`,
      {
        method: 'PUT',
        headers: { ...bearer(sharing.service.accessToken), 'content-type': 'application/json' },
        body: JSON.stringify({ transaction: { amount: -5_400 } }),
      },
    );
    expect((await changing).status).toBe(200);
    await sharing.pass(24 * 3_600_000);
    const next = sharing.startProcess(memory);
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    await sharing.pass(60_000);
    expect(await next.states()).toEqual(['unknown']);
    await expect(sharing.passing(next.log(-4_500))).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(sharing.coffees(-4_500)).toEqual([]);
    await sharing.pass(600_001);
    await sharing.passing(next.log(-4_500));
    expect(sharing.coffees(-4_500)).toHaveLength(1);
  });

  test('after a restart of the machine, only the time since then proves that nothing was written', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    await sharing.pass(3_600_000);
    sharing.faults.writes.push(DROPPED);
    await killedWhileSending(sharing, memory, -4_500);
    const clock = new ManualClock(sharing.clock.now() + 30_000);
    const next = sharing.startProcess(memory, { clock });
    const passed = async () => {
      const status = await sharing.passing(next.client.status(), clock);
      return status.writes.map(({ state }) => state);
    };
    await sharing.passing(next.client.begin().resolveBudget(undefined), clock);
    await sharing.passing(clock.sleep(59_000), clock);
    expect(await passed()).toEqual(['being_looked_for']);
    await sharing.passing(clock.sleep(1_000), clock);
    expect(await passed()).toEqual(['not_written']);
  });
});
