/** Writes of several processes of one sign-in that all run. */

import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { undo } from '../../src/features/undo/undo.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { failureOf } from './sending.helper.ts';
import { type Process, startSharing } from './sharing-processes.helper.ts';

const NO_LOOK = { deliveries: 1, answer: '503' } as const;

/** The number of searches that fail. Each is tried three times. */
const blind = (looks: number) => Array.from({ length: 3 * looks }, () => NO_LOOK);

function budgetError(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}

async function startTwo() {
  const sharing = await startSharing();
  const memory = new SharedMemory();
  return { ...sharing, memory, one: sharing.startProcess(memory), other: sharing.startProcess(memory) };
}

/** A write of the first process, whose host gets a result before it is known that the write was carried out. */
async function writtenButUndelivered() {
  const started = await startTwo();
  // The first read is the one before the write.
  started.faults.reads.push(NO_FAULT, ...blind(2));
  started.faults.writes.push(UNANSWERED);
  expect((await failureOf(started.one.log(-4_500))).code).toBe('outcome_unknown');
  return started;
}

describe('processes that write at once', () => {
  test.each<readonly [string, readonly Fault[]]>([
    ['both answers arrive', []],
    ['the first answer is lost', [UNANSWERED]],
    ['the second answer is lost', [NO_FAULT, UNANSWERED]],
    ['both answers are lost', [UNANSWERED, UNANSWERED]],
    ['the first request is lost', [DROPPED]],
  ])('of two processes that write equal entries at once each finds its own: %s', async (_, writes) => {
    const { faults, passing, coffees, one, other } = await startTwo();
    faults.writes.push(...writes);
    const results = await passing(
      Promise.all([one, other].map(({ start }) => start(-4_500).catch(budgetError))),
    );
    const written = results.flatMap((each) => (each instanceof BudgetError ? [] : [each]));
    const made = coffees(-4_500).map(({ id }) => id);
    expect(written.flatMap(({ data }) => data.transaction_ids).toSorted()).toEqual(made.toSorted());
    expect(written.flatMap(({ possibleDuplicates = [] }) => possibleDuplicates)).toEqual([]);
    expect(made).toHaveLength(writes.includes(DROPPED) ? 0 : 2);
  });

  test('eight processes that write equal entries at once write one after the other, and each knows its own', async () => {
    const { startProcess, passing, coffees, faults, sent } = await startSharing();
    const memory = new SharedMemory();
    const processes = Array.from({ length: 8 }, () => startProcess(memory));
    faults.writes.push(UNANSWERED, NO_FAULT, UNANSWERED, NO_FAULT, UNANSWERED);
    const results = await passing(Promise.all(processes.map(({ start }) => start(-4_500))));
    const ids = results.map(({ data }) => data.transaction_ids[0]);
    expect(ids.toSorted()).toEqual(
      coffees(-4_500)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(results.flatMap(({ possibleDuplicates = [] }) => possibleDuplicates)).toEqual([]);
    expect([new Set(ids).size, sent()]).toEqual([8, 8]);
  });

  test('the entry that another process wrote a moment ago is not taken for an own one that was lost', async () => {
    const { faults, one, other, passing, pass, coffees } = await startTwo();
    // The baseline of the second write could be this read.
    await passing(callOperation(other.client, listAccounts, {}));
    await one.log(-4_500);
    faults.writes.push(DROPPED);
    expect((await failureOf(other.log(-4_500))).code).toBe('outcome_unknown');
    await pass(60_000);
    expect(await other.states()).toEqual(['not_written']);
    expect(coffees(-4_500)).toHaveLength(1);
  });

  test('a write is not sent while another process looks for a lost one in the same budget', async () => {
    const { faults, one, other, sent, pass } = await startTwo();
    faults.writes.push(DROPPED);
    await failureOf(one.log(-4_500));
    const { code, message } = await failureOf(other.log(-9_900));
    expect([code, message]).toEqual(['not_written', expect.stringContaining('nothing was sent within 10 s')]);
    await pass(60_000);
    expect(sent()).toBe(1);
    expect((await other.log(-9_900)).outcome).toBe('written');
  });

  test.each([
    ['after it got its turn', 'after', 1],
    ['before it writes down what it sends', 'before', 2],
    ['after it has written down what it sends', 'after', 2],
  ])(
    'a process that is suspended %s keeps others waiting for 45 s, and does not send afterwards',
    async (_, side, count) => {
      const { one, other, passing, pass, sent, clock } = await startTwo();
      const suspendedAt = clock.monotonic();
      const goOn = one.life.suspendAt(`${side} update pending writes`, count);
      const writing = failureOf(one.start(-4_500));
      await pass(100);
      const refused: string[] = [];
      for (;;) {
        const result = await other.log(-9_900).catch(budgetError);
        if (!(result instanceof BudgetError)) break;
        refused.push(result.message);
      }
      expect(clock.monotonic() - suspendedAt).toBeLessThanOrEqual(45_100);
      expect(refused.at(-1)).toBe(
        `Create transactions: nothing was sent within 10 s. Another process of this user (process ${process.pid}), such as that of another window, has been writing to this budget since 2026-11-21T12:00:00.000Z. It has not moved since 2026-11-21T12:00:00.000Z and may be suspended: its turn ends by itself at 2026-11-21T12:00:45.000Z at the latest, and sooner if it goes on and finishes, or when process ${process.pid} ends.`,
      );
      expect(sent()).toBe(1);
      goOn();
      const { code, message } = await passing(writing);
      expect([code, message]).toEqual(['not_written', expect.stringMatching(/nothing was sent/i)]);
      await pass(1);
      expect([await other.states(), sent()]).toEqual([[], 1]);
    },
  );
});

describe('an equal call in another process', () => {
  test('an equal call in another process waits for a write whose host got no outcome, and returns its outcome', async () => {
    const { other, one, coffees, sent, pass } = await writtenButUndelivered();
    const { data, earlier_call, outcome } = await other.log(-4_500);
    expect([outcome, earlier_call]).toEqual(['confirmed_afterwards', '2026-11-21T12:00:00.000Z']);
    expect(data.transaction_ids).toEqual(coffees(-4_500).map(({ id }) => id));
    expect(sent()).toBe(1);
    await pass(1_000);
    expect([await one.states(), await other.states()]).toEqual([[], []]);
  });

  test('after an equal call of another process got the outcome, the next one is a new write', async () => {
    const { other, one, coffees, pass } = await writtenButUndelivered();
    await other.log(-4_500);
    expect((await one.log(-4_500)).earlier_call).toBeUndefined();
    await pass(2_000);
    expect((await one.log(-4_500)).earlier_call).toBeUndefined();
    expect(coffees(-4_500)).toHaveLength(3);
  });

  test('of two equal calls at once, one gets the earlier outcome and the other one writes', async () => {
    const { other, one, passing, pass, coffees } = await writtenButUndelivered();
    await pass(60_000);
    const results = await passing(Promise.all([one.start(-4_500), other.start(-4_500)]));
    expect(results.filter(({ earlier_call }) => earlier_call !== undefined)).toHaveLength(1);
    expect(coffees(-4_500)).toHaveLength(2);
  });

  test('an equal call in another process is a new write while the host of the first one still waits', async () => {
    const { one, other, passing, coffees } = await startTwo();
    const results = await passing(Promise.all([one.start(-4_500), other.start(-4_500)]));
    expect(results.map(({ earlier_call }) => earlier_call)).toEqual([undefined, undefined]);
    expect(coffees(-4_500)).toHaveLength(2);
  });

  test('an equal call of another caller in another process is a new write', async () => {
    const { other, pass, coffees } = await writtenButUndelivered();
    await pass(60_000);
    expect((await other.log(-4_500, { caller: 'another' })).earlier_call).toBeUndefined();
    expect(await other.states()).toEqual(['written']);
    expect(coffees(-4_500)).toHaveLength(2);
  });

  test('an equal call in another process whose host cancels leaves the outcome to the next one', async () => {
    const { one, other, passing, clock, coffees } = await writtenButUndelivered();
    const cancelling = new AbortController();
    await passing(other.client.begin().resolveBudget(undefined));
    const call = other.start(-4_500, { signal: cancelling.signal });
    void clock.sleep(50).then(() => cancelling.abort());
    expect((await failureOf(passing(call))).code).toBe('outcome_unknown');
    expect((await one.log(-4_500)).earlier_call).toBeDefined();
    expect(coffees(-4_500)).toHaveLength(1);
  });

  test('an equal call in another process searches again if the outcome is unknown, and returns what it finds', async () => {
    const { faults, one, other, coffees, sent, pass } = await startTwo();
    faults.reads.push(NO_FAULT, ...blind(5));
    faults.writes.push(UNANSWERED);
    await failureOf(one.log(-4_500));
    await pass(60_000);
    expect(await other.states()).toEqual(['unknown']);
    expect(await other.log(-4_500)).toMatchObject({ outcome: 'confirmed_afterwards' });
    expect((await other.journal()).map(({ steps }) => steps.length)).toEqual([1]);
    expect([sent(), coffees(-4_500).length]).toEqual([1, 1]);
  });

  test('an equal call takes the write over if the process of that write ends meanwhile', async () => {
    const { one, other, passing, clock, coffees, sent } = await writtenButUndelivered();
    void clock.sleep(300).then(() => one.life.kill());
    const again = await passing(other.start(-4_500).catch(budgetError));
    if (again instanceof BudgetError) expect((await other.log(-4_500)).earlier_call).toBeDefined();
    expect([sent(), coffees(-4_500).length]).toEqual([1, 1]);
  });
});

describe('the host of a process on another machine that was killed', () => {
  const LEASE_MS = 8_000;

  test.each([
    ['before request POST', 1],
    ['after request POST', 1],
    // The first time it gets its turn, the second time it writes down what it sends, the third time it has the answer, and the
    // fourth time it is settled.
    ['before update pending writes', 2],
    ['after update pending writes', 2],
    ['before update pending writes', 3],
    ['after update pending writes', 3],
    ['before update pending writes', 4],
    ['after update pending writes', 4],
    ['after the outcome', 1],
  ])('a call that is repeated at once after a kill %s (%i) is written once', async (point, count) => {
    const { startProcess, passing, pass, coffees } = await startSharing();
    const memory = new SharedMemory();
    const one = startProcess(memory, { leaseMs: LEASE_MS });
    const other = startProcess(memory);
    await passing(other.client.begin().resolveBudget(undefined));
    if (point === 'after the outcome') {
      await one.log(-4_500);
      one.life.kill();
    } else {
      one.life.suspendAt(point, count);
      one.start(-4_500).catch(() => {});
      await pass(100);
      one.life.kill();
    }
    const results = [];
    for (let attempt = 1; attempt <= 8 && results.at(-1)?.data === undefined; attempt += 1)
      results.push(await passing(other.start(-4_500).catch(() => ({ data: undefined }))));
    expect(results.at(-1)?.data?.transaction_ids).toEqual(coffees(-4_500).map(({ id }) => id));
    expect(coffees(-4_500)).toHaveLength(1);
  });

  test('a call that is repeated while the store has not noted that its first host left is written once', async () => {
    const { startProcess, passing, pass, coffees } = await startSharing();
    const memory = new SharedMemory();
    const [one, other] = [startProcess(memory), startProcess(memory)];
    await passing(other.client.begin().resolveBudget(undefined));
    const cancelling = new AbortController();
    const goOn = one.life.suspendAt('before update pending writes', 3);
    const first = one.start(-4_500, { signal: cancelling.signal }).catch(() => {});
    await pass(100);
    const again = other.start(-4_500);
    await pass(500);
    cancelling.abort();
    goOn();
    expect((await passing(again)).earlier_call).toBeDefined();
    await passing(first);
    expect(coffees(-4_500)).toHaveLength(1);
  });
});

describe('the journal of all processes', () => {
  test('a write of one process is undone in another one, once', async () => {
    const { one, other, passing, coffees } = await startTwo();
    await one.log(-4_500);
    const takeBack = async ({ client }: Process, write?: string) => {
      const call = client.begin();
      const { id } = await call.resolveBudget(undefined);
      const planned = await undo.plan(call, { budget_id: id, ...(write !== undefined && { write }) });
      return planned.run(false);
    };
    expect((await failureOf(passing(takeBack(other)))).message).toContain('give its id of list_writes');
    await passing(takeBack(other, (await other.journal())[0]?.id));
    expect(coffees(-4_500)).toEqual([]);
    const [undone, logged] = await one.journal();
    expect(logged?.takenBackBy).toBe(undone?.id);
    expect((await failureOf(passing(takeBack(one)))).message).toContain(
      'nothing in this budget that could be',
    );
  });

  test('on several machines of one server, undo takes back the last write of any of them', async () => {
    const { startProcess, passing, coffees } = await startSharing();
    const memory = new SharedMemory();
    const [one, other] = [
      startProcess(memory, { isOneServer: true }),
      startProcess(memory, { isOneServer: true }),
    ];
    await one.log(-4_500);
    await other.log(-9_900);
    const call = one.client.begin();
    const { id } = await passing(call.resolveBudget(undefined));
    await passing(undo.plan(call, { budget_id: id }).then((planned) => planned.run(false)));
    expect([coffees(-4_500).length, coffees(-9_900).length]).toEqual([1, 0]);
  });
});
