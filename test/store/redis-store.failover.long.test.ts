/** What a failover of a real cluster loses, and what it does not. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { keysOfStore } from '../../src/store/redis-scripts.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { RedisCluster } from '../redis-cluster.helper.ts';
import { noRedis, openRedisStore } from './redis.helper.ts';
import { valuesOf } from './shared-store-contract.helper.ts';

const NAME = 'test';
const numbers = z.array(z.number()).catch([]);

async function start() {
  const redis = await RedisCluster.start({ directory: await temporaryDirectory(), replicas: 1 });
  onTestFinished(() => redis.kill());
  const { url } = redis;
  const { records } = keysOfStore(createHash('sha256').update(NAME).digest('hex'));
  const master = await redis.masterOf(records);
  const open = async () => (await openRedisStore({ url, name: NAME, replicas: 1 })).store;
  return { redis, url, master, replicas: await redis.replicasOf(master), open };
}

type Store = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['open']>>;

const add = (store: Store, number: number, waitsForReplicas = true) =>
  store.update('numbers', (value) => ({
    value: [...numbers.parse(value), number],
    result: undefined,
    waitsForReplicas,
  }));

describe.skipIf(noRedis)('a cluster with a replica of each master', () => {
  it('loses nothing that was confirmed with the replicas, and does nothing twice, when a master is killed', async () => {
    const { redis, master, open } = await start();
    const store = await open();
    const confirmed: number[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let number = 0; !isOver; number += 1)
        await add(store, number).then(
          () => confirmed.push(number),
          () => {},
        );
    })();
    while (confirmed.length < 100) await new Promise(setImmediate);
    await master.kill();
    await redis.untilTakenOver();
    // Until it has replicas again, nothing is confirmed.
    await master.start();
    const before = confirmed.length;
    while (confirmed.length < before + 100) await new Promise(setImmediate);
    isOver = true;
    await writing;
    const kept = numbers.parse(await (await open()).read('numbers'));
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toEqual(expect.arrayContaining(confirmed));
  });

  it('refuses what has to be on a replica while none answers, and goes on with everything else', async () => {
    const { replicas, open } = await start();
    const store = await open();
    await add(store, 1);
    for (const replica of replicas) replica.signal('SIGSTOP');
    // Expected at once, because it may be refused while the other store is opened.
    const refused = expect(add(store, 2)).rejects.toMatchObject({
      name: 'StoreError',
      reason: 'refusing to write, because it has too few replicas',
    });
    await expect(open().then((other) => other.read('numbers'))).resolves.toContain(1);
    await refused;
    await add(store, 3, false);
    for (const replica of replicas) replica.signal('SIGCONT');
    await add(store, 4);
    expect(numbers.parse(await store.read('numbers'))).toEqual(expect.arrayContaining([1, 3, 4]));
  });

  it('ends for a process whose change was lost, and uses no number of a lost entry again', async () => {
    const { redis, master, replicas, open } = await start();
    const [one, other] = [await open(), await open()];
    await add(one, 1);
    for (const replica of replicas) replica.signal('SIGSTOP');
    // Otherwise it would read what is sent to it when it goes on.
    await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
    const lost = await one.append('log', 'lost');
    expect(await valuesOf(other, 'log')).toEqual(['lost']);
    await master.kill();
    for (const replica of replicas) replica.signal('SIGCONT');
    await redis.untilTakenOver();
    await other.append('log', 'kept');
    expect(await valuesOf(other, 'log', lost)).toEqual(['kept']);
    await expect(one.append('log', 'later')).rejects.toMatchObject({ isEnd: true });
  });

  it('warns a server that does not wait for a replica', async () => {
    const { url } = await start();
    const warningsOf = async (replicas: number) => {
      const connection = await RedisConnection.open({ url, replicas, clock: systemClock });
      onTestFinished(() => connection.close());
      return connection.warnings.filter((warning) => warning.includes('--redis-replicas'));
    };
    expect(await warningsOf(0)).toHaveLength(1);
    expect(await warningsOf(1)).toEqual([]);
  });
});
