import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { yieldTurn } from '../../../src/base/clock.ts';
import { compareWithList } from '../../../src/features/reconcile/bank-list.ts';
import { BankThread } from '../../../src/features/reconcile/bank-thread.ts';
import { statementsIn } from '../../../src/features/reconcile/statements/read-statement.ts';
import * as sample from '../../answers/samples.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

const TODAY = '2026-11-21';
const small = Buffer.from('Date,Payee,Amount\n2026-11-13,Shop,-1.00\n');
/** The largest that is allowed, each row with another amount. */
const large = Buffer.from(
  `Date,Payee,Amount\n${Array.from({ length: 10_000 }, (_, row) => `2026-10-01,Shop ${row},-${row + 1}.50\n`).join('')}`,
);

const fileOf = (bytes: Uint8Array) => ({
  name: 'bank.csv',
  version: async () => String(bytes),
  read: async () => bytes,
});

/** A clock that stands still, and what waits for it. */
function start(maxMb?: number) {
  const clock = new ManualClock(`${TODAY}T12:00:00Z`);
  const thread = new BankThread(clock, maxMb);
  const read = (bytes: Uint8Array, caller = 'ann') => thread.read(caller, fileOf(bytes), TODAY, 2);
  /** Resolves when a task has begun. */
  const begun = async () => {
    while (clock.nextWakeIn === undefined) await yieldTurn();
  };
  const threads: Worker[] = [];
  const onThread = (worker: Worker) => threads.push(worker);
  process.on('worker', onThread);
  onTestFinished(() => void process.off('worker', onThread));
  return { clock, thread, read, begun, threads };
}

describe('reading', () => {
  it('finds what statementsIn finds, and refuses what it refuses', async () => {
    const { read } = start();
    expect(await read(small)).toEqual(statementsIn('bank.csv', small, TODAY, 2));
    await expect(read(Buffer.from('PK\u0003\u0004'))).rejects.toThrow(/a spreadsheet/);
  });

  it('happens once for the same version of a file of a caller, and again for another caller or version', async () => {
    const { read } = start();
    const first = await read(small);
    expect(await read(Buffer.from(small))).toBe(first);
    const other = await read(small, 'bob');
    expect(other).not.toBe(first);
    expect(other).toEqual(first);
    expect(await read(Buffer.from(String(small).replace('1.00', '2.00')))).not.toEqual(first);
  });

  it('lets other work go on: no turn of it waits half as long as the file takes to read', async () => {
    const { thread } = start();
    const alone: number[] = [];
    const waits: number[] = [];
    // The machine may do something else during one of them.
    for (const caller of ['ann', 'bob', 'eve']) {
      await thread.read(caller, fileOf(small), TODAY);
      const before = performance.now();
      statementsIn('bank.csv', large, TODAY);
      alone.push(performance.now() - before);
      let isOver = false;
      const reading = thread.read(caller, fileOf(large), TODAY).finally(() => {
        isOver = true;
      });
      let longest = 0;
      while (!isOver) {
        const turn = performance.now();
        await yieldTurn();
        longest = Math.max(longest, performance.now() - turn);
      }
      expect((await reading)[0]?.rows).toHaveLength(10_000);
      waits.push(longest);
    }
    expect(Math.min(...waits) / Math.min(...alone)).toBeLessThan(0.5);
  });

  it('is ended after ten seconds: the file is refused, now and when it comes again, and the next one is read', async () => {
    const { clock, read, begun } = start();
    const reading = read(large);
    await begun();
    clock.advance(10_000);
    await expect(reading).rejects.toThrow(/more than 10 seconds or 256 MB/);
    // It would be read now, because the clock stands still.
    await expect(read(large)).rejects.toThrow(/more than 10 seconds or 256 MB/);
    expect(await read(small)).toHaveLength(1);
  });

  it('is ended when it takes too much memory: the file is refused, and the next one is read', async () => {
    const { read } = start(16);
    await expect(read(Buffer.from('2026-10-01,-1\n'.repeat(700_000)))).rejects.toThrow(
      /more than 10 seconds or 256 MB/,
    );
    expect(await read(small)).toHaveLength(1);
  });

  it('happens in one thread, which ends when it is idle; the next file starts another one', async () => {
    const { clock, read, threads } = start();
    await Promise.all([read(small), read(small, 'bob')]);
    const [first] = threads;
    const ended = new Promise((resolve) => first?.once('exit', resolve));
    clock.advance(30_000);
    await ended;
    expect(await read(small, 'eve')).toHaveLength(1);
    expect(threads).toHaveLength(2);
  });

  it('fails where the thread is killed, and is right the next time, as it is after one that was killed while idle', async () => {
    const { read, begun, threads } = start();
    const reading = read(large);
    await begun();
    await Promise.all([threads[0]?.terminate(), expect(reading).rejects.toThrow('The thread has ended.')]);
    expect(await read(large)).toEqual(statementsIn('bank.csv', large, TODAY, 2));
    await threads[1]?.terminate();
    expect(await read(small)).toEqual(statementsIn('bank.csv', small, TODAY, 2));
  });
});

it('10,000 equal rows and 10,000 equal transactions are compared as compareWithList does it', async () => {
  const rows = Array.from({ length: 10_000 }, () => ({ date: '2026-10-25', amount: -10, text: 'Shop' }));
  const entries = Array.from({ length: 10_000 }, (_, at) =>
    sample.transaction({ id: `t${at}`, date: '2026-10-28', amount: -10 }),
  );
  const far = sample.transaction({ id: 'far', date: '2026-01-01', amount: -10 });
  const compared = await start().thread.compare(rows, [...entries, far]);
  expect(compared).toEqual(compareWithList(rows, [...entries, far]));
});
