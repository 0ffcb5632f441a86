import { expect, test } from 'vitest';
import { yieldTurn } from '../../../src/base/clock.ts';
import { PendingWrites } from '../../../src/session/writes/pending-writes.ts';
import { WriteTurns } from '../../../src/session/writes/write-turns.ts';
import { LaterChanges } from '../../../src/store/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../../src/store/memory-store.ts';
import type { SharedStore } from '../../../src/store/shared-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { FailingStore } from '../failing-store.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { STEP, sentWriteOf } from './pending.helper.ts';

const planned = ({ processId }: SharedStore) => sentWriteOf('w', processId, { state: 'planned' });

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const log: string[] = [];
  const startProcess = (
    store: SharedStore = new MemoryStore(clock, memory),
    { shared = true, program }: { readonly shared?: boolean; readonly program?: string } = {},
  ) => {
    const pending = new PendingWrites(store, clock, new LaterChanges(clock));
    return new WriteTurns(pending, clock, () => ({ shared }), program);
  };
  /** Work that ends when the test calls `end`. */
  const work = (name: string) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run = async () => {
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
    };
    return { run, end };
  };
  return { clock, memory, log, startProcess, work };
}

test('work for one budget runs one after the other among all processes', async () => {
  const { log, startProcess, work } = start();
  const [one, other] = [startProcess(), startProcess()];
  const works = [work('first'), work('second'), work('third')];
  const results = [
    one.run('b', {}, works[0]?.run ?? expect.unreachable()),
    other.run('b', {}, works[1]?.run ?? expect.unreachable()),
    one.run('c', {}, works[2]?.run ?? expect.unreachable()),
  ];
  for (const { end } of works) {
    await yieldTurn();
    end();
  }
  await Promise.all(results);
  expect(log.filter((line) => !line.startsWith('third'))).toEqual([
    'first begins',
    'first ends',
    'second begins',
    'second ends',
  ]);
});

test('work whose turn does not come while its host waits is not run, and says that nothing was sent', async () => {
  const { clock, log, startProcess, work } = start();
  const first = work('first');
  const running = startProcess().run('b', {}, first.run);
  await yieldTurn();
  const waiting = failureOf(
    startProcess().run('b', { remainingMs: () => 10_000 }, async () => expect.unreachable()),
  );
  await yieldTurn();
  clock.advance(10_000);
  const { code, message } = await waiting;
  expect([code, message]).toEqual(['not_written', expect.stringContaining('Nothing was sent')]);
  first.end();
  await running;
  expect(log).toEqual(['first begins', 'first ends']);
});

test('work that waits for a living process says since when that one writes, and until when at the latest', async () => {
  const { clock, memory, startProcess, work } = start();
  const first = work('first');
  const store = new MemoryStore(clock, memory);
  const running = startProcess(store, { program: 'process 4711' }).run('b', {}, async ({ noteRequest }) => {
    clock.advance(20_000);
    await noteRequest(planned(store), STEP, []);
    await first.run();
  });
  await yieldTurn();
  const other = startProcess();
  const waiting = other.run('b', { id: 'v' }, async () => other.describeWait('b', 'v'));
  await moved(clock, 2_000);
  expect(other.describeWait('b', 'v')).toBe(
    'Another process of this user (process 4711), such as that of another window, has been writing to this budget since 2026-11-21T12:00:00.000Z. Its turn ends by itself at 2026-11-21T12:01:36.000Z at the latest unless it sends another request before, and sooner when its write is done or found, or when process 4711 ends.',
  );
  first.end();
  await running;
  await moved(clock, 1_000);
  expect(await waiting).toBeUndefined();
});

test('work that waits for another call of the same process says so', async () => {
  const { startProcess, work } = start();
  const [first, turns] = [work('first'), startProcess()];
  const running = turns.run('b', {}, first.run);
  await yieldTurn();
  const waiting = turns.run('b', { id: 'v' }, async () => {});
  expect(turns.describeWait('b', 'v')).toContain(
    'Another call has been writing to this budget since 2026-11-21T12:00:00.000Z.',
  );
  first.end();
  await Promise.all([running, waiting]);
});

test('the turn of a process that moves is not taken from it in 75 seconds, and then it ends', async () => {
  const { clock, memory, startProcess, work, log } = start();
  const [first, second] = [work('first'), work('second')];
  const store = new MemoryStore(clock, memory);
  let isStill = async () => {};
  const running = startProcess(store).run('b', {}, async ({ noteRequest }) => {
    isStill = () => noteRequest(planned(store), STEP, []);
    await first.run();
  });
  await yieldTurn();
  const waiting = startProcess().run('b', {}, second.run);
  await moved(clock, 70_000);
  await isStill();
  await moved(clock, 74_000);
  expect(log).not.toContain('second begins');
  await moved(clock, 2_000);
  expect(log).toContain('second begins');
  expect(await failureOf(isStill())).toMatchObject({ code: 'not_written' });
  first.end();
  second.end();
  await Promise.all([running, waiting]);
});

test('work that is cancelled while it waits for another process is not run', async () => {
  const { startProcess, work } = start();
  const first = work('first');
  const running = startProcess().run('b', {}, first.run);
  await yieldTurn();
  const { signal, abort } = withAbort();
  const waiting = failureOf(startProcess().run('b', { signal }, async () => expect.unreachable()));
  await yieldTurn();
  abort();
  expect((await waiting).code).toBe('cancelled');
  first.end();
  await running;
});

test('if the store fails, nothing is done, because another process may be writing', async () => {
  const { clock, memory, log, startProcess, work } = start();
  class FailingStore extends MemoryStore {
    override lock(): Promise<never> {
      return Promise.reject(new StoreError('full'));
    }
  }
  const turns = startProcess(new FailingStore(clock, memory));
  const turn = turns.run('b', {}, work('first').run);
  await expect(turn).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(log).toEqual([]);
});

test('a process whose store has failed waits for the lock, because its record does not show how others go on', async () => {
  const { clock, memory, log, startProcess, work } = start();
  class FailedStore extends MemoryStore {
    // Records in memory of its own, and the locks of all.
    override readonly lock = (...lock: Parameters<MemoryStore['lock']>) =>
      new MemoryStore(clock, memory).lock(...lock);
  }
  const first = work('first');
  const running = startProcess().run('b', {}, first.run);
  await yieldTurn();
  const waiting = startProcess(new FailedStore(clock), { shared: false }).run('b', {}, async () =>
    log.push('second'),
  );
  await moved(clock, 60_000);
  expect(log).not.toContain('second');
  first.end();
  await running;
  await moved(clock, 1_000);
  await waiting;
  expect(log).toContain('second');
});

/** Lets the time pass second by second, and all that waits for it go on. */
async function moved(clock: ManualClock, milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    clock.advance(1_000);
    for (let turn = 0; turn < 5; turn += 1) await yieldTurn();
  }
}

test('if the store fails after a process got the lock, others get their turn', async () => {
  const { clock, memory, startProcess } = start();
  const store = new FailingStore(clock, memory);
  store.losesAnswer = true;
  const turn = startProcess(store).run('b', {}, async () => expect.unreachable());
  await expect(turn).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(await startProcess().run('b', {}, async () => 'begun')).toBe('begun');
});

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
