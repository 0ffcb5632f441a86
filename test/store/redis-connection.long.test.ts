/** What becomes of a store when something happens to Redis, to the connection or to a process. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { RedisConnection } from '../../src/store/redis-connection.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import {
  connectRedis,
  connectTo,
  FastClock,
  key,
  noRedis,
  openRedisStore,
  startRedis,
} from './redis.helper.ts';
import { startRedisProxy } from './redis-proxy.helper.ts';
import { valuesOf } from './shared-store-contract.helper.ts';

const START = '2026-11-21T12:00:00Z';
/** Where nothing listens, and where no other test can listen. */
const NO_PORT = 1;
const CUT_OFF =
  'not accepting this process any more: it was cut off for too long, or Redis has lost its data';

const countUp = (store: RedisStore) =>
  store.update('count', (value) => ({ value: Number(value ?? 0) + 1, result: undefined }));
const write = (store: RedisStore, value: string) => store.update('a', () => ({ value, result: undefined }));
const reasonOf = (error: unknown) => (error instanceof StoreError ? error.reason : expect.unreachable());

const storeError = (reason: string) => ({ name: 'StoreError', reason });
const openProcess = (redis: RedisConnection) =>
  RedisStore.open({ redis, clock: systemClock, key, name: 'test' });

describe.skipIf(noRedis)('a process whose lease has expired', () => {
  it('cannot write any more once another one may have taken its lock, and gets an error that says so', async () => {
    const { url } = await startRedis();
    // Its clock stands still, so that it does not renew its lease.
    const { redis, store } = await openRedisStore({ url, clock: new ManualClock(START), leaseMs: 1_000 });
    const errors: unknown[] = [];
    redis.onEnded((error) => errors.push(error));
    const release = await store.lock('a', { waitMs: 0 });
    await write(store, 'first');
    const { store: successor } = await openRedisStore({ url });
    expect(await successor.lock('a', { waitMs: 60_000 })).toBeDefined();
    expect(await successor.isRunning(store.processId)).toBe(false);
    await write(successor, 'second');
    await expect(write(store, 'late')).rejects.toMatchObject(storeError(CUT_OFF));
    await expect(store.append('log', 'late')).rejects.toMatchObject(storeError(CUT_OFF));
    await expect(store.lock('b', { waitMs: 0 })).rejects.toMatchObject(storeError(CUT_OFF));
    await release?.();
    expect(errors).toEqual([expect.objectContaining(storeError(CUT_OFF))]);
    expect([await successor.read('a'), await valuesOf(successor, 'log')]).toEqual(['second', []]);
    expect(await successor.lock('a', { waitMs: 0 })).toBeUndefined();
  });

  it('cannot open a store any more', async () => {
    const { url } = await startRedis();
    const redis = await connectRedis({ url, clock: new ManualClock(START), leaseMs: 1_000 });
    const { store } = await openRedisStore({ url, clock: new ManualClock(START), leaseMs: 1_000 });
    const { store: other } = await openRedisStore({ url });
    await expect.poll(() => other.isRunning(store.processId)).toBe(false);
    await expect(openProcess(redis)).rejects.toMatchObject(storeError(CUT_OFF));
  });

  it('keeps its lease while it runs', async () => {
    const { url } = await startRedis();
    const { store } = await openRedisStore({ url, leaseMs: 4_000 });
    const { store: other } = await openRedisStore({ url });
    const release = await store.lock('a', { waitMs: 0 });
    expect(await other.lock('a', { waitMs: 5_000 })).toBeUndefined();
    await write(store, 'still here');
    await release?.();
  });

  it('is one that was suspended: what it writes after its successor is refused', async () => {
    const { url } = await startRedis();
    const script = fileURLToPath(new URL('redis-process.helper.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, url, '5000'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    expect(await next()).toBe('locked');
    child.stdin.write('first\n');
    expect(await next()).toBe('written');
    const { store } = await openRedisStore({ url });
    expect(await store.lock('a', { waitMs: 0 })).toBeUndefined();
    child.kill('SIGSTOP');
    expect(await store.lock('a', { waitMs: 60_000 })).toBeDefined();
    child.stdin.write('late\n');
    child.kill('SIGCONT');
    expect(await next()).toBe(`StoreError: ${CUT_OFF}`);
    expect(await store.read('a')).toBe('first');
  });
});

describe.skipIf(noRedis)('a server that does nothing', () => {
  it('sends Redis as little for many open stores as for one: only the renewals of its lease', async () => {
    const { url } = await startRedis();
    const clock = new ManualClock(START);
    const redis = await connectRedis({ url, clock, leaseMs: 10_000 });
    const stores = await Promise.all(
      Array.from({ length: 20 }, (_, i) => RedisStore.open({ redis, clock, key, name: `${i}` })),
    );
    for (const store of stores) await countUp(store);
    const client = connectTo(url);
    const calls = async (command: string) =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await client.info('commandstats'))?.[1] ?? 0);
    await client.config('RESETSTAT');
    const RENEWALS = 24;
    for (let renewal = 1; renewal <= RENEWALS; renewal += 1) {
      clock.advance(2_500);
      await expect
        .poll(async () => [await calls('pexpire'), await calls('ping')])
        .toEqual([renewal, renewal]);
      for (const store of stores) expect(store.version).toBe(store.version);
    }
    const stats = await client.info('commandstats');
    const counts = [...stats.matchAll(/cmdstat_(?!info|config)(.*?):calls=(\d+)/g)].map(([, name, count]) => [
      name,
      Number(count),
    ]);
    const each = { evalsha: RENEWALS, time: RENEWALS, hget: RENEWALS, hset: RENEWALS };
    expect(Object.fromEntries(counts)).toEqual({ ...each, pexpire: RENEWALS, ping: RENEWALS });
    expect(await client.pubsub('CHANNELS')).toHaveLength(1);
  });
});

describe.skipIf(noRedis)('a Redis that is started again', () => {
  const persistent = ['--appendonly', 'yes', '--appendfsync', 'always'];

  it('with its data: processes go on as before, and no change is lost', async () => {
    const redis = await startRedis(...persistent);
    const { url } = redis;
    const { store } = await openRedisStore({ url });
    const { store: other } = await openRedisStore({ url });
    const release = await store.lock('a', { waitMs: 0 });
    await countUp(store);
    const before = store.version;
    await redis.kill();
    const waiting = countUp(store);
    await redis.start();
    await waiting;
    expect(store.version).not.toBe(before);
    expect(await other.read('count')).toBe(2);
    expect(await other.lock('a', { waitMs: 0 })).toBeUndefined();
    await release?.();
    expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
  });

  it('with much data: a call says that Redis still loads it', async () => {
    const slowly = ['--key-load-delay', '20000', '--loading-process-events-interval-bytes', '1024'];
    const redis = await startRedis(...slowly);
    const clock = new FastClock();
    const { store } = await openRedisStore({ url: redis.url, clock });
    await countUp(store);
    const client = connectTo(redis.url);
    const keys = Array.from({ length: 150 }, (_, i) => client.set(`${i}`, randomBytes(2_000)));
    await Promise.all(keys);
    await client.save();
    await redis.kill();
    clock.speed = 10;
    const started = redis.start();
    const outcomes: unknown[] = [];
    // It answers nothing at first, and then that it is loading.
    do outcomes.push(await store.read('count').catch(reasonOf));
    while (typeof outcomes.at(-1) === 'string' && !String(outcomes.at(-1)).includes('loading'));
    expect(outcomes.at(-1)).toBe('still loading its data');
    clock.speed = 1;
    await started;
    expect(await store.read('count')).toBe(1);
  });

  it('without its data: no process can write before it opens the store again, which is new then', async () => {
    const redis = await startRedis();
    const { url } = redis;
    const { store } = await openRedisStore({ url });
    await countUp(store);
    await redis.kill();
    await redis.start();
    await expect(countUp(store)).rejects.toMatchObject(storeError(CUT_OFF));
    const { store: again } = await openRedisStore({ url });
    expect(await again.read('count')).toBeUndefined();
  });
});

describe.skipIf(noRedis)('a Redis that is started again with older data', () => {
  it('takes no writes of a process whose last ones it has lost', async () => {
    const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    const { store } = await openRedisStore({ url: redis.url });
    await countUp(store);
    const [files, copy] = [join(redis.directory, 'appendonlydir'), join(redis.directory, 'copy')];
    await cp(files, copy, { recursive: true });
    await countUp(store);
    await redis.kill();
    await rm(files, { recursive: true });
    await rename(copy, files);
    await redis.start();
    expect(await store.read('count')).toBe(1);
    await expect(countUp(store)).rejects.toMatchObject(storeError(CUT_OFF));
    const { store: again } = await openRedisStore({ url: redis.url });
    await countUp(again);
    expect(await again.read('count')).toBe(2);
  });
});

describe.skipIf(noRedis)('a Redis that does not answer', () => {
  it('makes calls fail after some seconds, also those that wait for each other, and works again afterwards', async () => {
    const redis = await startRedis();
    const clock = new FastClock();
    const { store } = await openRedisStore({ url: redis.url, clock });
    await write(store, 'before');
    redis.signal('SIGSTOP');
    clock.speed = 10;
    const calls = [
      write(store, 'late'),
      write(store, 'later'),
      store.read('a'),
      store.lock('a', { waitMs: 0 }),
    ];
    const outcomes = await Promise.allSettled(calls);
    const refused = expect.objectContaining({ reason: expect.objectContaining(storeError('not answering')) });
    expect(outcomes).toEqual([refused, refused, refused, refused]);
    clock.speed = 1;
    redis.signal('SIGCONT');
    const { store: other } = await openRedisStore({ url: redis.url });
    await write(store, 'after');
    expect(await other.read('a')).toBe('after');
    // The lock that was not given in time is free.
    expect(await other.lock('a', { waitMs: 10_000 })).toBeDefined();
  });

  it('makes many calls fail at once without a warning of Node.js about their connection', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const redis = await startRedis();
    const clock = new FastClock();
    const { store } = await openRedisStore({ url: redis.url, clock });
    redis.signal('SIGSTOP');
    clock.speed = 10;
    await Promise.allSettled(Array.from({ length: 20 }, (_, nth) => store.read(`record ${nth}`)));
    clock.speed = 1;
    redis.signal('SIGCONT');
    await write(store, 'after');
    expect(warnings).toEqual([]);
  });

  it('a lock is free as soon as Redis answers again, if it was released meanwhile', async () => {
    const redis = await startRedis();
    const clock = new FastClock();
    const { store } = await openRedisStore({ url: redis.url, clock });
    const release = await store.lock('a', { waitMs: 0 });
    redis.signal('SIGSTOP');
    clock.speed = 10;
    await release?.();
    clock.speed = 1;
    redis.signal('SIGCONT');
    const { store: other } = await openRedisStore({ url: redis.url });
    expect(await other.lock('a', { waitMs: 60_000 })).toBeDefined();
  });
});

describe.skipIf(noRedis)('a Redis that is full', () => {
  it('refuses what needs more memory, lets everything else go on, and works again when there is room', async () => {
    const { url } = await startRedis('--maxmemory-policy', 'noeviction');
    const { store } = await openRedisStore({ url, leaseMs: 4_000 });
    const { store: other } = await openRedisStore({ url });
    await write(store, 'before');
    await store.append('log', 'entry');
    const release = await store.lock('a', { waitMs: 0 });
    const client = connectTo(url);
    await client.config('SET', 'maxmemory', '1');
    await expect(write(store, 'refused')).rejects.toMatchObject(storeError('full'));
    await expect(store.append('log', 'refused')).rejects.toMatchObject(storeError('full'));
    // Longer than the lease, which is renewed meanwhile.
    expect(await other.lock('a', { waitMs: 5_000 })).toBeUndefined();
    await release?.();
    expect(await other.lock('a', { waitMs: 0 })).toBeDefined();
    expect(await store.read('a')).toBe('before');
    await store.trim('log');
    await store.update('a', () => ({ value: undefined, result: undefined }));
    expect([await store.read('a'), await valuesOf(store, 'log')]).toEqual([undefined, []]);
    await client.config('SET', 'maxmemory', '0');
    await write(store, 'after');
    expect(await store.read('a')).toBe('after');
  });

  it('lets a new process begin and read', async () => {
    const { url } = await startRedis('--maxmemory-policy', 'noeviction');
    const { store } = await openRedisStore({ url });
    await write(store, 'before');
    await connectTo(url).config('SET', 'maxmemory', '1');
    const { store: begun } = await openRedisStore({ url });
    expect(await begun.read('a')).toBe('before');
    expect(await begun.lock('a', { waitMs: 0 })).toBeDefined();
    await expect(write(begun, 'refused')).rejects.toMatchObject(storeError('full'));
  });

  it('refuses writes with a clear word when it is a replica', async () => {
    const { url } = await startRedis();
    const { store } = await openRedisStore({ url });
    await connectTo(url).replicaof('127.0.0.1', NO_PORT);
    await expect(write(store, 'refused')).rejects.toMatchObject(
      storeError('a replica that cannot be written to'),
    );
  });
});

describe.skipIf(noRedis)('a connection that is lost', () => {
  it('before an answer arrives: every write is done exactly once', async () => {
    const { port, url } = await startRedis();
    let answers = 0;
    const proxy = await startRedisProxy(port, () => {
      answers += 1;
      return answers > 20 && answers % 5 === 0;
    });
    const { store } = await openRedisStore({ url: proxy.url });
    const { store: other } = await openRedisStore({ url });
    const times = Array.from({ length: 40 }, (_, i) => i);
    for (const i of times) {
      const [, , release] = await Promise.all([
        countUp(store),
        store.append('log', i),
        store.lock('a', { waitMs: 60_000 }),
        countUp(other),
      ]);
      await release?.();
    }
    expect(answers).toBeGreaterThan(100);
    expect(await other.read('count')).toBe(80);
    expect(await valuesOf(other, 'log')).toEqual(times);
    expect(await other.lock('a', { waitMs: 60_000 })).toBeDefined();
  });

  it('a write that arrives late, after it was sent again or after the next one, is not done again', async () => {
    const { port, url } = await startRedis();
    const proxy = await startRedisProxy(port);
    const { store } = await openRedisStore({ url: proxy.url });
    const { store: other } = await openRedisStore({ url });
    proxy.hold();
    await store.append('log', 'sent again');
    await proxy.passOn();
    proxy.hold();
    await store.append('log', 'with a next one');
    await store.append('log', 'next');
    await proxy.passOn();
    expect(await valuesOf(other, 'log')).toEqual(['sent again', 'with a next one', 'next']);
  });

  it('changes the version, because a change of others may not have been heard', async () => {
    const { url } = await startRedis();
    const { store } = await openRedisStore({ url });
    const { version } = store;
    expect(store.version).toBe(version);
    await connectTo(url).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await expect.poll(() => store.version).not.toBe(version);
    const isSteady = () => {
      const { version } = store;
      return store.version === version;
    };
    await expect.poll(isSteady).toBe(true);
    const { store: other } = await openRedisStore({ url });
    const before = store.version;
    await write(other, 'heard');
    await expect.poll(() => store.version).not.toBe(before);
  });
});
