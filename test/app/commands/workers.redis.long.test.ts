/** A hosted server of several processes, as programs of their own. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { HostedProgram } from '../../programs/hosted-program.helper.ts';
import { withChildren } from '../../programs/process-usage.helper.ts';
import { RedisProgram } from '../../redis-program.helper.ts';
import { noRedis } from '../../store/redis.helper.ts';

test.skipIf(noRedis)(
  'workers get the secrets of the settings, and none of them is in their environment',
  async () => {
    const directory = await temporaryDirectory();
    const redis = await RedisProgram.start({ directory, password: 'password-of-redis' });
    onTestFinished(() => redis.kill());
    const keyFile = join(directory, 'server.key');
    await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
    const hosted = await HostedProgram.start({
      args: ['--workers', '2', '--server-key-file', keyFile],
      env: { BUDGET_MCP_NO_STATE: 'false', BUDGET_MCP_REDIS_URL: redis.url },
    });
    onTestFinished(() => hosted.close());
    const { clientSecret } = hosted.service.client;
    await expect.poll(() => withChildren(hosted.program.process.pid)).toHaveLength(3);
    const [, ...workers] = withChildren(hosted.program.process.pid);
    for (const worker of workers) {
      const environment = readFileSync(`/proc/${worker}/environ`, 'utf8');
      expect(environment).toContain('BUDGET_MCP_CLIENT_ID');
      for (const secret of [clientSecret, 'password-of-redis']) expect(environment).not.toContain(secret);
    }
    const signedIn = await hosted.signIn(hosted.person(0));
    expect((await signedIn.call('list_accounts')).status).toBe(200);
  },
);
