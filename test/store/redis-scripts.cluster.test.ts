/** A Redis that refuses scripts with keys of several slots: a cluster with one node. The product does not know its nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisStore } from '../../src/store/redis-store.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { RedisProgram } from '../redis-program.helper.ts';
import { connectTo, noRedis, openRedisStore } from './redis.helper.ts';
import { describeSharedStore, describeSharingProcesses } from './shared-store-contract.helper.ts';

const SLOTS = 16_384;

describe.skipIf(noRedis)('with a Redis that spreads its keys', () => {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-cluster-'));
  let redis: RedisProgram;

  beforeAll(async () => {
    const { port } = new URL(await unusedUrl());
    redis = await RedisProgram.start({
      directory,
      settings: ['--cluster-enabled', 'yes', '--cluster-port', port],
    });
    const client = new Redis(redis.url, { enableReadyCheck: false });
    await client.cluster('ADDSLOTSRANGE', 0, SLOTS - 1);
    await vi.waitUntil(async () => (await client.cluster('INFO')).includes('cluster_state:ok'), {
      timeout: 60_000,
    });
    client.disconnect();
  });
  // Also the time that the servers of earlier tests have kept.
  beforeEach(() => redis.command('FLUSHALL'));
  afterAll(async () => {
    await redis?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  describeSharedStore('in a cluster', async (clock) => {
    return (await openRedisStore({ url: redis.url, clock })).store;
  });

  describeSharingProcesses('in a cluster', async (clock, count) => {
    const opened = Array.from({ length: count }, () => openRedisStore({ url: redis.url, clock }));
    return (await Promise.all(opened)).map(({ store }) => store);
  });

  it('all keys of a store are in one slot, and those of another store need not be', async () => {
    const client = connectTo(redis.url);
    const slots: number[] = [];
    for (const name of ['one', 'other']) {
      const { redis: connection, store } = await openRedisStore({ url: redis.url, name });
      await store.update('a', () => ({ value: 1, result: undefined }));
      await store.append('a', 1);
      await store.append('b', 1);
      await store.lock('a', { waitMs: 0 });
      const keys = await client.keys('*:store:*');
      const found = new Set(await Promise.all(keys.map((key) => client.cluster('KEYSLOT', key))));
      expect([keys.length, found.size]).toEqual([7, 1]);
      slots.push(...found);
      await RedisStore.remove({ redis: connection, name });
      expect(await client.keys('*:store:*')).toEqual([]);
    }
    expect(new Set(slots).size).toBe(2);
  });

  it('a script with keys of two stores would be refused', async () => {
    const refused = connectTo(redis.url).eval('#!lua\nreturn 1', 2, 'budget-mcp:{one}', 'budget-mcp:{other}');
    await expect(refused).rejects.toThrow('CROSSSLOT');
  });
});
