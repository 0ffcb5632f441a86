import { expect, test } from 'vitest';
import { yieldTurn } from '../../src/platform/clock.ts';
import { LaterChanges } from '../../src/state/later-changes.ts';
import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import type { SharedStore } from '../../src/state/shared-store.ts';
import { StoreError } from '../../src/state/store-error.ts';
import { WriteTurns } from '../../src/writes/write-turns.ts';
import { FailingStore } from '../client/failing-store.helper.ts';
import { failureOf } from '../client/sending.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const log: string[] = [];
  const startProcess = (name: string, store: SharedStore = new MemoryStore(clock, memory)) =>
    new WriteTurns(clock, {
      store,
      later: new LaterChanges(clock),
      prepare: async (budgetId) => {
        log.push(`${name} prepares ${budgetId}`);
      },
    });
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

test('work for one budget runs one after the other among all processes, and each is prepared in its turn', async () => {
  const { log, startProcess, work } = start();
  const [one, other] = [startProcess('one'), startProcess('other')];
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
  expect(log.filter((line) => !line.startsWith('third') && !line.endsWith(' c'))).toEqual([
    'one prepares b',
    'first begins',
    'first ends',
    'other prepares b',
    'second begins',
    'second ends',
  ]);
});

test('work whose turn does not come while its host waits is not run, and says that nothing was sent', async () => {
  const { clock, log, startProcess, work } = start();
  const first = work('first');
  const running = startProcess('one').run('b', {}, first.run);
  await yieldTurn();
  const waiting = failureOf(
    startProcess('other').run('b', { remainingMs: () => 10_000 }, async () => expect.unreachable()),
  );
  await yieldTurn();
  clock.advance(10_000);
  const { code, message } = await waiting;
  expect([code, message]).toEqual(['not_written', expect.stringContaining('Nothing was sent')]);
  first.end();
  await running;
  expect(log.filter((line) => line.startsWith('other'))).toEqual([]);
});

test('work that waits for a living process says since when that one writes, and until when at the latest', async () => {
  const { clock, memory, startProcess, work } = start();
  const first = work('first');
  const one = new WriteTurns(clock, {
    store: new MemoryStore(clock, memory),
    later: new LaterChanges(clock),
    program: 'process 4711',
    prepare: async () => {},
  });
  const running = one.run('b', {}, async (check) => {
    clock.advance(20_000);
    await check();
    await first.run();
  });
  await yieldTurn();
  let wait = (): string | undefined => undefined;
  const waiting = startProcess('other').run(
    'b',
    {
      onWaiting: (describe) => {
        wait = describe;
      },
    },
    async () => wait(),
  );
  await moved(clock, 2_000);
  expect(wait()).toBe(
    'Another process of this user (process 4711), such as that of another window, has been writing to this budget since 2026-11-21T12:00:00.000Z. Its turn ends by itself at 2026-11-21T12:01:36.000Z at the latest unless it sends another request before, and sooner when its write is done or found, or when process 4711 ends.',
  );
  first.end();
  await running;
  await moved(clock, 1_000);
  expect(await waiting).toBeUndefined();
});

test('work that waits for another call of the same process says so', async () => {
  const { startProcess, work } = start();
  const [first, turns] = [work('first'), startProcess('one')];
  const running = turns.run('b', {}, first.run);
  await yieldTurn();
  let wait = (): string | undefined => undefined;
  const options = {
    onWaiting: (describe: typeof wait) => {
      wait = describe;
    },
  };
  const waiting = turns.run('b', options, async () => {});
  expect(wait()).toContain('Another call has been writing to this budget since 2026-11-21T12:00:00.000Z.');
  first.end();
  await Promise.all([running, waiting]);
});

test('the turn of a process that moves is not taken from it in 75 seconds, and then it ends', async () => {
  const { clock, startProcess, work, log } = start();
  const [first, second] = [work('first'), work('second')];
  let isStill = async () => {};
  const running = startProcess('one').run('b', {}, async (check) => {
    isStill = check;
    await first.run();
  });
  await yieldTurn();
  const waiting = startProcess('other').run('b', {}, second.run);
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
  const running = startProcess('one').run('b', {}, first.run);
  await yieldTurn();
  const { signal, abort } = withAbort();
  const waiting = failureOf(startProcess('other').run('b', { signal }, async () => expect.unreachable()));
  await yieldTurn();
  abort();
  expect((await waiting).code).toBe('cancelled');
  first.end();
  await running;
});

test('work that is cancelled during its preparation is not run, and the next one gets its turn', async () => {
  const { clock, memory } = start();
  const { signal, abort } = withAbort();
  const turns = new WriteTurns(clock, {
    store: new MemoryStore(clock, memory),
    later: new LaterChanges(clock),
    prepare: async () => abort(),
  });
  expect((await failureOf(turns.run('b', { signal }, async () => expect.unreachable()))).code).toBe(
    'cancelled',
  );
  expect(await turns.run('b', {}, async () => 'next')).toBe('next');
});

test('if the store fails, nothing is done, because another process may be writing', async () => {
  const { clock, memory, log, startProcess, work } = start();
  class FailingStore extends MemoryStore {
    override lock(): Promise<never> {
      return Promise.reject(new StoreError('full'));
    }
  }
  const turns = startProcess('one', new FailingStore(clock, memory));
  const turn = turns.run('b', {}, work('first').run);
  await expect(turn).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(log).toEqual([]);
});

test('a process whose store has failed waits for the lock, because its record does not show how others go on', async () => {
  const { clock, memory, log, startProcess, work } = start();
  class FailedStore extends MemoryStore {
    override readonly isShared = false;
    // Records in memory of its own, and the locks of all.
    override readonly lock = (...lock: Parameters<MemoryStore['lock']>) =>
      new MemoryStore(clock, memory).lock(...lock);
  }
  const first = work('first');
  const running = startProcess('one').run('b', {}, first.run);
  await yieldTurn();
  const waiting = startProcess('failed', new FailedStore(clock)).run('b', {}, async () => log.push('second'));
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
  const turn = startProcess('one', store).run('b', {}, async () => expect.unreachable());
  await expect(turn).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(await startProcess('other').run('b', {}, async () => 'begun')).toBe('begun');
});

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test('a budget is not free while another process has its turn, nor just after it, and free after one of this process', async () => {
  const { clock, startProcess, work } = start();
  const [one, other] = [startProcess('one'), startProcess('other')];
  expect(await one.isFree('b')).toBe(true);
  const { run, end } = work('first');
  const result = one.run('b', {}, run);
  await yieldTurn();
  expect(await other.isFree('b')).toBe(false);
  end();
  await result;
  expect([await one.isFree('b'), await other.isFree('b')]).toEqual([true, false]);
  clock.advance(20_000);
  expect(await other.isFree('b')).toBe(true);
});
