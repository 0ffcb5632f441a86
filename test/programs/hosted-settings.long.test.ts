/** What `serve --hosted` says about settings that are missing or contradict each other. */
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { runProgram } from '../run-program.helper.ts';

describe('settings that are missing', () => {
  const service = ['--base-url', 'https://budget.example/v1', '--app-url', 'https://budget.example'];
  const application = ['--client-id', 'id'];
  const secret = { BUDGET_MCP_CLIENT_SECRET: 'secret' };
  test.each([
    ['the service', [], {}, '--hosted needs --service, or --base-url with --app-url.'],
    ['the application', service, {}, '--hosted needs --client-id'],
    ['its secret', [...service, ...application], {}, "--hosted needs the application's secret"],
    ['the server key', [...service, ...application], secret, '--hosted needs --server-key-file'],
    [
      'a public address',
      [...service, ...application, '--host', '0.0.0.0'],
      secret,
      '--hosted needs --public-url',
    ],
    ['HTTP', ['--hosted'], {}, 'needs --http'],
    [
      'what Redis would be for',
      ['--redis-url', 'redis://127.0.0.1:6379'],
      {},
      '--redis-url is for servers that are started with --hosted.',
    ],
    [
      'a place for the password of Redis',
      ['--redis-url', 'redis://:hidden@127.0.0.1:6379'],
      {},
      '--redis-url must not have a password',
    ],
  ])('are named: %s', async (what, args, env, message) => {
    const directory = await temporaryDirectory();
    const http = what === 'HTTP' ? [] : ['--http', '--port', '3999'];
    const hosted = what === 'HTTP' || what === 'what Redis would be for' ? [] : ['--hosted'];
    const { exitCode, stderr } = await runProgram(['serve', ...http, ...hosted, ...args], {
      env: { ...env, BUDGET_MCP_STATE_DIR: directory },
    });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hidden');
  });
});
