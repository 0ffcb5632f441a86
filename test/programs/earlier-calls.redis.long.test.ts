/** Equal calls at servers whose Redis is full, while the outcome of the first one is not known. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { connectTo, noRedis, startRedis } from '../store/redis.helper.ts';
import { HostedProgram } from './hosted-program.helper.ts';
import { type Pass, startPassingProxy } from './passing-proxy.helper.ts';

const lunch = { transactions: [{ account_id: 'Checking', date: 'today', amount: -12.5, memo: 'lunch' }] };

async function startTwo() {
  const redis = await startRedis('--maxmemory-policy', 'noeviction');
  const keyFile = join(await temporaryDirectory(), 'server.key');
  writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  /** Replaced by the test. */
  const hooks: { pass: Pass } = { pass: ({ deliver }) => deliver() };
  let origin = '';
  const proxy = await startPassingProxy(
    () => origin,
    (passage) => hooks.pass(passage),
  );
  const args = ['--server-key-file', keyFile, '--confirm', 'none'];
  const env = {
    BUDGET_MCP_NO_STATE: 'false',
    BUDGET_MCP_REDIS_URL: redis.url,
    BUDGET_MCP_BASE_URL: `${proxy}/v1`,
  };
  const hosted = await HostedProgram.start({ args, env });
  onTestFinished(() => hosted.close());
  const { service, issuer } = hosted;
  origin = service.appUrl;
  const { clientId, clientSecret } = service.client;
  const second = await startHttpProgram(['--hosted', '--public-url', issuer, ...args], {
    BUDGET_MCP_APP_URL: service.appUrl,
    BUDGET_MCP_CLIENT_ID: clientId,
    BUDGET_MCP_CLIENT_SECRET: clientSecret,
    ...env,
  });
  onTestFinished(async () => {
    await second.stop();
  });
  const { http } = await hosted.signIn(hosted.person(0));
  const hosts = [];
  for (const { url } of [hosted.program, second]) {
    const host = await connectModern({ http: { ...http, url } });
    onTestFinished(() => host.close());
    expect((await host.call('list_accounts')).isError).toBe(false);
    hosts.push(host);
  }
  const logged = () =>
    hosted
      .person(0)
      .user.ledgers[0]?.transactions(undefined)
      .filter(({ memo }) => memo === 'lunch').length;
  return { hooks, hosts, logged, client: connectTo(redis.url) };
}

describe.skipIf(noRedis)('with a full Redis, an equal call after one whose outcome is not known', () => {
  test('says that it is not known, both on the server that looks for it and on another one', async () => {
    const { hooks, hosts, logged, client } = await startTwo();
    const [first = expect.unreachable()] = hosts;
    // The entry is made, and neither its answer nor any read after it arrives.
    let isMade = false;
    hooks.pass = async ({ method, deliver }) => {
      const isEntry = method === 'POST';
      if (isEntry || !isMade) await deliver();
      isMade ||= isEntry;
      if (isEntry) await new Promise<never>(() => {});
    };
    expect((await first.call('create_transactions', lunch)).text).toMatch(/it is not known whether/i);
    await client.config('SET', 'maxmemory', '1');
    for (const host of hosts) {
      const { isError, text } = await host.call('create_transactions', lunch);
      expect(isError, text).toBe(true);
      expect(text).toMatch(
        /^This call changed nothing\. The storage .*\nWrite: create_transactions of .* not known/s,
      );
      expect(text).not.toMatch(/nothing was written|safe to try|change was not made/i);
      const status = await host.call('get_status');
      expect(status.isError, status.text).toBe(false);
      expect(status.text).toMatch(/Write: create_transactions of .* not known/);
    }
    expect(logged()).toBe(1);
  });
});
