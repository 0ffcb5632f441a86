import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { connectRedis, connectTo, key, noRedis, openRedisStore, startRedis } from './redis.helper.ts';
import { describeSharedStore, describeSharingProcesses, valuesOf } from './shared-store-contract.helper.ts';

const START = '2026-11-21T12:00:00Z';

describe.skipIf(noRedis)('with Redis', () => {
  describeSharedStore('in Redis', async (clock) => {
    const { url } = await startRedis();
    return (await openRedisStore({ url, clock })).store;
  });

  describeSharingProcesses('in Redis', async (clock, count) => {
    const { url } = await startRedis();
    const opened = Array.from({ length: count }, () => openRedisStore({ url, clock }));
    return (await Promise.all(opened)).map(({ store }) => store);
  });

  describe('a store in Redis', () => {
    it('still has its records and logs when it is opened again', async () => {
      const { url } = await startRedis();
      const first = await openRedisStore({ url });
      await first.store.update('a', () => ({ value: { count: 1 }, result: undefined }));
      await first.store.append('log', 'entry');
      await first.redis.close();
      const second = await openRedisStore({ url });
      expect(await second.store.read('a')).toEqual({ count: 1 });
      expect(await valuesOf(second.store, 'log')).toEqual(['entry']);
    });

    it('is another store with another name, and shows nothing to a process with another key', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      await store.update('a', () => ({ value: 1, result: undefined }));
      const { store: another } = await openRedisStore({ url, name: 'other' });
      expect(await another.read('a')).toBeUndefined();
      const { store: stranger } = await openRedisStore({ url, key: new Uint8Array(32).fill(8) });
      expect(await stranger.read('a')).toBeUndefined();
    });

    it('shows no name and no value in the files of Redis', async () => {
      const { url, directory } = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
      const { store } = await openRedisStore({ url, name: 'store of Zoë' });
      const memo = 'Dinner with Zoë at the harbour';
      await store.update('budget of Zoë', () => ({
        value: { memo, amount: 123_456_789 },
        result: undefined,
      }));
      const entries = Array.from({ length: 200 }, () => ({ memo, amount: 123_456_789 }));
      await store.append('budget of Zoë', entries);
      await store.lock('write budget of Zoë', { waitMs: 0 });
      const files = readdirSync(join(directory, 'appendonlydir')).map((name) =>
        readFileSync(join(directory, 'appendonlydir', name)),
      );
      const bytes = Buffer.concat(files);
      expect(bytes.length).toBeGreaterThan(1_000);
      expect(bytes.includes('budget-mcp:2:store:')).toBe(true);
      for (const secret of ['Zoë', 'Dinner', '123456789', 'budget of', 'store of'])
        expect(bytes.includes(secret), secret).toBe(false);
    });

    it('fails as damaged if a value was put in the place of another one', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      await store.update('a', () => ({ value: 1, result: undefined }));
      const client = connectTo(url);
      const [records = ''] = await client.keys('*:records');
      // Other fields have names that can be read.
      const names = async () => (await client.hkeysBuffer(records)).filter(({ length }) => length === 16);
      const [first = expect.unreachable()] = await names();
      const value = (await client.hgetBuffer(records, first)) ?? expect.unreachable();
      await store.update('b', () => ({ value: 2, result: undefined }));
      for (const name of await names()) await client.hset(records, name, value);
      const other = await openRedisStore({ url });
      const reads = await Promise.allSettled(['a', 'b'].map((name) => other.store.read(name)));
      expect(reads.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(reads).toContainEqual(
        expect.objectContaining({ reason: expect.objectContaining({ name: 'StoreError', isDamage: true }) }),
      );
    });

    it('looks by one request with few commands, and gets no value that it has', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      const { store: other } = await openRedisStore({ url });
      const names = Array.from({ length: 20 }, (_, i) => `${i}`);
      const large = 'x'.repeat(1_000);
      for (const name of names) await store.update(name, () => ({ value: [name, large], result: undefined }));
      for (const name of names) await store.append(name, name);
      const wanted = { records: names, logs: names.slice(0, 3).map((log) => ({ log, after: 0 })) };
      const client = connectTo(url);
      const cost = async () => {
        await client.config('RESETSTAT');
        const { records } = await other.look(wanted);
        const stats = await client.info('commandstats', 'stats');
        const calls = [...stats.matchAll(/cmdstat_(.*?):calls=(\d+)/g)].map(([, name, count]) => [
          name,
          Number(count),
        ]);
        const bytes = Number(/total_net_output_bytes:(\d+)/.exec(stats)?.[1]);
        return { records, calls: Object.fromEntries(calls), bytes };
      };
      const first = await cost();
      const again = await cost();
      expect(again.records).toEqual(first.records);
      expect(again.calls).toEqual({
        evalsha: 1,
        time: 1,
        hmget: 1,
        hkeys: 1,
        xrange: 3,
        'config|resetstat': 1,
      });
      expect(again.bytes).toBeLessThan(first.bytes - 20 * 500);
      await store.update('3', () => ({ value: 'new', result: undefined }));
      expect((await cost()).records.get('3')).toBe('new');
    });

    it('changes a record by one request, and by two if another process has changed it or the clock may be wrong', async () => {
      const { url } = await startRedis();
      const clock = new ManualClock(START);
      const { store } = await openRedisStore({ url, clock });
      const { store: other } = await openRedisStore({ url, clock });
      const client = connectTo(url);
      const add = async (to: RedisStore) => {
        await client.config('RESETSTAT');
        const count = await to.update('count', (before) => {
          const value = Number(before ?? 0) + 1;
          return { value, result: value };
        });
        const [, requests] = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
        return { count, requests: Number(requests) };
      };
      // Redis does not know the script before.
      await add(store);
      expect(await add(store)).toEqual({ count: 2, requests: 1 });
      expect(await add(other)).toEqual({ count: 3, requests: 2 });
      expect(await add(other)).toEqual({ count: 4, requests: 1 });
      expect(await add(store)).toEqual({ count: 5, requests: 2 });
      clock.advance(1_000);
      expect(await add(store)).toEqual({ count: 6, requests: 1 });
      clock.advance(1_001);
      expect(await add(store)).toEqual({ count: 7, requests: 2 });
    });

    it('publishes what it does while another process has the store open, and otherwise nothing', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      const heard: string[] = [];
      const subscriber = connectTo(url);
      subscriber.on('message', (_, message: string) => {
        const [end, processId, text = end] = message.split(' ');
        if (text && [store.processId, undefined].includes(processId)) heard.push(text);
      });
      await subscriber.subscribe('budget-mcp:2:news');
      const work = async () => {
        const release = await store.lock('a', { waitMs: 0 });
        await store.append('log', 'entry');
        await release?.();
        await connectTo(url).publish('budget-mcp:2:news', 'end');
        await expect.poll(() => heard.at(-1)).toBe('end');
        return heard.splice(0);
      };
      expect(await work()).toEqual(['end']);
      const { store: other } = await openRedisStore({ url });
      expect(await work()).toEqual(['changed', 'released', 'end']);
      await other.close();
      expect(await work()).toEqual(['end']);
    });

    it('gives a lock to a call of the same process as soon as another one releases it', async () => {
      const { url } = await startRedis();
      // It stands still, so that no call looks again by itself.
      const { store } = await openRedisStore({ url, clock: new ManualClock(START) });
      const release = await store.lock('a', { waitMs: 0 });
      const next = store.lock('a', { waitMs: 1_000 });
      // Answered after the first attempt of that call.
      expect(await store.lock('a', { waitMs: 0 })).toBeUndefined();
      await release?.();
      expect(await next).toBeDefined();
    });

    it('reads a long log in parts, whole and in order', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      const numbers = Array.from({ length: 450 }, (_, i) => i);
      await Promise.all(numbers.map((i) => store.append('log', i)));
      expect(await valuesOf(store, 'log')).toEqual(numbers);
    });

    it('runs as a process of its own beside other stores of the connection', async () => {
      const { url } = await startRedis();
      const redis = await connectRedis({ url });
      const open = () => RedisStore.open({ redis, clock: systemClock, key, name: 'test' });
      const [one, other] = [await open(), await open()];
      await one.lock('a', { waitMs: 0 });
      expect(await other.lock('a', { waitMs: 0 })).toBeUndefined();
      await one.close();
      expect(await other.isRunning(one.processId)).toBe(false);
      expect(await other.isRunning(other.processId)).toBe(true);
      expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
      await expect(one.read('a')).rejects.toMatchObject({ name: 'StoreError', reason: 'closed' });
      const { version } = other;
      expect(other.version).toBe(version);
      const { store: elsewhere } = await openRedisStore({ url });
      await elsewhere.update('a', () => ({ value: 1, result: undefined }));
      await expect.poll(() => other.version).toBe(version + 1);
    });

    it('leaves nothing in Redis when it is removed, and its other processes cannot write any more', async () => {
      const { url } = await startRedis();
      const { redis, store } = await openRedisStore({ url });
      const { store: other } = await openRedisStore({ url });
      await store.update('a', () => ({ value: 1, result: undefined }));
      await store.append('log', 1);
      await store.lock('a', { waitMs: 0 });
      await RedisStore.remove({ redis, name: 'test' });
      const client = connectTo(url);
      expect(await client.keys('*:store:*')).toEqual([]);
      const late = other.update('a', () => ({ value: 2, result: undefined }));
      await expect(late).rejects.toMatchObject({
        name: 'StoreError',
        reason: 'without this store: it was closed or removed',
      });
    });

    it('goes on when Redis has lost the list of its processes, and keeps its locks', async () => {
      const { url } = await startRedis();
      const { store: one } = await openRedisStore({ url });
      const { store: other } = await openRedisStore({ url });
      const release = await one.lock('a', { waitMs: 0 });
      const client = connectTo(url);
      const [list = ''] = await client.keys('*:processes');
      await client.del(list);
      expect(await one.append('log', 1)).toBeGreaterThan(0);
      await other.read('a');
      await expect
        .poll(async () => (await client.hkeys(list)).toSorted())
        .toEqual([one.processId, other.processId].toSorted());
      expect(await other.lock('a', { waitMs: 0 })).toBeUndefined();
      await release?.();
      expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
      expect(await valuesOf(other, 'log')).toEqual([1]);
    });

    it('has ended for Redis if another process has got its lock meanwhile', async () => {
      const { url } = await startRedis();
      const { store: one, redis } = await openRedisStore({ url });
      const { store: other } = await openRedisStore({ url });
      let hasEnded = false;
      redis.onEnded(() => {
        hasEnded = true;
      });
      await one.lock('a', { waitMs: 0 });
      const client = connectTo(url);
      await client.del(await client.keys('*:processes'));
      expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
      await expect(one.append('log', 1)).rejects.toMatchObject({ name: 'StoreError', isEnd: true });
      expect([hasEnded, await valuesOf(other, 'log')]).toEqual([true, []]);
    });

    it('gives a call that waits the lock as soon as another process releases it', async () => {
      const { url } = await startRedis();
      const { store: one } = await openRedisStore({ url });
      // Its clock stands still: it does not look again by itself.
      const { store: other } = await openRedisStore({ url, clock: new ManualClock(START) });
      const release = await one.lock('a', { waitMs: 0 });
      const waiting = other.lock('a', { waitMs: 60_000 });
      await other.read('a');
      await release?.();
      expect(await waiting).toBeDefined();
    });

    it('gives no lock to a call that was cancelled while it was asked for', async () => {
      const { url } = await startRedis();
      const { store } = await openRedisStore({ url });
      const controller = new AbortController();
      const cancelled = store.lock('a', { waitMs: 0, signal: controller.signal });
      controller.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
      expect(await store.lock('a', { waitMs: 5_000 })).toBeDefined();
    });
  });

  describe('the time of a store in Redis', () => {
    it('is the same for machines whose clocks differ, and never before what another one has written', async () => {
      const { url } = await startRedis();
      const clocks = [new ManualClock(START), new ManualClock(0)] as const;
      clocks[1].advance(5_000_000);
      const [one, other] = await Promise.all(clocks.map((clock) => openRedisStore({ url, clock })));
      if (!one || !other) throw new Error('Two stores are needed.');
      const timeOfChange = ({ store }: typeof one) =>
        store.update('a', (_, now) => ({ value: 1, result: now.monotonic }));
      const times = [await timeOfChange(one)];
      clocks[0].advance(1_000.5);
      times.push(await timeOfChange(one), await timeOfChange(other));
      clocks[1].advance(500);
      times.push(await timeOfChange(other), await timeOfChange(one));
      expect(times).toEqual([0, 1_000, 1_000, 1_500, 1_500]);
      expect(one.redis.clock.monotonic()).toBe(1_500);
    });

    it('of a change is not before the one that it replaces, nor before an entry, if the clock of a machine is slow', async () => {
      const { url } = await startRedis();
      const [fast, slow] = [new ManualClock(START), new ManualClock(START)];
      const { store: one } = await openRedisStore({ url, clock: fast });
      const { store: other, redis } = await openRedisStore({ url, clock: slow });
      const differences: number[] = [];
      const write = (store: typeof one) =>
        store.update('a', (before, now) => {
          fast.advance(10);
          differences.push(now.monotonic - Number(before ?? 0));
          return { value: now.monotonic, result: undefined };
        });
      for (let round = 0; round < 20; round += 1) await Promise.all([write(one), write(other), write(one)]);
      expect(differences.length).toBeGreaterThan(60);
      expect(Math.min(...differences)).toBeGreaterThanOrEqual(0);
      fast.advance(10_000);
      const at = await one.update('b', (_, now) => ({ value: 1, result: now.monotonic }));
      await one.append('log', at);
      expect(await valuesOf(other, 'log')).toEqual([at]);
      expect(redis.clock.monotonic()).toBeGreaterThanOrEqual(at);
    });

    it('of a change is at most a second before a change of another record, if the clock of a machine stood still', async () => {
      const { url } = await startRedis();
      const [right, still] = [new ManualClock(START), new ManualClock(START)];
      const { store: one } = await openRedisStore({ url, clock: right });
      const { store: other } = await openRedisStore({ url, clock: still });
      const timeOf = (store: typeof one, name: string) =>
        store.update(name, (_, now) => ({ value: now.monotonic, result: now.monotonic }));
      right.advance(10_000);
      const before = await timeOf(one, 'a');
      expect(await timeOf(other, 'b')).toBeGreaterThanOrEqual(before - 1_000);
    });

    it('goes on from where it was when all processes had ended', async () => {
      const { url } = await startRedis();
      const clock = new ManualClock(START);
      const first = await openRedisStore({ url, clock });
      clock.advance(3_000);
      await first.redis.close();
      const second = await openRedisStore({ url, clock: new ManualClock(START) });
      expect(second.redis.clock.monotonic()).toBe(3_000);
    });
  });
});
