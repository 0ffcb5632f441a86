/** `budget-mcp login` as a person types it, and what the other commands find afterwards. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startService } from '../../../src/service/server.ts';
import { newHome } from '../../home.helper.ts';
import { program } from '../../hosts.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { hasNoKeychain, hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

const startDemoService = async () => {
  const service = await startService({ clock: systemClock, transactions: 10 });
  onTestFinished(() => service.close());
  return service;
};

describe.runIf(hasTerminal)('login alone in a terminal', () => {
  const login = async (service: string, ...more: Parameters<typeof runAtTerminal>[2][]) =>
    runAtTerminal(
      ['login', '--insecure-storage'],
      await newHome(),
      { to: 'Your budgeting service', text: `${service}\r` },
      ...more,
    );

  test('it asks for the service, and says where its tokens are made', async () => {
    const { output } = await login('ynab', { to: 'Personal access token', text: '\u0003' });
    expect(output).toContain('Your budgeting service: ynab, or the address of another one');
    expect(output).toContain(
      'You make a token in the developer settings, https://app.ynab.com/settings/developer.',
    );
    expect(output).toContain('The sign-in was cancelled; nothing was stored.');
  });

  test('the service can be an address', async () => {
    const { baseUrl, accessToken } = await startDemoService();
    const { exitCode, output } = await login(
      baseUrl,
      { to: 'access token', text: `${accessToken}\r` },
      { to: 'Which budget is meant if a question names none?', text: '\r' },
    );
    expect(output).toContain('You make a token in the developer settings of the service.');
    expect(output).toContain(`The token is sent to ${baseUrl} only.`);
    expect(exitCode).toBe(0);
  });

  test.each([
    ['mint', 'must be ynab, or an address, which must be a URL such as https://api.example.com/v1.'],
    ['https://api.example.com', 'which must end with /v1, such as https://api.example.com/v1.'],
  ])('the service %s is refused with what it should be', async (service, problem) => {
    const { exitCode, output } = await login(service);
    expect(output).toContain(problem);
    expect(exitCode).toBe(1);
  });
});

test('login without a terminal and without a service names a command that runs', async () => {
  const { baseUrl, accessToken } = await startDemoService();
  const env = { ...(await newHome()), BUDGET_MCP_INSECURE_STORAGE: 'true' };
  const { exitCode, stderr } = await runProgram(['login'], { env, input: 'a-token' });
  expect(stderr).toContain('name it, as in `budget-mcp login --service ynab`, or with --base-url.');
  expect(exitCode).toBe(1);
  const second = await runProgram(['login', '--base-url', baseUrl], { env, input: accessToken });
  expect(second.exitCode).toBe(0);
});

test.runIf(hasNoKeychain)(
  'without a keychain, status names in one sentence the command that works there',
  async () => {
    const { exitCode, stderr } = await runProgram(['status'], { env: await newHome() });
    expect(stderr).toMatch(
      /^budget-mcp: There is no keychain [^.]* `\S+ \S+main\.js login --insecure-storage` [^.]*\.\n$/,
    );
    expect(exitCode).toBe(1);
  },
);

test.each([
  [[], 'login --insecure-storage'],
  [['--profile', 'work'], 'login --profile work --insecure-storage'],
])('status with %j suggests the command that runs here, with %s', async (options, command) => {
  const env = await newHome();
  const { stdout } = await runProgram(['status', '--insecure-storage', ...options], { env });
  expect(stdout).toContain(`not signed in; run \`${process.execPath} ${program} ${command}\``);
});
