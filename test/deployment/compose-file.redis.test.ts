/** The Redis and a server of `docs/compose`, with their own settings, on this machine. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { connectTo, noRedis, startRedis } from '../store/redis.helper.ts';
import { composeCopy, exampleVariables, localRedisConfig, readComposeFile } from './compose-file.helper.ts';

/** Redis with `redis.conf` and the secrets in `directory`, which get its address on this machine. */
async function start() {
  const directory = await composeCopy();
  const redis = await startRedis('--include', await localRedisConfig(directory));
  const urlFile = join(directory, 'secrets/redis_url');
  const url = (await readFile(urlFile, 'utf8')).trim().replace('redis:6379', `127.0.0.1:${redis.port}`);
  return { directory, redis, url };
}

describe.skipIf(noRedis)('docs/compose', () => {
  test('its Redis loses no data, and its servers may know that', async () => {
    const { url } = await start();
    const connection = await RedisConnection.open({ url, clock: systemClock });
    onTestFinished(() => connection.close());
    expect(connection.warnings).toEqual([]);
    const answers = connectTo(url);
    expect(await answers.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
    expect(await answers.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await answers.config('GET', 'maxmemory')).toEqual(['maxmemory', `${2 ** 30}`]);
    expect(await answers.info('persistence')).toContain('aof_enabled:1');
  });

  test('its Redis has data again after it was killed', async () => {
    const { redis, url } = await start();
    await connectTo(url).set('budget-mcp:test', 'stays');
    await redis.kill();
    await redis.start();
    expect(await connectTo(url).get('budget-mcp:test')).toBe('stays');
  });

  test('its Redis lets a user without the password only ask whether it answers, and a server only use its own keys', async () => {
    const { redis, url } = await start();
    // The check would ask for more than PING.
    const stranger = new Redis(redis.url, { enableReadyCheck: false });
    onTestFinished(() => stranger.disconnect());
    expect(await stranger.ping()).toBe('PONG');
    await expect(stranger.get('budget-mcp:2:news')).rejects.toThrow('NOPERM');
    await expect(stranger.subscribe('budget-mcp:2:news')).rejects.toThrow('NOPERM');
    const server = connectTo(url);
    await expect(server.set('other', '1')).rejects.toThrow('NOPERM');
    await expect(server.config('SET', 'appendonly', 'no')).rejects.toThrow('NOPERM');
    await expect(server.flushall()).rejects.toThrow('NOPERM');
  });

  test('its servers start with their command, and are ready', async () => {
    const { directory, url } = await start();
    const secrets = join(directory, 'local');
    await writeFile(secrets, `${url}\n`, { mode: 0o600 });
    const { services } = await readComposeFile('compose.yaml', await exampleVariables());
    const [, ...args] = services['server-1']?.command ?? [];
    const program = await startHttpProgram(
      args.map((arg) =>
        arg
          .replace('/run/secrets/redis_url', secrets)
          .replace('/run/secrets', join(directory, 'secrets'))
          .replace('0.0.0.0', '127.0.0.1')
          .replace(/^--metrics-port=.*/, '--metrics-port=0')
          .replace(/^--drain-seconds=.*/, '--drain-seconds=0'),
      ),
      { BUDGET_MCP_NO_STATE: 'false' },
    );
    onTestFinished(async () => {
      await program.stop();
    });
    const answer = async () => {
      const response = await fetch(new URL('/readyz', program.url));
      return [response.status, await response.text()];
    };
    await expect.poll(answer).toEqual([200, expect.stringContaining('ready')]);
    expect(program.written()).not.toContain('Redis');
  });
});
