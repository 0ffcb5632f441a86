/** A rate ledger in Redis, for processes on several machines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { FastClock, noRedis, openRedisStore, startRedis } from '../../store/redis.helper.ts';
import { HOUR, silent, start } from '../spending.helper.ts';

const PROCESSES = 4;
const TAKES = 150;

function startProcess(url: string) {
  const script = fileURLToPath(new URL('../rate-process.helper.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, url, `${TAKES}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, next: async () => String((await lines.next()).value) };
}

const go = ({ child }: { child: ChildProcess }) => child.stdin?.write('go\n');

describe.skipIf(noRedis)('a rate ledger in Redis', () => {
  it('allows four processes that ask 600 times at once exactly the 200 requests of the limit', async () => {
    const { url } = await startRedis();
    const processes = Array.from({ length: PROCESSES }, () => startProcess(url));
    expect(await Promise.all(processes.map(({ next }) => next()))).toEqual(Array(PROCESSES).fill('ready'));
    for (const each of processes) go(each);
    const allowed = await Promise.all(processes.map(({ next }) => next()));
    expect(
      allowed.reduce((sum, each) => sum + Number(each), 0),
      allowed.join(),
    ).toBe(200);
  });

  it('counts the requests of all machines on each of them, and frees none early when a clock runs ahead', async () => {
    const { url } = await startRedis();
    const clocks = [new ManualClock(start), new ManualClock(0)] as const;
    clocks[1].advance(5 * HOUR);
    const [one, other] = await Promise.all(
      clocks.map(async (clock) => {
        const { redis, store } = await openRedisStore({ url, clock });
        return new RateBudget({ clock: redis.clock, store });
      }),
    );
    if (!one || !other) throw new Error('Two machines are needed.');
    await (await one.take('write')).answered(silent);
    expect(await other.status()).toMatchObject({ used: 1, left: 199 });
    clocks[1].advance(2 * HOUR);
    await (await other.take('write')).answered(silent);
    expect(await one.status()).toMatchObject({ used: 2, left: 198 });
  });

  it('that cannot be reached allows no request, and a request that was sent before is answered as usual', async () => {
    const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    const clock = new FastClock();
    const { store } = await openRedisStore({ url: redis.url, clock });
    const rateBudget = new RateBudget({ clock: systemClock, store });
    const attempt = await rateBudget.take('write');
    await redis.kill();
    clock.speed = 10;
    await attempt.answered(silent);
    await expect(rateBudget.take('write')).rejects.toMatchObject({ name: 'StoreError' });
    clock.speed = 1;
    await redis.start();
    await rateBudget.take('write');
    expect(await rateBudget.status()).toMatchObject({ used: 2 });
  });
});
