/** Turns to write that end, begin or are lost just while another process looks at them. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import type { Change } from '../../../src/store/shared-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { yieldTurns } from '../../manual-clock.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { pendingIn, STEP, sentWriteOf } from './pending.helper.ts';
import { passSeconds, planned, start } from './turns.helper.ts';

/** Its process can be suspended just before its next change. */
class SuspendableStore extends MemoryStore {
  #until: Promise<void> | undefined;

  /** Until the returned function is called. */
  suspend(): () => void {
    let goOn = () => {};
    this.#until = new Promise((resolve) => {
      goOn = resolve;
    });
    return goOn;
  }

  override async update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    await this.#until;
    return super.update(name, change);
  }
}

/** Work of a process that is suspended after it has begun. */
async function startSuspended() {
  const started = start();
  const { clock, memory, startProcess, work } = started;
  const store = new MemoryStore(clock, memory);
  const first = work('first');
  const running = startProcess(store, { isSuspended: true }).run('b', {}, first.run);
  await yieldTurns(5);
  return { ...started, store, first, running };
}

test('a process that has just got its turn keeps it, although its record still shows the one before', async () => {
  const { clock, memory, log, startProcess, work } = start();
  const [first, second, third] = [work('first'), work('second'), work('third')];
  const running = startProcess().run('b', {}, first.run);
  await yieldTurns(5);
  const other = startProcess();
  await failureOf(other.run('b', { remainingMs: () => 0 }, async () => expect.unreachable()));
  first.end();
  await running;
  await passSeconds(clock, 60_000);
  const store = new SuspendableStore(clock, memory);
  const goOn = store.suspend();
  const beginning = startProcess(store).run('b', {}, second.run);
  const waiting = other.run('b', {}, third.run);
  await yieldTurns(5);
  await passSeconds(clock, 1_000);
  goOn();
  await passSeconds(clock, 2_000);
  expect(log).toEqual(['first begins', 'first ends', 'second begins']);
  second.end();
  third.end();
  await Promise.all([beginning, waiting]);
  expect(log.slice(-2)).toEqual(['third begins', 'third ends']);
});

test('a process that gets the lock of a turn which has ended meanwhile waits for the turn after it', async () => {
  const { clock, log, startProcess, work, first, running } = await startSuspended();
  const [second, third] = [work('second'), work('third')];
  const next = startProcess().run('b', {}, second.run);
  await passSeconds(clock, 43_000);
  clock.advance(500);
  const waiting = startProcess().run('b', {}, third.run);
  await yieldTurns(5);
  clock.advance(500);
  await yieldTurns(5);
  first.end();
  await running;
  await passSeconds(clock, 2_000);
  expect(log).toEqual(['first begins', 'second begins', 'first ends']);
  second.end();
  third.end();
  await Promise.all([next, waiting]);
  expect(log.slice(-3)).toEqual(['second ends', 'third begins', 'third ends']);
});

test('a process that was suspended just before it ended a turn does not end the next one', async () => {
  const { clock, memory, log, startProcess, work, first, running } = await startSuspended();
  const [second, third] = [work('second'), work('third')];
  const store = new SuspendableStore(clock, memory);
  const waiting = startProcess(store).run('b', {}, third.run);
  const next = startProcess().run('b', {}, second.run);
  await passSeconds(clock, 43_000);
  const goOn = store.suspend();
  await passSeconds(clock, 2_000);
  goOn();
  await passSeconds(clock, 2_000);
  expect(log).toEqual(['first begins', 'second begins']);
  for (const { end } of [first, second, third]) end();
  await Promise.all([running, next, waiting]);
});

test('the turn of a process that goes on just before it would be ended stays its own', async () => {
  const { clock, memory, log, startProcess, work, store, first, running } = await startSuspended();
  const second = work('second');
  const others = new SuspendableStore(clock, memory);
  const waiting = startProcess(others).run('b', {}, second.run);
  await passSeconds(clock, 43_000);
  const goOn = others.suspend();
  await passSeconds(clock, 2_000);
  await first.taken().noteRequest(planned(store), STEP, []);
  goOn();
  await passSeconds(clock, 2_000);
  expect(log).toEqual(['first begins']);
  first.end();
  second.end();
  await Promise.all([running, waiting]);
});

test('a process whose turn was ended may not send, although no other one has begun since', async () => {
  const { clock, startProcess, store, first, running } = await startSuspended();
  const other = startProcess();
  const attempt = () =>
    other.run('b', { remainingMs: () => 0 }, async () => 'begun').catch(({ code }) => code);
  expect(await attempt()).toBe('not_written');
  clock.advance(44_000);
  expect(await attempt()).toBe('not_written');
  const { code } = await failureOf(first.taken().noteRequest(planned(store), STEP, []));
  expect(code).toBe('not_written');
  expect(await attempt()).toBe('begun');
  first.end();
  await running;
});

test('after the store has lost all it had, the one that begins then may send, and not the one that began before', async () => {
  const { clock, memory, startProcess, work, store, first, running } = await startSuspended();
  memory.records.clear();
  memory.locks.clear();
  const second = work('second');
  const own = new MemoryStore(clock, memory);
  const next = startProcess(own).run('b', {}, second.run);
  await yieldTurns(5);
  const { code } = await failureOf(first.taken().noteRequest(planned(store), STEP, []));
  expect(code).toBe('not_written');
  await second.taken().noteRequest(planned(own), STEP, []);
  first.end();
  second.end();
  await Promise.all([running, next]);
});

test('a request that was lost is not noted again, so it is not sent twice', async () => {
  const { clock, store, first, running } = await startSuspended();
  const pending = pendingIn(store, clock);
  await first.taken().noteRequest(planned(store), STEP, []);
  await pending.change('w', [{ type: 'lose' }]);
  const { code } = await failureOf(first.taken().noteRequest(planned(store), STEP, []));
  expect(code).toBe('not_written');
  expect(await pending.list()).toMatchObject([{ id: 'w', state: 'lost' }]);
  first.end();
  await running;
});

test('a write of several steps does not go on after another process has taken it over', async () => {
  const { clock, memory, store, first, running } = await startSuspended();
  const write = sentWriteOf('w', store.processId, { state: 'planned', isTogether: true });
  await first.taken().noteRequest(write, STEP, []);
  // The others see it as ended, as in Redis after ten seconds without an answer.
  memory.running.delete(store.processId);
  const other = new MemoryStore(clock, memory);
  await pendingIn(other, clock).takeOver();
  const { code } = await failureOf(first.taken().noteRequest(write, { ...STEP, number: 2 }, []));
  expect(code).toBe('not_written');
  expect(await pendingIn(other, clock).list()).toMatchObject([
    { owner: other.processId, step: { number: 1 } },
  ]);
  first.end();
  await running;
});

test('a request may not be sent before it is noted on the replicas of the store', async () => {
  /** Its replicas cannot be reached. */
  class StoreWithoutReplicas extends MemoryStore {
    override update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
      return super.update(name, (before, now) => {
        const changed = change(before, now);
        if (changed.waitsForReplicas) throw new StoreError('without its replicas');
        return changed;
      });
    }
  }
  const { clock, memory, startProcess } = start();
  const store = new StoreWithoutReplicas(clock, memory);
  const sent = startProcess(store).run('b', {}, ({ noteRequest }) => noteRequest(planned(store), STEP, []));
  expect((await failureOf(sent)).code).toBe('storage_unavailable');
});
