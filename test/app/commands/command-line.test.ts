/** The command line of the built program. */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startService } from '../../../src/service/server.ts';
import { newHome } from '../../home.helper.ts';
import { program } from '../../hosts.helper.ts';
import { runProgram } from '../../run-program.helper.ts';

test.each([
  ['lgoin', 'login'],
  ['sevre', 'serve'],
  ['dmeo', 'demo'],
])('the mistyped command %s gets the suggestion %s', async (typed, meant) => {
  const { exitCode, stdout, stderr } = await runProgram([typed]);
  expect(stderr).toContain(`error: unknown command '${typed}'\n(Did you mean ${meant}?)`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
});

test('a mistyped option gets a suggestion', async () => {
  expect((await runProgram(['--read-onyl'])).stderr).toContain('(Did you mean --read-only?)');
});

test('the version is the only output of --version', async () => {
  const { stdout } = await runProgram(['--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('login ends with the line that connects an assistant, and prints no token', async () => {
  const service = await startService({ clock: systemClock, transactions: 10 });
  onTestFinished(() => service.close());
  const { exitCode, stdout } = await runProgram(
    ['login', '--insecure-storage', '--base-url', service.baseUrl],
    {
      input: service.accessToken,
      env: await newHome(),
    },
  );
  const args = [program, 'serve'];
  const block = { mcpServers: { budget: { command: process.execPath, args } } };
  expect(stdout).toMatch(/^You are signed in\./);
  expect(stdout.split('\n').at(-2)).toBe(JSON.stringify(block));
  expect(stdout).not.toContain(service.accessToken);
  expect(exitCode).toBe(0);
});

test('login knows the same hosts as install', async () => {
  const { exitCode, stderr } = await runProgram(['login', '--for', 'emacs']);
  expect(stderr).toContain('The known hosts are claude-desktop,');
  expect(exitCode).toBe(1);
});
