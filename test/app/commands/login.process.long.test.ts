/** The commands in processes of their own, with the sign-in in a file that a test can read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { program } from '../../hosts.helper.ts';
import { startTestService } from '../../service/running-service.helper.ts';
import { Printed } from './signing-in.helper.ts';

/** A home without a sign-in, and a running service with its user. */
async function atHome() {
  // No four letters of it occur in any message.
  const service = await startTestService({ accessToken: 'QX7Z-WK9J-V3VQ-PX2P' });
  onTestFinished(() => service.close());
  const home = mkdtempSync(join(tmpdir(), 'budget-mcp-'));
  onTestFinished(() => rmSync(home, { recursive: true }));

  const start = (command: string, args: readonly string[], variables: Record<string, string> = {}) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm', ...variables };
    const child = spawn(command, args, { env });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const printed = new Printed(child);
    return { child, printed, closed: once(child, 'close') };
  };
  const run = async (args: readonly string[], stdin = '', variables: Record<string, string> = {}) => {
    const { child, printed, closed } = start(process.execPath, [program, ...args], variables);
    child.stdin.end(stdin);
    const [code] = await closed;
    return { code, stdout: printed.stdout, stderr: printed.stderr };
  };
  return { service, start, run, login: ['login', '--base-url', service.baseUrl, '--insecure-storage'] };
}

describe('signing in with a personal access token', () => {
  test('a personal access token from a pipe is stored, shown by status and removed by logout', async () => {
    const { service, run, login } = await atHome();
    const { accessToken: token } = service;
    const signedIn = await run(login, `${token}\n`);
    expect(signedIn).toMatchObject({ code: 0, stderr: '' });
    expect(signedIn.stdout).toContain(
      'You are signed in. The token gives access to the budgets "Household", "Japan Trip".',
    );

    const status = await run(['status', '--insecure-storage']);
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toContain('access   the budgets "Household", "Japan Trip"');

    const loggedOut = await run(['logout', '--insecure-storage']);
    expect(loggedOut).toMatchObject({ code: 0, stderr: '' });
    expect(loggedOut.stdout).toContain('was removed from');
    expect((await run(['status', '--insecure-storage'])).stdout).toContain('not signed in');
    expect(JSON.stringify([signedIn, status, loggedOut])).not.toContain(token);
  });

  test('a personal access token that the service refuses is not repeated in the message', async () => {
    const { run, login } = await atHome();
    const { code, stdout, stderr } = await run(login, 'SECRET-mistyped');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^budget-mcp: The service answered 401/);
    expect(stderr).not.toContain('SECRET');
  });

  test('a personal access token cannot be given as an argument', async () => {
    const { service, run, login } = await atHome();
    expect((await run([...login, service.accessToken])).code).toBe(1);
    expect((await run([...login, '--token', service.accessToken])).code).toBe(1);
  });
});

/** `script` of util-linux: gives a process a terminal whose input and output the test controls. */
const script = '/usr/bin/script';
const noTerminal = !existsSync(script) && process.env['REQUIRE_ALL'] !== '1';
if (noTerminal) process.stderr.write(`SKIPPED: tests at a terminal, for there is no ${script}.\n`);

describe.skipIf(noTerminal)('signing in at a terminal', () => {
  async function atTerminal() {
    const home = await atHome();
    const login = [process.execPath, program, ...home.login].map((word) => `'${word}'`).join(' ');
    // A new terminal has no size, and shows nothing that is typed.
    const command = `stty cols 80 rows 24 && ${login}`;
    const terminal = home.start(script, ['--quiet', '--return', '--command', command, '/dev/null']);
    await terminal.printed.until('Personal access token', 'stdout');
    return { ...home, ...terminal };
  }

  test('the terminal does not show the token that is typed', async () => {
    const { service, child, printed, closed } = await atTerminal();
    child.stdin.write(`${service.accessToken}\r`);
    await printed.until('Which budget is meant', 'stdout');
    child.stdin.write('\r');
    expect(await closed).toEqual([0, null]);
    expect(printed.stdout).toContain('▪'.repeat(service.accessToken.length));
    expect(printed.stdout).toContain('You are signed in.');
    for (let at = 0; at + 4 <= service.accessToken.length; at += 1)
      expect(printed.stdout).not.toContain(service.accessToken.slice(at, at + 4));
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('a sign-in at a terminal stores nothing after %s, and says so', async (_, key) => {
    const { child, printed, closed, run } = await atTerminal();
    child.stdin.write(key);
    expect(await closed).toEqual([1, null]);
    // The cursor is visible again.
    expect(printed.stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(
      printed.stdout.lastIndexOf('\u001b[?25l'),
    );
    expect(printed.stdout).toContain('The sign-in was cancelled; nothing was stored.');
    expect((await run(['status', '--insecure-storage'])).stdout).toContain('not signed in');
  });
});

describe('signing in through a browser', () => {
  /** A browser opener that only records its command line and environment. Every user can read the command line. */
  const startWithOpener = async () => {
    const home = await atHome();
    const { service, login } = home;
    const { client, appUrl } = service;
    const folder = await temporaryDirectory();
    const opener = `#!/bin/sh\nenv > '${folder}/environment'\necho "$@" > '${folder}/draft'\nmv '${folder}/draft' '${folder}/arguments'\n`;
    await writeFile(join(folder, 'xdg-open'), opener, { mode: 0o755 });
    const signingIn = home.start(
      process.execPath,
      [program, ...login, '--app-url', appUrl, '--oauth', '--client-id', client.clientId],
      { BUDGET_MCP_CLIENT_SECRET: client.clientSecret, PATH: `${folder}:${process.env['PATH']}` },
    );
    const opened = async () => {
      for await (const { filename } of watch(folder, { signal: AbortSignal.timeout(20_000) }))
        if (filename === 'arguments') break;
      return (await readFile(join(folder, 'arguments'), 'utf8')).trim();
    };
    return { ...home, ...signingIn, folder, opened: opened() };
  };

  test('an interrupt cancels a sign-in through a browser, and nothing is stored', async () => {
    const { service, start, run, login } = await atHome();
    const { client, appUrl } = service;
    const { child, printed, closed } = start(
      process.execPath,
      [program, ...login, '--app-url', appUrl, '--oauth', '--no-browser', '--client-id', client.clientId],
      { BUDGET_MCP_CLIENT_SECRET: client.clientSecret },
    );
    await printed.until('asks for this code');
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    expect(printed.stdout + printed.stderr).not.toContain(client.clientSecret);
    expect((await run(['status', '--insecure-storage'])).stdout).toContain('not signed in');
  });

  test('another user who reads the command line of the browser opener cannot take over the sign-in', async () => {
    const { service, opened, printed, closed, run } = await startWithOpener();
    // The other user knows only this. With the state and the challenge they could sign in with their own account.
    const url = new URL(await opened);
    expect(url.href).not.toMatch(/state|challenge|authorize/);
    const callback = url.href.replace(/\/start$/, '');
    expect(await (await fetch(url)).text()).not.toContain(service.appUrl);
    expect((await fetch(`${callback}?code=theirs`)).status).toBe(400);
    // They can only guess the code, and the person gets a message about it.
    for (let guess = 0; guess < 5; guess += 1) {
      const body = new URLSearchParams({ code: 'BBBB-BBBB' });
      const response = await fetch(url, { method: 'POST', headers: { origin: url.origin }, body });
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain(service.appUrl);
    }
    expect(await closed).toEqual([1, null]);
    expect(printed.stdout).toBe('');
    expect(printed.stderr).toContain('A wrong code was typed 5 times');
    expect((await run(['status', '--insecure-storage'])).stdout).toContain('not signed in');
  });

  test('no child process gets the client secret in its environment', async () => {
    const { service, opened, folder, child, closed } = await startWithOpener();
    await opened;
    const environment = await readFile(join(folder, 'environment'), 'utf8');
    expect(environment).toContain('HOME=');
    expect(environment).not.toContain(service.client.clientSecret);
    child.kill('SIGINT');
    await closed;
  });
});
