import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/service/server.ts';
import { openKeychain } from '../auth/keychain.helper.ts';
import { noSecretService, startSecretService } from '../auth/secret-service.helper.ts';
import { codeSignIn } from '../auth/signed-in.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { stateOf } from './sharing-programs.helper.ts';

async function startKeychain() {
  const service = await startService({ clock: systemClock, transactions: 300, rateLimit: 10_000 });
  onTestFinished(() => service.close());
  const home = await temporaryDirectory();
  const keychain = await startSecretService();
  await openKeychain(keychain.env).write('default', codeSignIn(service, systemClock));
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const places = { HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home, BUDGET_MCP_NO_STATE: 'false' };
    const host = await connectModern({ args: ['serve'], env: { ...keychain.env, ...places, ...more } });
    onTestFinished(() => host.close());
    return host;
  };
  return { service, keychain, start };
}

test.skipIf(noSecretService || !sqlite)(
  'a keychain that is locked while programs run changes nothing for them, and one that starts then says so',
  async () => {
    const { keychain, start } = await startKeychain();
    const first = await start();
    expect((await first.call('list_accounts')).isError).toBe(false);
    expect(await stateOf(first)).toEqual({ shared: true });
    await keychain.lock();
    expect((await first.call('list_transactions')).isError).toBe(false);
    expect(await stateOf(first)).toEqual({ shared: true });

    const next = await start();
    const { isError, text } = await next.call('list_accounts');
    expect([isError, text]).toEqual([true, expect.stringContaining('The user has to unlock it first.')]);
    const status = await next.call('get_status');
    expect(status.isError).toBe(false);
    expect(status.text).toContain('The user has to unlock it first.');
    expect(await stateOf(next)).toMatchObject({ shared: false, reason: expect.any(String) });
  },
  120_000,
);

test.skipIf(noSecretService || !sqlite)(
  'with a provided token, a locked keychain is not needed for the shared state',
  async () => {
    const { keychain, start, service } = await startKeychain();
    await keychain.lock();
    const env = { BUDGET_MCP_TOKEN: service.accessToken, BUDGET_MCP_BASE_URL: service.baseUrl };
    const host = await start(env);
    expect((await host.call('list_accounts')).isError).toBe(false);
    expect(await stateOf(host)).toEqual({ shared: true });
  },
  120_000,
);
