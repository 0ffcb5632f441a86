import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentOf, yieldTurn } from '../../../src/base/clock.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { ReplicaCache, type ReplicaSource } from '../../../src/session/freshness/replica-cache.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { OtherProcesses } from '../../../src/session/session-writes.ts';
import { PendingWrites } from '../../../src/session/writes/pending-writes.ts';
import { LaterChanges } from '../../../src/store/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { apply, changes, START, smallLedger } from '../../service/ledger/random-changes.helper.ts';

/** Processes that cache the same budget, and the requests that they send. */
function startProcesses() {
  const ledger = smallLedger();
  const service = directReader(ledger);
  const clock = new ManualClock(START);
  const memory = new SharedMemory();
  const requests: (number | undefined)[] = [];
  const source: ReplicaSource = async (_, since) => {
    requests.push(since);
    return service.export(since);
  };
  const start = (own = clock, store = new MemoryStore(own, memory), shared = true) => {
    const marks = new Watermarks(own);
    const pending = new PendingWrites(store, own, new LaterChanges(own));
    const changed: string[] = [];
    const cache = new ReplicaCache({
      clock: own,
      source,
      marks,
      maxBytes: 10_000_000,
      alone: (wanted, request) => budgets.of(wanted.budgetId).alone(wanted, request),
      onRead: (read) => budgets.of(read.budgetId).share(read),
      onChange: (budgetId) => changed.push(budgetId),
    });
    const recorded = { recordCreated: () => {}, adopt: async () => {} };
    const budgets = new OtherProcesses({
      store,
      status: () => ({ shared }),
      clock: own,
      marks,
      cache,
      pending,
      ...recorded,
    });
    const sync = async () => {
      const cached = await cache.sync('home');
      await budgets.written();
      return cached;
    };
    const catchUp = async () => {
      const seen = await store.look(budgets.wantedOf(['home']));
      changed.push(...(await budgets.takeOver(seen, ['home'])));
    };
    return { store, budgets, marks, cache, changed, sync, catchUp };
  };
  const addPayee = (name: string) => ledger.commit((state) => createPayee(state, name));
  return { ledger, service, clock, memory, requests, start, addPayee };
}

const contentOf = (replica: BudgetReplica) => {
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  return Object.entries(replica.export()).map(([name, value]) => [
    name,
    Array.isArray(value) ? sorted(value) : value,
  ]);
};

describe('budgets that processes share', () => {
  it('a second process loads nothing: it needs the changes since', async () => {
    const { start, requests, addPayee } = startProcesses();
    const first = start();
    await first.sync();
    addPayee('New');
    const second = start();
    const { replica } = await second.sync();
    expect(requests).toEqual([undefined, first.cache.entries.peek('home')?.replica.knowledge]);
    expect(replica.payees.list().map(({ name }) => name)).toContain('New');
  });

  it('a process that catches up has what another one has just read, and sends nothing', async () => {
    const { start, requests, addPayee, clock } = startProcesses();
    const [first, second] = [start(), start()];
    await first.sync();
    await second.catchUp();
    clock.advance(60_000);
    addPayee('New');
    await first.sync();
    await second.catchUp();
    const [one, other] = [first, second].map(({ cache }) => cache.entries.peek('home'));
    expect(other?.replica.payees.list().map(({ name }) => name)).toContain('New');
    expect(other?.replica.knowledge).toBe(one?.replica.knowledge);
    expect(other?.asOf).toEqual(one?.asOf);
    expect(second.changed).toEqual(['home', 'home']);
    expect(requests).toHaveLength(2);
  });

  it('a sync without changes makes the budget of the other processes as fresh', async () => {
    const { start, clock } = startProcesses();
    const [first, second] = [start(), start()];
    await first.sync();
    await second.catchUp();
    clock.advance(60_000);
    await first.sync();
    await second.catchUp();
    expect(second.cache.entries.peek('home')?.asOf).toEqual(first.cache.entries.peek('home')?.asOf);
    expect(second.changed).toEqual(['home']);
  });

  it('processes that load the budget at the same time send one request for the whole of it', async () => {
    const { start, requests } = startProcesses();
    const processes = Array.from({ length: 8 }, () => start());
    await Promise.all(processes.map(({ sync }) => sync()));
    expect(requests.filter((since) => since === undefined)).toHaveLength(1);
    for (const { cache } of processes) expect(cache.entries.peek('home')).toBeDefined();
  });

  it('a process that waited for another one does not take what that one read long before', async () => {
    const { start, requests, clock, memory } = startProcesses();
    const [first, second] = [start(), start()];
    await first.sync();
    await second.catchUp();
    clock.advance(60_000);
    await first.sync();
    clock.advance(12_000);
    const before = requests.length;
    const release = await new MemoryStore(clock, memory).lock('read home', { waitMs: 0 });
    const syncing = second.sync();
    await yieldTurn();
    await release?.();
    const { asOf } = await syncing;
    expect([requests.length - before, asOf.monotonic]).toEqual([1, clock.monotonic()]);
  });

  it('a full load of one process replaces what the others have', async () => {
    const { start, requests, addPayee } = startProcesses();
    const [first, second] = [start(), start()];
    await first.sync();
    await second.catchUp();
    addPayee('New');
    await first.cache.sync('home', {}, true);
    await first.budgets.written();
    await second.catchUp();
    expect(requests).toEqual([undefined, undefined]);
    expect(
      second.cache.entries
        .peek('home')
        ?.replica.payees.list()
        .map(({ name }) => name),
    ).toContain('New');
  });

  it('a budget of last month is not used', async () => {
    const { start, requests, clock } = startProcesses();
    await start().sync();
    clock.advance(20 * 24 * 3_600_000);
    await start().sync();
    expect(requests).toEqual([undefined, undefined]);
  });

  it('what a process that was killed has left incomplete is not used, and is removed with the next snapshot', async () => {
    const { start, requests, memory } = startProcesses();
    const killed = start();
    await killed.cache.sync('home');
    // Killed while it writes: the end of the snapshot and its record are missing.
    await killed.store.close();
    memory.records.delete('budget home');
    await killed.budgets.written();
    memory.records.delete('budget home');
    const [left] = [...memory.logs.keys()];
    const second = start();
    await second.sync();
    expect(requests).toEqual([undefined, undefined]);
    expect([...memory.logs.keys()]).not.toContain(left);
    expect(memory.logs.size).toBe(1);
  });

  it('a snapshot without its end is not used', async () => {
    const { start, requests, memory } = startProcesses();
    await start().sync();
    for (const entries of memory.logs.values()) entries.pop();
    await start().sync();
    expect(requests).toEqual([undefined, undefined]);
  });

  it('a snapshot whose first part is missing is not used', async () => {
    const { start, requests, memory } = startProcesses();
    await start().sync();
    for (const entries of memory.logs.values()) entries.shift();
    await start().sync();
    expect(requests).toEqual([undefined, undefined]);
  });

  it.each([
    ['first', (entries: unknown[]) => entries.shift()],
    ['last', (entries: unknown[]) => entries.pop()],
  ])('a budget whose %s delta is missing is not used', async (_, remove) => {
    const { start, addPayee, memory } = startProcesses();
    const first = start();
    await first.sync();
    for (const name of ['One', 'Two']) {
      addPayee(name);
      await first.sync();
    }
    for (const [name, entries] of memory.logs) if (name.startsWith('changes')) remove(entries);
    const second = start();
    await second.catchUp();
    expect(second.cache.entries.peek('home')).toBeUndefined();
  });

  it('deltas that two processes add at the same time in the wrong order are both used', async () => {
    const { start, addPayee, service, clock } = startProcesses();
    const [first, second] = [start(), start()];
    const { knowledge } = (await first.sync()).replica;
    await second.catchUp();
    addPayee('One');
    const older = await service.export(knowledge);
    addPayee('Two');
    const newer = await service.export(knowledge);
    clock.advance(1_000);
    first.cache.applyDelta('home', newer, knowledge, momentOf(clock));
    second.cache.applyDelta('home', older, knowledge, momentOf(clock));
    await Promise.all([first.budgets.written(), second.budgets.written()]);
    const third = start();
    await third.catchUp();
    const { replica } = third.cache.entries.peek('home') ?? expect.unreachable();
    expect(replica.knowledge).toBe(newer.server_knowledge);
    expect(replica.payees.list().map(({ name }) => name)).toEqual(expect.arrayContaining(['One', 'Two']));
  });

  it('a delta that another version of the program has written is not used', async () => {
    const { start, requests, addPayee, memory } = startProcesses();
    const first = start();
    await first.sync();
    addPayee('New');
    await first.sync();
    for (const [name, entries] of memory.logs)
      if (name.startsWith('changes'))
        entries.splice(0, 1, { number: 1_000, value: { of: 'another version' } });
    await start().sync();
    expect(requests.filter((since) => since === undefined)).toHaveLength(2);
  });

  it('after a restart of the machine, a sync without changes makes the budget as fresh', async () => {
    const { start, clock, memory } = startProcesses();
    clock.advance(3_600_000);
    await start().sync();
    const restarted = new ManualClock(clock.now() + 60_000);
    restarted.advance(5_000);
    const [first, second] = [start(restarted), start(restarted)];
    await first.sync();
    await second.catchUp();
    expect(second.cache.entries.peek('home')?.asOf).toEqual(momentOf(restarted));
    expect(memory.logs.size).toBe(1);
  });

  it('a process whose store goes on in memory keeps no copies of budgets there', async () => {
    const { start, clock } = startProcesses();
    const store = new MemoryStore(clock);
    await start(clock, store, false).sync();
    expect(await store.read('snapshots')).toBeUndefined();
  });

  it('after many deltas, a new snapshot replaces them', async () => {
    const { start, addPayee, memory, requests } = startProcesses();
    const first = start();
    await first.sync();
    for (let i = 0; i < 201; i += 1) {
      addPayee(`Payee ${i}`);
      await first.sync();
    }
    const entries = [...memory.logs.values()].map((log) => log.length);
    expect(Math.max(...entries)).toBeLessThan(201);
    const second = start();
    const { replica } = await second.sync();
    expect(requests.filter((since) => since === undefined)).toHaveLength(1);
    expect(replica.payees.list().length).toBeGreaterThan(201);
  });

  it('a process does not count as up to date by a read from before its own write', async () => {
    const { start, clock, requests } = startProcesses();
    const [first, second] = [start(), start()];
    await first.sync();
    await second.catchUp();
    const reading = first.cache.sync('home');
    while (requests.length < 2) await yieldTurn();
    clock.advance(1_000);
    second.marks.recordWrite('home');
    await reading;
    await first.budgets.written();
    await second.catchUp();
    expect(second.cache.entries.peek('home')?.lacksWrite).toBe(true);
  });

  it('whatever the processes do and in whatever order, each has the budget as the service has it', async () => {
    const step = fc.record({
      process: fc.nat(2),
      changed: changes(4),
      kind: fc.constantFrom('sync', 'sync', 'sync', 'reload', 'catch up', 'restart'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const { ledger, service, start, clock } = startProcesses();
        const processes = [start(), start(), start()];
        for (const { process, changed, kind } of steps) {
          clock.advance(10_000);
          for (const change of changed) apply(ledger, change);
          if (kind === 'restart') {
            await processes[process]?.store.close();
            processes[process] = start();
          }
          const own = processes[process];
          if (!own) throw new Error('There is no such process.');
          if (kind === 'catch up') await own.catchUp();
          else if (kind === 'reload') await own.cache.sync('home', {}, true);
          else await own.cache.sync('home');
          await own.budgets.written();
          const cached = own.cache.entries.peek('home');
          if (kind === 'catch up' || !cached) continue;
          const loaded = BudgetReplica.load(await service.export(), ledger.state.today);
          expect(contentOf(cached.replica)).toEqual(contentOf(loaded));
        }
        await Promise.all(processes.map(({ catchUp }) => catchUp()));
        const known = processes.flatMap(({ cache }) => cache.entries.peek('home') ?? []);
        const highest = Math.max(...known.map(({ replica }) => replica.knowledge));
        for (const { replica } of known) expect(replica.knowledge).toBe(highest);
        const contents = known.map(({ replica }) => contentOf(replica));
        for (const content of contents) expect(content).toEqual(contents[0]);
      }),
      { numRuns: fuzzRuns(30) },
    );
  });
});
