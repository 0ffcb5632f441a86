import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTo, noRedis, startRedis } from '../store/redis.helper.ts';
import { HostedProgram } from './hosted-program.helper.ts';
import { testsOfHostedState } from './hosted-state.helper.ts';

async function startHosted(directory: string, env: Readonly<Record<string, string>>): Promise<HostedProgram> {
  const keyFile = join(directory, 'server.key');
  writeFileSync(keyFile, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
  const hosted = await HostedProgram.start({
    args: ['--server-key-file', keyFile],
    env: { BUDGET_MCP_NO_STATE: 'false', ...env },
  });
  onTestFinished(() => hosted.close());
  return hosted;
}

describe.skipIf(noRedis)('a hosted server with its state in Redis', () => {
  testsOfHostedState(async () => {
    const { url, directory } = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
    const client = connectTo(url);
    return {
      env: { BUDGET_MCP_REDIS_URL: url },
      names: async () => {
        const stores = (await client.keys('budget-mcp:2:store:*')).map((key) => key.split(':')[3] ?? '');
        return [...new Set(stores)].toSorted();
      },
      content: () =>
        readdirSync(join(directory, 'appendonlydir'))
          .map((name) => readFileSync(join(directory, 'appendonlydir', name), 'latin1'))
          .join('\n'),
    };
  });

  test('writes no password of Redis, also if libraries are asked to say what they do', async () => {
    const { url, directory } = await startRedis('--requirepass', 'password-of-redis');
    const hosted = await startHosted(directory, {
      BUDGET_MCP_REDIS_URL: url.replace('//', '//:password-of-redis@'),
      BUDGET_MCP_LOG_LEVEL: 'debug',
      DEBUG: '*',
    });
    await hosted.signIn(hosted.person(0));
    await hosted.stopProgram();
    expect(hosted.program.written()).toContain('budget-mcp listens');
    expect(hosted.program.written()).not.toContain('password-of-redis');
  });

  test('starts while Redis is full, is not ready and asks to try again, and answers when there is room again', async () => {
    const { url, directory } = await startRedis('--maxmemory-policy', 'noeviction');
    const hosted = await startHosted(directory, { BUDGET_MCP_REDIS_URL: url });
    const signedIn = await hosted.signIn(hosted.person(0));
    const client = connectTo(url);
    await client.config('SET', 'maxmemory', '1');
    await hosted.restart();
    const isReady = async () => (await fetch(`${hosted.issuer}/readyz`)).status;
    expect(await isReady()).toBe(503);
    const refused = await signedIn.call('list_accounts');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
    await client.config('SET', 'maxmemory', '0');
    expect(await (await signedIn.call('list_accounts')).text()).toContain('Checking');
    await expect.poll(isReady, { timeout: 10_000 }).toBe(200);
  });

  test('ends with an error that says why if Redis has lost its data, and starts again', async () => {
    const redis = await startRedis();
    const hosted = await startHosted(redis.directory, { BUDGET_MCP_REDIS_URL: redis.url });
    await redis.kill();
    await redis.start();
    const { process, written } = hosted.program;
    if (process.exitCode === null) await once(process, 'exit');
    expect(written()).toContain('Redis is not accepting this process any more');
    expect(process.exitCode).toBe(1);
    await hosted.restart();
    await hosted.signIn(hosted.person(0));
  });
});
