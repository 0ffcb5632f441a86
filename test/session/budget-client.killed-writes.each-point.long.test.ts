/** What a process that was killed during a write leaves to its successor. */

import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { createTransactions, updateTransaction } from '../../src/operations/transaction-writes.ts';
import type { WriteSteps } from '../../src/session/call-writes.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { bearer, sendRequest } from '../service/running-service.helper.ts';
import { failureOf } from './sending.helper.ts';
import { type Process, type Sharing, startSharing } from './sharing-processes.helper.ts';

function budgetError(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}

/** The outcome of the first call that is not about an unknown outcome or an earlier write that takes too long. */
async function callUntilSettled({ log }: Process, amount: number) {
  for (let call = 1; call <= 20; call += 1) {
    const result = await log(amount).catch(budgetError);
    if (!(result instanceof BudgetError)) return result;
    expect(['outcome_unknown', 'not_written']).toContain(result.code);
  }
  return expect.unreachable('It was never settled.');
}

/** Waits for `work` or for the end of its process. */
async function untilKilled<Result>({ passing }: Sharing, { life }: Process, work: Promise<Result>) {
  const killed = new Promise<'killed'>((resolve) => life.onKilled(() => resolve('killed')));
  return passing(Promise.race([killed, work.catch(budgetError)]));
}

/** A process that is killed when the proxy has its request, and so before the answer. */
async function killedWhileSending(sharing: Sharing, memory: SharedMemory, amount: number) {
  const process = sharing.startProcess(memory);
  sharing.onWrite.push(() => process.life.kill());
  expect(await untilKilled(sharing, process, process.start(amount))).toBe('killed');
}

/** Kills a process at each point of what `start` does, one after the other, until it ends before that. */
async function* killedAtEachPoint(
  sharing: Sharing,
  faults: readonly Fault[],
  start: (first: Process, amount: number) => Promise<unknown>,
) {
  for (let killAt = 1; ; killAt += 1) {
    const amount = -1_000 - killAt;
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    first.life.killAt = killAt;
    sharing.faults.writes = [...faults];
    const sentBefore = sharing.sent();
    if ((await untilKilled(sharing, first, start(first, amount))) !== 'killed') return;
    sharing.faults.writes = [];
    yield { point: `${killAt}: ${first.life.events.at(-1)}`, amount, memory, sentBefore };
  }
}

describe('a process that is killed during a write', () => {
  test.each<readonly [string, Fault]>([
    ['the answer arrives', NO_FAULT],
    ['the answer is lost', UNANSWERED],
    ['the request is lost', DROPPED],
  ])(
    'whatever the point of the kill, an equal call in the next process leads to one entry: %s',
    async (_, fault) => {
      const sharing = await startSharing();
      const ends = new Set<string>();
      const kills = killedAtEachPoint(sharing, [fault], (first, amount) => first.start(amount));
      for await (const { point, amount, memory, sentBefore } of kills) {
        const sentByFirst = sharing.sent() - sentBefore;
        const madeByFirst = sharing.coffees(amount).length;

        const next = sharing.startProcess(memory);
        await sharing.passing(next.client.begin().resolveBudget(undefined));
        const { data, earlier_call } = await callUntilSettled(next, amount);
        const made = sharing.coffees(amount).map(({ id }) => id);
        const journal = await next.journal();
        await sharing.pass(2_000);
        expect({
          point,
          made: data.transaction_ids,
          isEarlier: earlier_call !== undefined,
          sent: sharing.sent() - sentBefore,
          journal: journal.map(({ steps }) => steps.map((step) => step.data['transaction_ids'])),
          states: await next.states(),
        }).toEqual({
          point,
          made,
          isEarlier: madeByFirst === 1,
          sent: sentByFirst + 1 - madeByFirst,
          journal: [[made]],
          states: [],
        });
        expect(made).toHaveLength(1);
        ends.add(earlier_call === undefined ? 'written anew' : 'earlier outcome');
      }
      expect(ends).toEqual(
        new Set(fault === DROPPED ? ['written anew'] : ['written anew', 'earlier outcome']),
      );
    },
    120_000,
  );

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
    const arriving = sendRequest(sharing.service, `/budgets/${sharing.ledger.id}/transactions`, {
      method: 'POST',
      headers: { ...bearer(sharing.service.accessToken), 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: { ...sharing.coffee, amount: -4_500 } }),
    });
    expect((await arriving).status).toBe(201);
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
    const arriving = await sendRequest(sharing.service, `/budgets/${sharing.ledger.id}/transactions`, {
      method: 'POST',
      headers: { ...bearer(sharing.service.accessToken), 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: { ...sharing.coffee, amount: -4_500 } }),
    });
    expect(arriving.status).toBe(201);
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
        data: { transaction: { amount: -5_500 } },
      },
    ]);
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

describe('a process that is killed during several writes of one call', () => {
  const entry = { name: 'log_two', title: 'Log two' };

  const logTwo = ({ client }: Process, coffee: Sharing['coffee'], amount: number) =>
    client.begin().writeTogether(entry, { amount }, async ({ write }: WriteSteps) => {
      const input = { transactions: [{ ...coffee, amount }] };
      const first = await write(createTransactions, input);
      const second = await write(createTransactions, input);
      return { outcome: 'written', data: { first: first.data, second: second.data } };
    });

  test.each<readonly [string, readonly Fault[]]>([
    ['both answers arrive', []],
    ['the first answer is lost', [UNANSWERED]],
    ['the second answer is lost', [NO_FAULT, UNANSWERED]],
  ])(
    'whatever the point of the kill, the journal has what was written, and nothing is sent for it again: %s',
    async (_, writes) => {
      const sharing = await startSharing();
      const ends = new Set<string>();
      const log = (first: Process, amount: number) => logTwo(first, sharing.coffee, amount);
      for await (const { point, amount, memory } of killedAtEachPoint(sharing, writes, log)) {
        const madeByFirst = sharing.coffees(amount).map(({ id }) => id);
        const next = sharing.startProcess(memory);
        const again = () => sharing.passing(logTwo(next, sharing.coffee, amount)).catch(budgetError);
        let result = await again();
        while (result instanceof BudgetError && ['outcome_unknown', 'not_written'].includes(result.code))
          result = await again();
        const journal = await next.journal();
        const journaled = journal.flatMap(({ steps }) =>
          steps.flatMap(({ data }) => data['transaction_ids']),
        );
        const made = sharing.coffees(amount).map(({ id }) => id);
        expect([point, journaled.toSorted()]).toEqual([point, made.toSorted()]);
        if (result instanceof BudgetError) {
          expect([point, result.code, made]).toEqual([point, 'partly_written', madeByFirst]);
          expect(result.message).toContain('an earlier run of this server ended while it was carried out');
          expect(made.length).toBeGreaterThan(0);
          ends.add('partly written');
        } else if (result.earlier_call === undefined) {
          expect([point, madeByFirst, made.length]).toEqual([point, [], 2]);
          ends.add('written anew');
        } else {
          expect([point, made]).toEqual([point, madeByFirst]);
          expect(made).toHaveLength(2);
          ends.add('earlier outcome');
        }
      }
      expect(ends).toEqual(new Set(['written anew', 'partly written', 'earlier outcome']));
    },
    120_000,
  );

  test('is not reported as not written after the first one, also if the journal is lost', async () => {
    const sharing = await startSharing();
    const memory = new SharedMemory();
    const first = sharing.startProcess(memory);
    sharing.faults.writes = [NO_FAULT, DROPPED];
    sharing.onWrite.push(
      () => {},
      () => first.life.kill(),
    );
    await untilKilled(sharing, first, logTwo(first, sharing.coffee, -4_500));
    memory.logs.delete('journal');
    const next = sharing.startProcess(memory);
    await sharing.passing(next.client.begin().resolveBudget(undefined));
    await sharing.pass(60_000);
    expect(await next.states()).toEqual(['partly_written']);
    expect(sharing.coffees(-4_500)).toHaveLength(1);
  });
});
