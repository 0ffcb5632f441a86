import { expect, test } from 'vitest';
import { yieldTurn } from '../../../src/base/clock.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { FailingStore } from '../failing-store.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { STEP } from './pending.helper.ts';
import { passSeconds, planned, start } from './turns.helper.ts';

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

test('work whose turn does not come while its host waits is not run, and says that nothing was sent and who writes', async () => {
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
  expect(code).toBe('not_written');
  expect(message).toMatch(
    /^Nothing was sent\. Another process of this server has been writing .* when its write is done or found\.$/,
  );
  first.end();
  await running;
  expect(log).toEqual(['first begins', 'first ends']);
});

test('work whose host waits for less than a second waits no longer than that', async () => {
  const { clock, startProcess, work } = start();
  const first = work('first');
  const running = startProcess().run('b', {}, first.run);
  await passSeconds(clock, 1_000);
  let isOver = false;
  const waiting = startProcess()
    .run('b', { remainingMs: () => 300 }, async () => expect.unreachable())
    .catch(() => {
      isOver = true;
    });
  await yieldTurn();
  clock.advance(300);
  await yieldTurn();
  expect(isOver).toBe(true);
  first.end();
  await Promise.all([running, waiting]);
});

test('work that waits for a living process says since when that one writes, and until when at the latest', async () => {
  const { clock, memory, startProcess, work } = start();
  const first = work('first');
  const store = new MemoryStore(clock, memory);
  const running = startProcess(store, { program: 'process 4711' }).run('b', {}, first.run);
  await yieldTurn();
  clock.advance(20_000);
  await first.taken().noteRequest(planned(store), STEP, []);
  const other = startProcess();
  const waiting = other.run('b', { id: 'v' }, async () => other.describeWait('b', 'v'));
  await passSeconds(clock, 2_000);
  expect(other.describeWait('b', 'v')).toBe(
    'Another process of this user (process 4711), such as that of another window, has been writing to this budget since 2026-11-21T12:00:00.000Z. Its turn ends by itself at 2026-11-21T12:01:36.000Z at the latest unless it sends another request before, and sooner when its write is done or found, or when process 4711 ends.',
  );
  first.end();
  await running;
  await passSeconds(clock, 1_000);
  expect(await waiting).toBeUndefined();
});

test('work that waits for another call of the same process says so, and until when it waits', async () => {
  const { clock, memory, startProcess, work } = start();
  const store = new MemoryStore(clock, memory);
  const [first, turns] = [work('first'), startProcess(store)];
  const running = turns.run('b', {}, first.run);
  await yieldTurn();
  const waiting = turns.run('b', { id: 'v' }, async () => {});
  clock.advance(20_000);
  await first.taken().noteRequest(planned(store), STEP, []);
  expect(turns.describeWait('b', 'v')).toMatch(
    /^Another call has been .* since 2026-11-21T12:00:00.000Z\. It ends when its write is done .* by about 2026-11-21T12:01:36.000Z/,
  );
  first.end();
  await Promise.all([running, waiting]);
});

test('work that has failed is not named as writing any more', async () => {
  const turns = start().startProcess();
  await failureOf(turns.run('b', { id: 'w' }, () => Promise.reject(new StoreError('full'))));
  expect(turns.describeWait('b', 'v')).toBeUndefined();
});

test('the turn of a process that moves is not taken from it in 75 seconds, and then it ends', async () => {
  const { clock, memory, startProcess, work, log } = start();
  const [first, second] = [work('first'), work('second')];
  const store = new MemoryStore(clock, memory);
  const noteAgain = () => first.taken().noteRequest(planned(store), STEP, []);
  const running = startProcess(store).run('b', {}, first.run);
  await yieldTurn();
  const waiting = startProcess().run('b', {}, second.run);
  await passSeconds(clock, 70_000);
  await noteAgain();
  await passSeconds(clock, 74_000);
  expect(log).not.toContain('second begins');
  await passSeconds(clock, 1_000);
  expect(log).toContain('second begins');
  const { code, message } = await failureOf(noteAgain());
  expect([code, message]).toEqual(['not_written', expect.stringContaining('Nothing was sent')]);
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
  await passSeconds(clock, 60_000);
  expect(log).not.toContain('second');
  first.end();
  await running;
  await passSeconds(clock, 1_000);
  await waiting;
  expect(log).toContain('second');
});

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
