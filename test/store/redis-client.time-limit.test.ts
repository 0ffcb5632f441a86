import { expect, onTestFinished, test, vi } from 'vitest';
import { RedisClient } from '../../src/store/redis-client.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock, yieldTurns } from '../manual-clock.helper.ts';
import { noRedis, startRedis } from './redis.helper.ts';

async function start() {
  const { url } = await startRedis();
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const client = new RedisClient(url, clock);
  onTestFinished(() => client.stop(new StoreError('closed')));
  await client.redis.ping();
  const closed = vi.fn();
  client.redis.on('close', closed);
  return { clock, client, closed };
}

const never = () => new Promise<never>(() => {});

test.skipIf(noRedis)(
  'a command without an answer fails after its time, its connection is given up, and nothing waits any more',
  async () => {
    const { clock, client, closed } = await start();
    const late = client.inTime(never(), 300).catch(({ message }: Error) => message);
    clock.advance(299);
    await yieldTurns(3);
    expect(closed).not.toHaveBeenCalled();
    clock.advance(1);
    expect(await late).toBe('There is no answer.');
    await expect.poll(() => closed.mock.calls.length).toBe(1);
    expect(clock.nextWakeIn).toBeUndefined();
    expect(await client.inTime(Promise.resolve('later'))).toBe('later');
  },
);

test.skipIf(noRedis)('of several commands only those without an answer fail, each in its time', async () => {
  const { clock, client } = await start();
  const ends: string[] = [];
  const begin = (name: string, answer: Promise<string>) =>
    client.inTime(answer, 300).then(
      () => ends.push(`${name} answered`),
      () => ends.push(`${name} failed`),
    );
  const all = [begin('first', Promise.resolve('')), begin('second', never())];
  clock.advance(200);
  all.push(begin('third', never()));
  clock.advance(100);
  await yieldTurns(3);
  expect(ends).toEqual(['first answered', 'second failed']);
  clock.advance(200);
  await Promise.all(all);
  expect(ends.at(-1)).toBe('third failed');
});
