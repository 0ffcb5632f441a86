/** What a hosted server asks of Redis, compared with docs/calls.md. */
import { expect, onTestFinished, test } from 'vitest';
import { openRedisStorage } from '../../src/app/compose/hosted-storage.ts';
import { promised } from '../call-costs.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { noRedis, startRedis, withRealPauses } from '../store/redis.helper.ts';
import { startRedisTraffic } from '../store/redis-traffic.helper.ts';
import { startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

async function start() {
  const redis = await startRedis();
  const traffic = await startRedisTraffic(redis.port);
  const clock = new ManualClock(Date.now());
  const serverKeys = [new Uint8Array(32).fill(7)];
  const storage = await openRedisStorage({
    url: traffic.url,
    replicas: 0,
    serverKeys,
    clock: withRealPauses(clock),
    warn: () => {},
  });
  onTestFinished(() => storage.close());
  const hosting = await startComposed({ clock, storage });
  const client = await OAuthClient.register(hosting, { client_name: 'Assistant' });
  const { access_token: token } = await client.tokens();
  const readWarm = async () => {
    const { text } = await hosting.call(token, 'get_category', { category_id: 'Groceries' });
    expect(text).toContain('Groceries');
  };
  return { traffic, clock, hosting, token, readWarm };
}

async function several<Result>(times: number, measure: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let time = 0; time < times; time += 1) results.push(await measure());
  return results;
}

test.skipIf(noRedis)(
  'a warm answer costs as many commands and round trips in a row as docs/calls.md says',
  async () => {
    const { traffic, readWarm } = await start();
    await readWarm();
    const costs = await several(5, async () => {
      await traffic.quiet();
      return traffic.cost(readWarm);
    });
    // The least, because the server does something from time to time by itself.
    const [maxCommands = 0] = promised('Redis commands of a warm read, with those in scripts');
    expect(Math.min(...costs.map(({ commands }) => commands))).toBeLessThanOrEqual(maxCommands);
    const [maxRounds = 0] = promised('round trips to Redis of a warm read, one after the other');
    expect(Math.min(...costs.map(({ rounds }) => rounds))).toBeLessThanOrEqual(maxRounds);
  },
);

test.skipIf(noRedis)('an open grant that waits for changes costs nothing while nothing happens', async () => {
  const { traffic, clock, hosting, token, readWarm } = await start();
  const commandsInHalfMinute = async () => {
    const { commands } = await traffic.cost(async () => {
      for (let second = 0; second < 30; second += 1) {
        clock.advance(1_000);
        await traffic.quiet();
      }
    });
    return commands;
  };
  // Where the machine is slow, the server comes to do less in this time.
  const ofServer = Math.max(...(await several(2, commandsInHalfMinute)));
  await readWarm();
  const { text } = await hosting.call(token, 'list_budgets');
  const [id] = /[0-9a-f-]{36}/.exec(text) ?? [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const stream = await hosting.listen(token, [`budget://v1/budgets/${id}/accounts`], ending.signal);
  expect(stream.status).toBe(200);
  const withGrant = Math.min(...(await several(2, commandsInHalfMinute)));
  const [maxPerSecond = 0] = promised('Redis commands a second of an idle grant');
  expect((withGrant - ofServer) / 30).toBeLessThanOrEqual(maxPerSecond);
});
