import { describe, expect, it } from 'vitest';
import { redisServerOf } from '../../src/store/redis-connection.ts';
import { connectRedis, noRedis, startRedis } from './redis.helper.ts';

describe('the warnings about a Redis', () => {
  it('come with whether it is too old: a version before 7 is, and an unknown one is tried', () => {
    expect(redisServerOf('# Server\r\nredis_version:6.2.14\r\n', '').isTooOld).toBe(true);
    expect(redisServerOf('# Server\r\nredis_version:7.0.0\r\n', '').isTooOld).toBe(false);
    expect(redisServerOf('redis_version:7.2.4\r\nvalkey_version:9.0.0\r\n', '').isTooOld).toBe(false);
    expect(redisServerOf('', '').isTooOld).toBe(false);
  });

  it.skipIf(noRedis)('are none if it loses no data', async () => {
    const { url } = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    expect((await connectRedis({ url })).warnings).toEqual([]);
  });

  it.skipIf(noRedis)('say that it may lose data, and which setting helps', async () => {
    const { url } = await startRedis('--maxmemory-policy', 'allkeys-lru');
    expect((await connectRedis({ url })).warnings).toEqual([
      expect.stringContaining('noeviction instead of allkeys-lru'),
      expect.stringContaining('appendonly'),
    ]);
    const { url: each } = await startRedis('--appendonly', 'yes');
    expect((await connectRedis({ url: each })).warnings).toEqual([
      expect.stringContaining('appendfsync to always'),
    ]);
  });

  it.skipIf(noRedis)('are none if the user may not ask for its settings', async () => {
    const { port } = await startRedis(
      ...['--user', 'default', 'off'],
      ...[
        '--user',
        'reader',
        'on',
        '>secret',
        '~budget-mcp:*',
        '&budget-mcp:*',
        '+@all',
        '-@dangerous',
        '-@admin',
      ],
    );
    const redis = await connectRedis({ url: `redis://reader:secret@127.0.0.1:${port}` });
    expect(redis.warnings).toEqual([]);
  });
});
