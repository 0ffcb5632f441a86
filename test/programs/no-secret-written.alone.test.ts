import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { noSecretService, startSecretService } from '../auth/secret-service.helper.ts';
import { signInFiles } from '../auth/sign-in-files.helper.ts';
import { codeSignIn } from '../auth/signed-in.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { program } from '../hosts.helper.ts';

/** Everything that a user of this machine could read of a program that ran. */
class Witness {
  readonly seen: string[] = [];

  /** Runs the program with piped input until all requests in it are answered. */
  async run(args: readonly string[], env: Readonly<Record<string, string>>, stdin = ''): Promise<number> {
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env['PATH'] ?? '', BUDGET_MCP_LOG_LEVEL: 'debug', ...env },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.seen.push(text));
    child.stdin.write(stdin);
    if (stdin !== REQUESTS) child.stdin.end();
    let output = '';
    child.stdout.on('data', (text: string) => {
      output += text;
      if (ANSWERS.every((answer) => output.includes(answer))) child.stdin.end();
    });
    const closed = once(child, 'close');
    while (child.exitCode === null && child.signalCode === null) {
      this.seen.push(...commandLines());
      await turn();
    }
    await closed;
    return child.exitCode ?? -1;
  }

  /** All files below a folder. */
  async readAll(folder: string, except?: string): Promise<void> {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && path !== except) this.seen.push(path, await readFile(path, 'latin1'));
    }
  }
}

/** The command lines and environments of all running processes. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8')];
    } catch {
      // The process has ended in the meantime.
      return [];
    }
  });
}

const requestsFor = (...calls: readonly [name: string, args: object][]) =>
  [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    ...calls.map(([name, args]) => ({ method: 'tools/call', params: { name, arguments: args } })),
  ]
    .map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`)
    .join('');

const REQUESTS = requestsFor(
  ['list_accounts', {}],
  ['get_status', {}],
  ['get_payee', { payee_id: 'nonesuch' }],
  ['create_transactions', { transactions: [] }],
);

/** In any order. */
const ANSWERS = [0, 1, 2, 3, 4].map((id) => `"id":${id}`);

async function start(): Promise<{ service: Service; home: string; witness: Witness }> {
  const service = await startService({ clock: systemClock, transactions: 0, rateLimit: 10_000 });
  onTestFinished(() => service.close());
  return { service, home: await temporaryDirectory(), witness: new Witness() };
}

test.skipIf(noSecretService)(
  'with the keychain, signing in, calling and signing out write no token anywhere',
  async () => {
    const { service, home, witness } = await start();
    const { env } = await startSecretService();
    const here = { ...env, HOME: home, XDG_DATA_HOME: home };
    const token = `${service.accessToken}\n`;
    expect(await witness.run(['login', '--base-url', service.baseUrl], here, token)).toBe(0);
    expect(await witness.run(['serve'], here, REQUESTS)).toBe(0);
    expect(await witness.run(['status'], here)).toBe(0);
    service.access.revokeToken(service.accessToken);
    expect(await witness.run(['serve'], here, REQUESTS)).toBe(0);
    expect(await witness.run(['login', '--base-url', service.baseUrl], here, token)).toBe(1);
    expect(await witness.run(['logout'], here)).toBe(0);
    await witness.readAll(home);
    expect(witness.seen.join('\n')).toContain('list');
    for (const text of witness.seen) expect(text).not.toContain(service.accessToken);
  },
);

test('refreshing an OAuth sign-in writes tokens and the client secret only into its file', async () => {
  const { service, home, witness } = await start();
  const store = signInFiles(join(home, 'budget-mcp', 'sign-ins'));
  const signIn = { ...codeSignIn(service, systemClock), expiresAt: systemClock.now() };
  await store.write('default', signIn);
  const here = { HOME: home, XDG_DATA_HOME: home, BUDGET_MCP_INSECURE_STORAGE: 'true' };
  expect(await witness.run(['serve'], here, REQUESTS)).toBe(0);
  const renewed = await store.read('default');
  if (renewed?.kind !== 'authorization_code') throw new Error('The sign-in was removed.');
  expect(renewed.accessToken).not.toBe(signIn.accessToken);
  const [authorization] = service.oauth.authorizations.of(service.user);
  service.oauth.authorizations.revoke(authorization?.id ?? '');
  await witness.run(['serve'], here, REQUESTS);
  await witness.run(['status'], here);
  await witness.readAll(home, join(home, 'budget-mcp', 'sign-ins', 'default.json'));
  const secrets = [signIn, renewed].flatMap((each) => [
    each.accessToken,
    each.refreshToken,
    each.clientSecret,
  ]);
  for (const text of witness.seen) for (const secret of secrets) expect(text).not.toContain(secret);
});

test('a token that is provided in a wrong way is not repeated', async () => {
  const { service, home, witness } = await start();
  const here = { HOME: home, XDG_DATA_HOME: home, BUDGET_MCP_BASE_URL: service.baseUrl };
  const token = service.accessToken;
  const file = join(home, 'secrets', 'token');
  await mkdir(join(home, 'secrets'));
  await writeFile(file, token, { mode: 0o600 });
  expect(await witness.run(['serve', '--token-file', file], here, REQUESTS)).toBe(0);
  await chmod(file, 0o644);
  await witness.run(['serve', '--token-file', file], here, REQUESTS);
  await witness.run(['status', '--token-file', file], here);
  const warnings = witness.seen.filter((text) => text.includes('has mode 0644: other users'));
  expect(warnings).toHaveLength(2);
  expect(await witness.run(['serve', '--token-file', file], { ...here, BUDGET_MCP_TOKEN: token })).toBe(1);
  expect(await witness.run(['serve'], { ...here, BUDGET_MCP_TOKEN: `${token} ${token}` })).toBe(1);
  await writeFile(file, `${token}\n${token}`);
  await witness.run(['serve', '--token-file', file], here, REQUESTS);
  for (const text of witness.seen) expect(text).not.toContain(token);
});
