import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { runDoctor } from '../../../src/app/commands/doctor.ts';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import type { SignIn } from '../../../src/auth/token-store.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { startService } from '../../../src/service/server.ts';
import { signInFiles } from '../../auth/sign-in-files.helper.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { builtProgram } from '../../built-program.helper.ts';
import { startForwardProxy } from '../../forward-proxy.helper.ts';
import { homeIn, newHome } from '../../home.helper.ts';
import { sendJson, serveHttp, unusedUrl } from '../../local-server.helper.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { runProgram } from '../../run-program.helper.ts';

async function startDemoService() {
  const service = await startService({ clock: systemClock, transactions: 10 });
  onTestFinished(() => service.close());
  return service;
}

/** The sign-in of a person whose home is `home`. */
const signIn = (home: string, stored: SignIn) =>
  signInFiles(join(home, '.local', 'share', 'budget-mcp', 'sign-ins')).write('default', stored);

/** Runs `budget-mcp doctor` in a home of its own. */
async function diagnose(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const home = homeIn(env['HOME'] ?? (await temporaryDirectory()));
  return runProgram(['doctor', '--insecure-storage', ...args], { env: { ...home, ...env } });
}

const requestsOf = async ({ baseUrl, accessToken }: { baseUrl: string; accessToken: string }) => {
  const response = await fetch(`${baseUrl}/user?access_token=${accessToken}`);
  return Number(response.headers.get('x-rate-limit')?.split('/')[0]) - 1;
};

test('doctor warns a person who is not signed in, sends nothing, and fails nothing', async () => {
  const { exitCode, stdout, stderr } = await diagnose();
  expect(stdout).toContain(`ok   node     Node.js ${process.versions.node}\n`);
  expect(stdout).toMatch(
    /^warn sign-in {2}.* profile "default" is not signed in. Run `\S+ \S+main\.js login --insecure-storage`.$/m,
  );
  expect(stdout).toMatch(/^warn network {2}not tried/m);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test('doctor finds a stored sign-in, asks the service once, and compares the clocks', async () => {
  const service = await startDemoService();
  const home = await temporaryDirectory();
  const { baseUrl, accessToken } = service;
  await signIn(home, { kind: 'personal', id: '1', baseUrl, accessToken });
  const { exitCode, stdout } = await diagnose([], homeIn(home));
  expect(stdout).toContain(`ok   sign-in  profile "default" is signed in to ${baseUrl}, stored in`);
  expect(stdout).toContain(`ok   network  ${new URL(baseUrl).host} answers, and accepts the token\n`);
  expect(stdout).toContain('ok   clock    agrees with that of the service\n');
  expect(stdout).not.toContain(accessToken);
  expect(await requestsOf(service)).toBe(1);
  expect(exitCode).toBe(0);
});

test('doctor fails when the service does not accept the provided token, and does not show it', async () => {
  const { baseUrl } = await startDemoService();
  const token = 'SECRET-mistyped-token';
  const { exitCode, stdout, stderr } = await diagnose(['--base-url', baseUrl], { BUDGET_MCP_TOKEN: token });
  expect(stdout).toContain(
    'ok   sign-in  a token is provided by the environment variable BUDGET_MCP_TOKEN\n',
  );
  expect(stdout).toMatch(/^fail network .* does not accept the token: a new one is needed/m);
  expect(stdout + stderr).not.toContain('SECRET');
  expect(exitCode).toBe(1);
});

test('doctor sends one request with an OAuth token that has ended, and does not renew it', async () => {
  const { baseUrl, appUrl, client } = await startDemoService();
  const home = await temporaryDirectory();
  const tokens = { accessToken: 'ended-token', refreshToken: 'refresh-token', grantedAt: 0, expiresAt: 1 };
  const granted = { kind: 'authorization_code', id: '1', scope: 'full', baseUrl, appUrl } as const;
  await signIn(home, { ...granted, ...client, ...tokens });
  const { exitCode, stdout } = await diagnose([], homeIn(home));
  expect(stdout).toMatch(/^ok {3}network .* the token has ended, and the next question renews it$/m);
  expect(exitCode).toBe(0);
});

test('doctor says that an ended sign-in of the implicit grant needs a new one', async () => {
  const { baseUrl, appUrl } = await startDemoService();
  const home = await temporaryDirectory();
  const application = { clientId: 'c1', scope: 'full', appUrl } as const;
  await signIn(home, {
    kind: 'implicit',
    id: '1',
    baseUrl,
    accessToken: 'ended',
    grantedAt: 0,
    expiresAt: 1,
    ...application,
  });
  const { exitCode, stdout } = await diagnose([], homeIn(home));
  expect(stdout).toMatch(/^fail sign-in .* it ended .* Run `\S+ \S+main\.js login --insecure-storage`.$/m);
  expect(exitCode).toBe(1);
});

test('doctor fails when the service cannot be reached', async () => {
  const baseUrl = `${await unusedUrl()}/v1`;
  const { exitCode, stdout } = await diagnose(['--base-url', baseUrl], { BUDGET_MCP_TOKEN: 'a-token' });
  expect(stdout).toMatch(
    /^fail network {2}The service cannot be reached \(ECONNREFUSED\). Check the network/m,
  );
  expect(exitCode).toBe(1);
});

test('doctor names the proxy without its password, and fails when the proxy refuses', async () => {
  const proxy = await startForwardProxy();
  const { exitCode, stdout } = await diagnose(['--base-url', 'https://api.example.com/v1'], {
    BUDGET_MCP_TOKEN: 'a-token',
    HTTPS_PROXY: `http://user:SECRET@127.0.0.1:${proxy.port}`,
  });
  expect(proxy.requested.map(({ target }) => target)).toEqual(['api.example.com:443']);
  expect(stdout).toContain(`ok   proxy    127.0.0.1:${proxy.port}, except for localhost`);
  expect(stdout).toMatch(/^fail network /m);
  expect(stdout).not.toContain('SECRET');
  expect(exitCode).toBe(1);
});

test.each([
  [403, 'fail'],
  [404, 'fail'],
  [429, 'warn'],
  [503, 'warn'],
  [200, 'fail'],
])('doctor reports an answer with status %i that is not a user as %s', async (status, level) => {
  const server = await serveHttp((_, response) => sendJson(response, { error: {} }, status));
  const { stdout } = await diagnose(['--base-url', `${server.url}/v1`], { BUDGET_MCP_TOKEN: 'a-token' });
  expect(stdout).toMatch(new RegExp(`^${level} network `, 'm'));
});

test('doctor reports settings that cannot be used, instead of ending with their error', async () => {
  const { exitCode, stdout, stderr } = await diagnose(['--base-url', 'nonsense']);
  expect(stdout).toContain('ok   node ');
  expect(stdout).toMatch(/^fail settings --base-url \(BUDGET_MCP_BASE_URL\) must be/m);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
});

test('doctor fails when the stored sign-in belongs to another service than the configured one', async () => {
  const home = await temporaryDirectory();
  const stored = { kind: 'personal', id: '1', accessToken: 'SECRET-1' } as const;
  await signIn(home, { ...stored, baseUrl: 'https://api.example.com/v1' });
  const { exitCode, stdout } = await diagnose(['--service', 'ynab'], homeIn(home));
  expect(stdout).toMatch(/^fail sign-in .* is signed in to https:\/\/api.example.com\/v1, not to /m);
  expect(exitCode).toBe(1);
});

test.runIf(process.platform === 'linux')('doctor fails when there is no keychain', async () => {
  const { exitCode, stdout } = await runProgram(['doctor'], { env: await newHome() });
  expect(stdout).toMatch(/^fail sign-in .*D-Bus/m);
  expect(stdout).toContain('--insecure-storage');
  expect(exitCode).toBe(1);
});

test('doctor fails nothing where the hosts use invented data only, although there is no sign-in', async () => {
  const env = await newHome();
  const install = (...args: string[]) => runProgram(['install', ...args, '--yes'], { env });
  await install('cursor', '--demo');
  const { exitCode, stdout } = await runProgram(['doctor'], { env });
  expect(stdout).toMatch(/^ok {3}sign-in {2}none is needed, because the hosts use invented data only/m);
  expect(stdout).not.toContain('D-Bus');
  expect(exitCode).toBe(0);
  await install('codex');
  expect((await runProgram(['doctor'], { env })).stdout).not.toContain('none is needed');
});

test('state that is kept in memory because --no-state is set is no problem', async () => {
  const { stdout } = await diagnose(['--no-state']);
  expect(stdout).toMatch(/^ok {3}state {4}every process keeps its own state, .* --no-state is set.$/m);
});

test.each([
  [30, 'ok   clock    agrees'],
  [3 * 60, 'warn clock    The clock of this machine is 3 min ahead of that of the service. Set it.'],
  [-20 * 60, 'fail clock    The clock of this machine is 20 min behind that of the service. Set it.'],
])('a clock that is %i seconds ahead gives "%s"', async (seconds, line) => {
  const { baseUrl, accessToken } = await startDemoService();
  const stdout = new PassThrough({ encoding: 'utf8' });
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const config = () =>
    loadConfig({ baseUrl, noState: true }, { BUDGET_MCP_TOKEN: accessToken, HOME: '/nonexistent' });
  const clock = new ManualClock(systemClock.now() + seconds * 1_000);
  const isFine = await runDoctor(
    config,
    { io, program: builtProgram, signal: new AbortController().signal },
    clock,
  );
  expect(String(stdout.read())).toContain(line);
  expect(isFine).toBe(!line.startsWith('fail'));
});
