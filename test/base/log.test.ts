import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type LogLevel, logLevels } from '../../src/base/log.ts';

const SECRET = 'tok-8d1f0c';
const run = promisify(execFile);

/** The two outputs of a real process that logs `fields` at every level. */
async function logged(level: LogLevel, fields: string) {
  const program = `
    import { createLog } from './src/base/log.ts';
    const log = createLog('${level}');
    for (const method of ['debug', 'info', 'warn', 'error']) log[method](${fields}, 'logged at ' + method);
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout, stderr } = await run(process.execPath, args);
  return { stdout, stderr, lines: stderr.split('\n').filter(Boolean) };
}

describe('the log', () => {
  test('the log is lines of JSON on stderr, and stdout stays empty', async () => {
    const { stdout, lines } = await logged('info', '{ operation: "get_user" }');
    expect(stdout).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'logged at info', operation: 'get_user', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      { msg: 'logged at warn' },
      { msg: 'logged at error' },
    ]);
  });

  test.each([...logLevels])(
    'the log at level %s contains no token of any part of an object',
    async (level) => {
      const { stdout, stderr, lines } = await logged(
        level,
        `{
        token: '${SECRET}',
        credential: { baseUrl: 'kept', token: '${SECRET}' },
        headers: { authorization: 'Bearer ${SECRET}' },
        request: { headers: { authorization: 'Bearer ${SECRET}' } },
        grant: { access_token: '${SECRET}', refresh_token: '${SECRET}' },
        app: { client_secret: '${SECRET}' },
        signIn: { accessToken: '${SECRET}', refreshToken: '${SECRET}', clientSecret: '${SECRET}' },
        person: { password: '${SECRET}' },
        err: Object.assign(new Error('failed'), {
          token: '${SECRET}',
          request: { headers: { authorization: 'Bearer ${SECRET}' } },
        }),
      }`,
      );
      expect(stdout + stderr).not.toContain(SECRET);
      expect(lines).toHaveLength(['silent', 'error', 'warn', 'info', 'debug'].indexOf(level));
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ credential: { baseUrl: 'kept' } });
    },
  );

  test('the log contains the code of an error', async () => {
    const { lines } = await logged(
      'error',
      "{ err: Object.assign(new Error('failed'), { code: 'ECONNREFUSED' }) }",
    );
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ err: { code: 'ECONNREFUSED' } }]);
  });
});
