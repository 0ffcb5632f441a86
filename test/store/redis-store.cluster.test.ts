/** The contract of a store on a real cluster of three masters. It refuses scripts with keys of several slots. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisStore } from '../../src/store/redis-store.ts';
import { RedisCluster } from '../redis-cluster.helper.ts';
import { connectTo, noRedis, openRedisStore } from './redis.helper.ts';
import { describeSharedStore, describeSharingProcesses } from './shared-store-contract.helper.ts';

describe.skipIf(noRedis)('with a cluster', () => {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-cluster-'));
  let redis: RedisCluster;

  beforeAll(async () => {
    redis = await RedisCluster.start({ directory, replicas: 0 });
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
    const clients = redis.nodes.map(({ url }) => connectTo(url));
    const keysOfStores = async () =>
      (await Promise.all(clients.map((client) => client.keys('*:store:*')))).flat();
    const slots: number[] = [];
    for (const name of ['one', 'other']) {
      const { redis: connection, store } = await openRedisStore({ url: redis.url, name });
      await store.update('a', () => ({ value: 1, result: undefined }));
      await store.append('a', 1);
      await store.append('b', 1);
      await store.lock('a', { waitMs: 0 });
      const keys = await keysOfStores();
      const found = new Set(await Promise.all(keys.map((key) => clients[0]?.cluster('KEYSLOT', key))));
      expect([keys.length, found.size]).toEqual([7, 1]);
      slots.push(...[...found].map(Number));
      await RedisStore.remove({ redis: connection, name });
      expect(await keysOfStores()).toEqual([]);
    }
    expect(new Set(slots).size).toBe(2);
  });

  it('a script with keys of two stores would be refused', async () => {
    const client = connectTo((await redis.masterOf('budget-mcp:{one}')).url);
    const refused = client.eval('#!lua\nreturn 1', 2, 'budget-mcp:{one}', 'budget-mcp:{other}');
    await expect(refused).rejects.toThrow('CROSSSLOT');
  });
});
