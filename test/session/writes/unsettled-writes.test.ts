import { describe, expect, test } from 'vitest';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { DROPPED, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { startWriting } from '../writing-client.helper.ts';

const NO_LOOK = { deliveries: 1, answer: '503' } as const;

/** The number of searches that fail. Each is tried three times. */
const blind = (looks: number) => Array.from({ length: 3 * looks }, () => NO_LOOK);

type Started = Awaited<ReturnType<typeof startWriting>>;

/** A write whose host gets a result before it is known that the write was carried out. */
async function writtenButUndelivered(memory?: SharedMemory) {
  const started: Started = await startWriting(
    memory && { store: async () => new MemoryStore(started.clock, memory) },
  );
  // The first read is the one before the write.
  started.faults.reads.push({ deliveries: 1, answer: 'whole' }, ...blind(2));
  started.faults.writes.push(UNANSWERED);
  expect((await failureOf(started.log())).code).toBe('outcome_unknown');
  return started;
}

describe('the host of a lost write', () => {
  test('the host of a lost write gets a result within ten seconds, which says that the write is still being looked for', async () => {
    const { faults, clock, log, client, ledger } = await startWriting();
    faults.writes.push(DROPPED);
    const before = clock.monotonic();
    const failure = await failureOf(log());
    expect(clock.monotonic() - before).toBe(10_000);
    expect(failure.code).toBe('outcome_unknown');
    expect(failure.message).toContain('still being looked for');
    expect(failure.advice).toContain('get_status');
    expect((await client.status()).writes).toEqual([
      {
        tool: 'create_transactions',
        budget_id: ledger.id,
        called_at: Date.parse('2026-11-21T12:00:00Z'),
        state: 'being_looked_for',
      },
    ]);
  });

  test('a host that cancels a lost write does not wait, and the search for the write continues', async () => {
    const { faults, start, passing, pass, client } = await startWriting();
    faults.writes.push(UNANSWERED);
    faults.reads.push({ deliveries: 1, answer: 'whole' }, ...blind(1));
    const cancelling = new AbortController();
    const call = start(cancelling.signal);
    call.catch(() => {});
    await pass(500);
    cancelling.abort();
    expect((await failureOf(passing(call))).code).toBe('outcome_unknown');
    expect((await client.status()).writes).toMatchObject([{ state: 'being_looked_for' }]);
    await pass(10_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'written' }]);
  });

  test('a lost write is never sent again, however long the search takes', async () => {
    const { faults, log, pass, client, coffees, sent } = await startWriting();
    faults.writes.push(DROPPED);
    await failureOf(log());
    await pass(120_000);
    expect([sent(), coffees()]).toEqual([1, 0]);
    expect((await client.status()).writes).toMatchObject([{ state: 'not_written' }]);
  });

  test('a client with a lost write can close without waiting for the search', async () => {
    const { faults, log, client } = await startWriting();
    faults.writes.push(DROPPED);
    await failureOf(log());
    await client.writesSettled();
  });
});

describe('an equal call', () => {
  test('an equal call after a write that was carried out returns its outcome and sends nothing', async () => {
    const { log, pass, coffees, sent, client, ledger } = await writtenButUndelivered();
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'written' }]);
    const { data, earlier_call, outcome, changed, freshness } = await log();
    expect([sent(), coffees()]).toEqual([1, 1]);
    expect(data.transaction_ids).toEqual([ledger.transactions(undefined).at(-1)?.id]);
    expect([outcome, earlier_call]).toEqual(['confirmed_afterwards', '2026-11-21T12:00:00.000Z']);
    // The balances are those at the time of the write.
    expect(changed?.accounts).toHaveLength(1);
    expect(Date.parse(freshness.as_of)).toBeLessThan(Date.parse('2026-11-21T12:00:50Z'));
  });

  test('an equal call waits for a write that is still being looked for', async () => {
    const { log, coffees, sent } = await writtenButUndelivered();
    expect((await log()).earlier_call).toBeDefined();
    expect([sent(), coffees()]).toEqual([1, 1]);
  });

  test('an equal call after the token was replaced still returns the outcome and sends nothing', async () => {
    const { log, coffees, client, signInAnew, passing, pass } = await writtenButUndelivered();
    await pass(60_000);
    signInAnew();
    await passing(callOperation(client, listAccounts, {}));
    expect((await client.status()).writes).toHaveLength(1);
    expect((await log()).earlier_call).toBeDefined();
    expect(coffees()).toBe(1);
  });

  test('another call after the token was replaced is a separate write', async () => {
    const { log, client, signInAnew, passing, pass } = await writtenButUndelivered();
    await pass(60_000);
    signInAnew();
    await passing(callOperation(client, listAccounts, {}));
    expect((await log(undefined, '', -4_600)).earlier_call).toBeUndefined();
    expect((await log()).earlier_call).toBeDefined();
  });

  test('an equal call after a delivered outcome is a separate write', async () => {
    const { log, coffees, client } = await writtenButUndelivered();
    await log();
    expect((await client.status()).writes).toEqual([]);
    expect((await log()).earlier_call).toBeUndefined();
    expect(coffees()).toBe(2);
  });

  test('an equal call is sent only after it is proven that the earlier one was not carried out', async () => {
    const { faults, log, clock, coffees, sent } = await startWriting();
    faults.writes.push(DROPPED);
    const before = clock.monotonic();
    let failures = 0;
    for (;;) {
      const outcome = await log().then(
        ({ outcome }) => outcome,
        ({ code }) => code,
      );
      if (outcome === 'written') break;
      expect(outcome).toBe('outcome_unknown');
      failures += 1;
    }
    expect(clock.monotonic() - before).toBe(50_000);
    expect([failures, sent(), coffees()]).toEqual([5, 2, 1]);
  });

  test('an equal call after one that was cancelled before it was sent is a separate write', async () => {
    const { start, log, pass, coffees, sent } = await startWriting();
    const cancelling = new AbortController();
    const call = start(cancelling.signal);
    cancelling.abort();
    expect((await failureOf(call)).code).toBe('cancelled');
    await pass(1_000);
    expect(sent()).toBe(0);
    expect((await log()).earlier_call).toBeUndefined();
    expect(coffees()).toBe(1);
  });

  test('a call of another caller, or with other arguments, is a separate write', async () => {
    const { log, pass, coffees, client } = await writtenButUndelivered();
    await pass(60_000);
    expect((await log(undefined, 'another caller')).earlier_call).toBeUndefined();
    expect((await log(undefined, '', -4_600)).earlier_call).toBeUndefined();
    expect(coffees()).toBe(2);
    expect((await client.status('another caller')).writes).toEqual([]);
    expect((await client.status()).writes).toHaveLength(1);
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])(
    'an undelivered write is recognised for ten minutes, and not longer, if the wall clock is set %s',
    async (_, shift) => {
      const { log, pass, clock, coffees } = await writtenButUndelivered();
      await pass(60_000);
      clock.setWallClock(clock.now() + shift);
      await pass(530_000);
      expect((await log()).earlier_call).toBeDefined();
      expect(coffees()).toBe(1);

      const later = await writtenButUndelivered();
      later.clock.setWallClock(later.clock.now() + shift);
      await later.pass(601_000);
      expect((await later.log()).earlier_call).toBeUndefined();
      expect(later.coffees()).toBe(2);
    },
  );

  test('a call that waits for its turn behind an equal one gets its outcome, if the host of that one leaves meanwhile', async () => {
    const { faults, start, log, passing, coffees, sent } = await startWriting();
    faults.writes.push(UNANSWERED);
    const cancelling = new AbortController();
    const first = start(cancelling.signal);
    await passing(untilSent(sent, 1));
    const second = start();
    await passing(new Promise((go) => setImmediate(go)));
    cancelling.abort();
    expect((await failureOf(first)).message).toContain('cancelled after it had been sent');
    expect((await passing(second)).earlier_call).toBeDefined();
    expect([sent(), coffees()]).toEqual([1, 1]);
    expect((await log()).earlier_call).toBeUndefined();
  });
});

describe('equal calls after the store has lost what it had', () => {
  async function lostFromStore() {
    const memory = new SharedMemory();
    const started = await writtenButUndelivered(memory);
    memory.records.delete('pending writes');
    return started;
  }

  test('an equal call still gets the outcome, and the next one writes', async () => {
    const { log, coffees } = await lostFromStore();
    expect((await log()).earlier_call).toBeDefined();
    expect(coffees()).toBe(1);
    expect((await log()).earlier_call).toBeUndefined();
    expect(coffees()).toBe(2);
  });

  test('of two equal calls at once, one gets the outcome and the other one writes', async () => {
    const { start, passing, pass, coffees } = await lostFromStore();
    await pass(60_000);
    const results = await passing(Promise.all([start(), start()]));
    expect(results.filter(({ earlier_call }) => earlier_call !== undefined)).toHaveLength(1);
    expect(coffees()).toBe(2);
  });
});

describe('an equal call after a write with an unknown outcome', () => {
  async function unknown() {
    const started = await startWriting();
    started.faults.reads.push({ deliveries: 1, answer: 'whole' }, ...blind(5));
    return started;
  }

  test('an equal call after an unknown outcome searches again and returns the result', async () => {
    const { faults, log, pass, client, coffees, sent } = await unknown();
    faults.writes.push(UNANSWERED);
    await failureOf(log());
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'unknown' }]);
    expect(await log()).toMatchObject({ outcome: 'confirmed_afterwards', earlier_call: expect.any(String) });
    expect([sent(), coffees()]).toEqual([1, 1]);
  });

  test('an equal call after an unknown outcome is sent if the search proves that the write did not happen', async () => {
    const { faults, log, pass, coffees, sent } = await unknown();
    faults.writes.push(DROPPED);
    await failureOf(log());
    await pass(60_000);
    expect((await log()).outcome).toBe('written');
    expect([sent(), coffees()]).toEqual([2, 1]);
  });

  test('an equal call after an unknown outcome is not sent while the budget cannot be read', async () => {
    const { faults, log, pass, sent } = await unknown();
    faults.writes.push(UNANSWERED);
    await failureOf(log());
    await pass(60_000);
    faults.reads.push(...blind(1));
    expect((await failureOf(log())).code).toBe('outcome_unknown');
    expect(sent()).toBe(1);
  });
});

describe('a write that waits for the search for another one', () => {
  test('a write that waits for the search for another one is not sent after its host got a result', async () => {
    const { faults, log, start, passing, pass, sent } = await startWriting();
    faults.writes.push(DROPPED);
    await failureOf(log());
    const failure = await failureOf(passing(start(undefined, '', -9_900)));
    expect(failure.code).toBe('not_written');
    expect(failure.message).toContain('nothing was sent');
    await pass(120_000);
    expect(sent()).toBe(1);
  });
});

async function untilSent(sent: () => number, count: number): Promise<void> {
  while (sent() < count) await new Promise((go) => setImmediate(go));
}
