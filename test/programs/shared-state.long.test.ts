import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { signInFiles } from '../auth/sign-in-files.helper.ts';
import { codeSignIn } from '../auth/signed-in.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern, type Host, program } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';

let home: Household;
beforeAll(async () => {
  home = await Household.start();
});
afterAll(() => home.close());

async function start(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = ['serve'],
): Promise<Host> {
  const host = await connectModern({ args, env: { BUDGET_MCP_NO_STATE: 'false', ...env } });
  onTestFinished(() => host.close());
  return host;
}

/** The status after a first question. */
async function stateOf(host: Host): Promise<unknown> {
  expect((await host.call('list_accounts')).isError).toBe(false);
  return (await host.call('get_status')).structured['state'];
}

const filesIn = (directory: string) => readdir(directory, { recursive: true, withFileTypes: true });

describe('a server that does not share its state', () => {
  test('--no-state keeps everything in memory and creates no file', async () => {
    const directory = join(await temporaryDirectory(), 'state');
    const env = { ...home.env(), BUDGET_MCP_STATE_DIR: directory };
    expect(await stateOf(await start(env, ['serve', '--no-state']))).toEqual({
      shared: false,
      reason: '--no-state is set.',
    });
    expect(existsSync(directory)).toBe(false);
  });

  test('the demo keeps no state', async () => {
    const directory = join(await temporaryDirectory(), 'state');
    const host = await start({ BUDGET_MCP_STATE_DIR: directory }, ['serve', '--demo']);
    expect(await stateOf(host)).toEqual({ shared: false, reason: 'The demo keeps none.' });
    expect(existsSync(directory)).toBe(false);
  });

  test.skipIf(sqlite)('an older Node.js keeps everything in memory, and the status says so', async () => {
    const host = await start(home.env());
    expect(await stateOf(host)).toEqual({
      shared: false,
      reason: 'Sharing it with other processes needs Node.js 22.13 or newer.',
    });
  });
});

describe.skipIf(!sqlite)('servers that share their state', () => {
  test('a server with a provided token shares its state in files that tell neither the token nor the sign-in', async () => {
    const directory = join(await temporaryDirectory(), 'state');
    const env = { ...home.env(), BUDGET_MCP_STATE_DIR: directory };
    const one = await start(env);
    const other = await start({ ...home.env() }, ['serve', '--state-dir', directory]);
    expect(await stateOf(one)).toEqual({ shared: true });
    expect(await stateOf(other)).toEqual({ shared: true });
    const files = await filesIn(directory);
    expect(files.filter(({ name }) => name.endsWith('.db'))).toHaveLength(1);
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      expect(path).not.toContain(home.service.accessToken);
      if (file.isFile()) expect(await readFile(path, 'latin1'), path).not.toContain(home.service.accessToken);
    }
  });

  test('a directory that others can write to is refused, and the server works', async () => {
    const directory = await temporaryDirectory();
    await chmod(directory, 0o777);
    expect(await stateOf(await start({ ...home.env(), BUDGET_MCP_STATE_DIR: directory }))).toEqual({
      shared: false,
      reason: `${directory} can be written by other users.`,
    });
    expect(await readdir(directory)).toEqual([]);
  });

  test('a keychain without a key leaves the state in memory, and get_status says why', async () => {
    const directory = await temporaryDirectory();
    const signIns = join(directory, 'budget-mcp', 'sign-ins');
    await signInFiles(signIns).write('default', codeSignIn(home.service, systemClock));
    const env = { HOME: directory, XDG_DATA_HOME: directory, BUDGET_MCP_INSECURE_STORAGE: 'true' };
    const host = await start(env);
    // As if another user could read the key.
    expect(await stateOf(host)).toEqual({ shared: true });
    await host.close();
    await chmod(join(signIns, 'default.key'), 0o644);
    expect(await stateOf(await start(env))).toMatchObject({
      shared: false,
      reason: expect.stringMatching(/default\.key has mode 0644/),
    });
  });

  test('logout removes the state of the sign-in and its key, and a running server does not create them again', async () => {
    const directory = await temporaryDirectory();
    const signIns = join(directory, 'budget-mcp', 'sign-ins');
    const state = join(directory, 'state', 'budget-mcp');
    await signInFiles(signIns).write('default', codeSignIn(home.service, systemClock));
    const env = {
      HOME: directory,
      XDG_DATA_HOME: directory,
      XDG_STATE_HOME: join(directory, 'state'),
      BUDGET_MCP_INSECURE_STORAGE: 'true',
    };
    const host = await start(env);
    expect(await stateOf(host)).toEqual({ shared: true });
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect((await readdir(signIns)).toSorted()).toEqual(['default.json', 'default.key']);
    expect((await stat(join(signIns, 'default.key'))).mode & 0o777).toBe(0o600);
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'logout'], { env });
    expect(stdout).toContain('was removed from');
    expect(await readdir(signIns)).toEqual([]);
    expect(await readdir(state)).toEqual([]);
    expect((await host.call('list_accounts')).isError).toBe(false);
    await host.close();
    expect(await readdir(state)).toEqual([]);
    expect(await readdir(signIns)).toEqual([]);
  });
});
