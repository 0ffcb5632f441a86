import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startService } from '../../../src/service/server.ts';
import { newHome } from '../../home.helper.ts';
import { connectModern, program } from '../../hosts.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { hasNoKeychain, hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

/** A machine without a keychain, and a service with an account of its user. */
async function startPerson() {
  const service = await startService({ clock: systemClock, transactions: 10 });
  onTestFinished(() => service.close());
  const env = await newHome();
  return {
    service,
    env,
    run: (args: readonly string[], input = '') => runProgram(args, { env, input }),
  };
}

test.runIf(hasNoKeychain)(
  'install without a sign-in and without a terminal says so, and which command signs in',
  async () => {
    const { run, service } = await startPerson();
    const { exitCode, stdout } = await run(['install', 'cursor', '--yes']);
    expect(stdout).toMatch(
      /The server cannot answer about your budget before you have signed in\.\nTo sign in, run `\S+ \S+main\.js login --insecure-storage` in a terminal\.\n$/,
    );
    expect(exitCode).toBe(0);
    await run(['login', '--insecure-storage', '--base-url', service.baseUrl], service.accessToken);
    const { stdout: named } = await run(['install', 'cursor', '--yes']);
    expect(named).not.toContain('signed in');
    expect(named).toMatch(/A question that names no budget is about "[^"]+", which begins first;/);
    for (const options of [[], ['--insecure-storage']])
      expect((await run(['install', 'cursor', '--yes', '--profile', 'work', ...options])).stdout).toContain(
        `${program} login --profile work --insecure-storage\``,
      );
  },
);

test.each([[['--demo']], [['--token-file', '/token']], [['--url', 'https://budget.example.com/mcp']]])(
  'install with %j asks for no sign-in',
  async (options) => {
    const { run } = await startPerson();
    expect((await run(['install', 'cursor', '--yes', ...options])).stdout).not.toContain('signed in');
  },
);

test.runIf(hasTerminal)(
  'at a terminal, install signs in on request, and the server then answers without any option',
  async () => {
    const { env, service } = await startPerson();
    const { exitCode, output } = await runAtTerminal(
      ['install', 'cursor', '--yes'],
      env,
      { to: 'Sign in now', text: 'y' },
      { to: 'Your budgeting service', text: `${service.baseUrl}\r` },
      { to: 'Personal access token', text: `${service.accessToken}\r` },
      { to: 'Which budget is meant if a question names none?', text: '\u001b[A\r' },
    );
    expect(output).toContain('Sign in now, and store the sign-in unencrypted in a file?');
    expect(output).toContain('You are signed in. The token gives access to the budgets "Household"');
    expect(output).toContain('A question that names no budget is about "Household", as chosen at sign-in.');
    expect(output).not.toContain(service.accessToken);
    expect(exitCode).toBe(0);
    const host = await connectModern({ args: ['serve'], env });
    onTestFinished(() => host.close());
    expect((await host.call('list_accounts')).text).toContain('"Checking"');
  },
);

test.runIf(hasTerminal)('a person who does not sign in now is shown the command', async () => {
  const { env } = await startPerson();
  const answer = { to: 'Sign in now', text: 'n' };
  const { exitCode, output } = await runAtTerminal(['install', 'cursor', '--yes'], env, answer);
  expect(output).toContain(`${program} login --insecure-storage\` in a terminal.`);
  expect(exitCode).toBe(0);
});
