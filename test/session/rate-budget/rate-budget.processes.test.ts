/** Several processes of one machine that share a rate ledger. */
import { describe, expect, it, vi } from 'vitest';
import { momentOf } from '../../../src/base/clock.ts';
import { BudgetError } from '../../../src/base/errors.ts';
import { RATE_LEDGER, RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { yieldTurns } from '../../manual-clock.helper.ts';
import { startMachine, takeIfAllowed } from '../asking-processes.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { HOUR, MINUTE, SECOND, silent, withCount } from '../spending.helper.ts';

/** Sends requests until one is refused, each of which is answered at once. Returns their number. */
async function sendUpTo(count: number, { rateBudget }: { rateBudget: RateBudget }) {
  for (let sent = 0; sent < count; sent += 1) {
    const attempt = await takeIfAllowed(rateBudget, 'read');
    if (!attempt) return sent;
    await attempt.answered(silent);
  }
  return count;
}

describe('processes that share a rate ledger', () => {
  it('a process counts the requests of the other processes, also those in progress', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(3, one);
    await one.rateBudget.take('write');
    expect(await other.rateBudget.status()).toMatchObject({ used: 4, left: 196 });
    expect((await other.rateBudget.status()).returnsAt).toHaveLength(4);
  });

  it('a process knows the limit and the count that another process got', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await (await one.rateBudget.take('read')).answered(withCount(30, 100));
    expect(await other.rateBudget.status()).toMatchObject({ limit: 100, used: 30 });
  });

  it('a process knows a new limit at once, also if the count was as expected', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await (await one.rateBudget.take('read')).answered(withCount(1, 100));
    expect(await other.rateBudget.status()).toMatchObject({ limit: 100, used: 1 });
  });

  it('a process that starts later continues with the count of the earlier ones', async () => {
    const { clock, startProcess } = startMachine();
    const one = startProcess();
    await sendUpTo(150, one);
    await one.rateBudget.settled();
    await one.store.close();
    clock.advance(MINUTE);
    expect(await sendUpTo(200, startProcess())).toBe(30);
  });

  it('requests that processes take at the same time are all counted', async () => {
    const { startProcess } = startMachine();
    const processes = Array.from({ length: 4 }, () => startProcess({ limit: 20, reserve: 0 }));
    const taken = await Promise.all(
      processes.flatMap(({ rateBudget }) =>
        Array.from({ length: 10 }, () => takeIfAllowed(rateBudget, 'write')),
      ),
    );
    expect(taken.filter(Boolean)).toHaveLength(20);
  });

  it('the status of a process writes nothing', async () => {
    const { clock, startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(3, one);
    await one.rateBudget.settled();
    clock.advance(2 * HOUR);
    const { version } = other.store;
    expect(await other.rateBudget.status()).toMatchObject({ used: 0 });
    expect(other.store.version).toBe(version);
  });

  it('a request is taken by one access to the store, and settled with the next one or 15 seconds later if its answer is as expected', async () => {
    const { clock, startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(1, other);
    const accesses = ['read', 'update', 'isRunning'] as const;
    const spies = accesses.map((access) => vi.spyOn(one.store, access));
    const count = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const attempt = await one.rateBudget.take('read');
    expect(count()).toBe(1);
    await attempt.answered(withCount(2));
    expect(one.rateBudget.left).toBe(198);
    expect(count()).toBe(1);
    const next = await one.rateBudget.take('read');
    expect(count()).toBe(2);
    await next.answered(withCount(3));
    clock.advance(15_000);
    await expect.poll(count).toBe(3);
    await other.rateBudget.take('read');
    expect(await other.rateBudget.status()).toMatchObject({ used: 4 });
  });

  it('with a request every 12 seconds, each one settles the one before', async () => {
    const { clock, startProcess } = startMachine();
    const { store, rateBudget } = startProcess();
    await (await rateBudget.take('read')).answered(withCount(1));
    const update = vi.spyOn(store, 'update');
    for (let count = 2; count <= 5; count += 1) {
      clock.advance(12 * SECOND);
      await yieldTurns(3);
      await (await rateBudget.take('read')).answered(withCount(count));
    }
    expect(update).toHaveBeenCalledTimes(4);
  });

  it('a read is refused by one access to the store if the others, which have a share too, still run', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(1, other);
    await sendUpTo(200, one);
    const update = vi.spyOn(one.store, 'update');
    expect((await failureOf(one.rateBudget.take('read'))).message).toContain('other programs');
    expect(update).toHaveBeenCalledOnce();
  });

  it('an answer with a count that the ledger does not expect is settled at once', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await (await one.rateBudget.take('read')).answered(withCount(150));
    expect(await other.rateBudget.status()).toMatchObject({ used: 150 });
    await (await one.rateBudget.take('read')).answered({ status: 429, headers: {} });
    expect(await other.rateBudget.status()).toMatchObject({ used: 200 });
  });

  it('the status by a record that was read before is the same, and then needs no access to the store', async () => {
    const { clock, startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await (await one.rateBudget.take('read')).answered(withCount(30, 100));
    const stored = await other.store.read(RATE_LEDGER);
    const status = other.rateBudget.statusOf(stored, momentOf(clock));
    expect(status).toMatchObject({ limit: 100, used: 30 });
    expect(await other.rateBudget.status()).toEqual(status);
    expect(startProcess().rateBudget.statusOf(undefined, momentOf(clock))).toMatchObject({ used: 0 });
  });
});

describe('shares of processes', () => {
  it('a process that has used its share is refused while the rest is reserved for another process, and the error says so', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(1, other);
    expect(await sendUpTo(200, one)).toBe(130);
    expect((await failureOf(one.rateBudget.take('read'))).message).toContain(
      'Other callers or other programs of the same user may use the token too',
    );
    expect(await sendUpTo(200, other)).toBe(49);
  });

  it('nothing is reserved any more for a process that has ended', async () => {
    const { startProcess } = startMachine();
    const [one, other] = [startProcess(), startProcess()];
    await sendUpTo(1, other);
    await sendUpTo(130, one);
    await other.store.close();
    await takeIfAllowed(one.rateBudget, 'read');
    expect((await one.rateBudget.status()).leftForReads).toBeGreaterThan(0);
    expect(await sendUpTo(200, one)).toBeGreaterThanOrEqual(48);
  });

  it('callers of one process and other processes are all guaranteed the same share', async () => {
    const { clock, memory, startProcess } = startMachine();
    let caller = 'a';
    const store = new MemoryStore(clock, memory);
    const server = { store, rateBudget: new RateBudget({ clock, store, caller: () => caller }) };
    const other = startProcess();
    await sendUpTo(1, server);
    caller = 'b';
    await sendUpTo(1, server);
    // Of 180 reads, 33 for each of the other two askers are reserved. One of each is sent already.
    expect(await sendUpTo(200, other)).toBe(180 - 2 * 33);
    expect(await sendUpTo(200, server)).toBe(32);
    caller = 'a';
    expect(await sendUpTo(200, server)).toBe(32);
  });
});

describe('a process that is killed', () => {
  const killWithRequests = async (count: number) => {
    const machine = startMachine();
    const killed = machine.startProcess();
    for (let taken = 0; taken < count; taken += 1) await killed.rateBudget.take('read');
    await killed.store.close();
    return { ...machine, ...machine.startProcess() };
  };

  it('its requests count until an hour after the time that a request can take, and no longer', async () => {
    const { clock, rateBudget } = await killWithRequests(3);
    clock.advance(MINUTE + HOUR - 1);
    expect(await rateBudget.status()).toMatchObject({ used: 3 });
    clock.advance(1);
    expect(await rateBudget.status()).toMatchObject({ used: 0 });
  });

  it('a request of a process that was only suspended counts from its late response', async () => {
    const { clock, startProcess } = startMachine();
    const { rateBudget } = startProcess();
    const suspended = await rateBudget.take('read');
    clock.advance(HOUR);
    await suspended.answered(silent);
    await rateBudget.settled();
    clock.advance(HOUR - 1);
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
    clock.advance(1);
    expect(await rateBudget.status()).toMatchObject({ used: 0 });
  });

  it('a late failure of a request that is over counts it once more, because it may have been sent late', async () => {
    const { clock, startProcess } = startMachine();
    const { rateBudget } = startProcess();
    const suspended = await rateBudget.take('read');
    clock.advance(HOUR + MINUTE);
    expect(await rateBudget.status()).toMatchObject({ used: 0 });
    await suspended.failed(new BudgetError('timed_out', 'It failed.'));
    expect(await rateBudget.status()).toMatchObject({ used: 1 });
  });
});
