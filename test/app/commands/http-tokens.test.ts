import { chmod, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadHttpTokens } from '../../../src/app/commands/http-tokens.ts';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { isPosix } from '../../posix.helper.ts';

const OURS = 'our-own-token-for-calls-by-http-0001';
const THEIRS = 'the-token-of-another-caller-by-http-2';
const SERVICE = 'the-access-token-of-the-service-0003';

/** The log lines by level. */
function createLog() {
  const lines: [level: string, details: object][] = [];
  const at = (level: string) => (details: object) => void lines.push([level, details]);
  return { lines, info: at('info'), warn: at('warn') };
}

const tokensOf = async (env: NodeJS.ProcessEnv) =>
  (await loadHttpTokens(loadConfig({}, env), createLog()))?.current();

async function fileWith(text: string, mode = 0o600): Promise<string> {
  const path = join(await temporaryDirectory(), 'tokens');
  await writeFile(path, text, { mode });
  return path;
}

describe('the tokens of the HTTP server', () => {
  test('without a setting there are no HTTP tokens', async () => {
    expect(await tokensOf({})).toBeUndefined();
  });

  test('the HTTP token can come from the environment, and child processes do not inherit it', async () => {
    const env = { BUDGET_MCP_HTTP_TOKEN: OURS };
    expect(await tokensOf(env)).toEqual([OURS]);
    expect(env).toEqual({});
  });

  test('a file contains one HTTP token per line', async () => {
    const file = await fileWith(`${OURS}\r\n\n${THEIRS}\n${OURS}\n`);
    expect(await tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: file })).toEqual([OURS, THEIRS]);
  });

  test('an HTTP token in the environment and a token file together are refused', async () => {
    const env = { BUDGET_MCP_HTTP_TOKEN: OURS, BUDGET_MCP_HTTP_TOKEN_FILE: await fileWith(THEIRS) };
    await expect(tokensOf(env)).rejects.toMatchObject({ code: 'invalid_configuration' });
  });

  test.each([
    ['is empty', '\n', /is empty/],
    ['holds a short one', `${OURS}\nsecret\n`, /not a token of at least 32/],
    ['holds a sentence', `${OURS} and ${THEIRS}`, /not a token of at least 32/],
  ])('a token file that %s is refused, and its content is not repeated', async (_, text, message) => {
    const error = tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: await fileWith(text) });
    await expect(error).rejects.toThrow(message);
    await expect(error).rejects.not.toThrow(/secret|our-own/);
  });

  test('a token file that is missing or writable by others is refused', async () => {
    await expect(tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: '/nowhere' })).rejects.toThrow(/does not exist/);
    if (!isPosix) return;
    const file = await fileWith(OURS);
    await chmod(file, 0o666);
    await expect(tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: file })).rejects.toThrow(/others can change it/);
  });

  test.runIf(isPosix)('a token file that others can read is accepted with a warning', async () => {
    const warnings: string[] = [];
    const file = await fileWith(OURS, 0o644);
    const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
    const tokens = await loadHttpTokens(loadConfig({}, { BUDGET_MCP_HTTP_TOKEN_FILE: file }), log);
    expect(tokens?.known).toEqual([OURS]);
    expect(warnings).toEqual([expect.stringContaining('has mode 0644: other users of this computer')]);
  });

  test.each(['BUDGET_MCP_TOKEN', 'BUDGET_MCP_TOKEN_FILE'])(
    'the token of the budgeting service is never an HTTP token: %s',
    async (variable) => {
      const value = variable.endsWith('FILE') ? await fileWith(OURS) : OURS;
      const file = await fileWith(`${THEIRS}\n${OURS}\n`);
      const error = tokensOf({ [variable]: value, BUDGET_MCP_HTTP_TOKEN_FILE: file });
      await expect(error).rejects.toThrow(/must not be a token for this server/);
      await expect(error).rejects.not.toThrow(OURS);
    },
  );
});

describe('a file of tokens', () => {
  async function open(text: string) {
    const path = await fileWith(text);
    const log = createLog();
    const tokens = await loadHttpTokens(loadConfig({ httpTokenFile: path }, {}), log);
    if (!tokens) throw new Error('There is a file.');
    return { path, log, current: () => tokens.current(), known: () => tokens.known };
  }

  test('a changed token file is used at once', async () => {
    const { path, current, known } = await open(OURS);
    expect(await current()).toEqual([OURS]);
    await writeFile(path, `${OURS}\n${THEIRS}\n`);
    expect(await current()).toEqual([OURS, THEIRS]);
    await writeFile(path, THEIRS);
    expect(await current()).toEqual([THEIRS]);
    expect(known()).toEqual([THEIRS]);
  });

  test('a token file that is replaced by another of the same size is read again', async () => {
    const { path, current } = await open(OURS);
    await writeFile(`${path}.other`, THEIRS.slice(0, OURS.length));
    await rename(`${path}.other`, path);
    expect(await current()).toEqual([THEIRS.slice(0, OURS.length)]);
    const other = await fileWith(OURS);
    await rm(path);
    await symlink(other, path);
    expect(await current()).toEqual([OURS]);
  });

  test('a token file that has not changed is not read again', async () => {
    const { current, log } = await open(OURS);
    const first = await current();
    for (let time = 0; time < 3; time += 1) expect(await current()).toBe(first);
    expect(log.lines).toEqual([]);
  });

  type Spoiled = [string, (path: string) => Promise<void>, readonly string[]];
  const writable: Spoiled = [
    'writable by others leaves the tokens unchanged',
    (path) => chmod(path, 0o666),
    [OURS],
  ];
  test.each<Spoiled>([
    ['removed leaves the tokens unchanged', (path) => rm(path), [OURS]],
    ...(isPosix ? [writable] : []),
    ['empty removes all tokens', (path) => writeFile(path, ''), []],
    ['without valid tokens removes all tokens', (path) => writeFile(path, 'secret'), []],
    [
      'with an invalid line keeps the earlier tokens in it',
      (path) => writeFile(path, `secret\n${OURS}\n`),
      [OURS],
    ],
    ['with the token of the service removes all tokens', (path) => writeFile(path, SERVICE), []],
  ])('a token file that is %s, which is logged once', async (_, spoil, valid) => {
    const path = await fileWith(OURS);
    const log = createLog();
    const config = loadConfig({ httpTokenFile: path }, { BUDGET_MCP_TOKEN: SERVICE });
    const tokens = await loadHttpTokens(config, log);
    await spoil(path);
    for (let time = 0; time < 3; time += 1) expect(await tokens?.current()).toEqual(valid);
    expect(log.lines).toEqual([['warn', { problem: expect.any(String), count: valid.length }]]);
    expect(JSON.stringify(log.lines)).not.toMatch(/secret|our-own|of-the-service/);
    await rm(path, { force: true });
    await writeFile(path, THEIRS, { mode: 0o600 });
    expect(await tokens?.current()).toEqual([THEIRS]);
    expect(log.lines.slice(1)).toEqual([['info', { count: 1 }]]);
  });
});

describe('a token for calls by HTTP', () => {
  test.each(['short', `${OURS}é`, `${OURS} x`, ''.padEnd(31, 'a')])(
    'an HTTP token with fewer than 32 characters, or characters that a header does not allow, is refused: %j',
    (token) => {
      const load = () => loadConfig({}, { BUDGET_MCP_HTTP_TOKEN: token });
      expect(load).toThrow(/^BUDGET_MCP_HTTP_TOKEN must be at least 32/);
      expect(load).not.toThrow(token);
    },
  );
});
