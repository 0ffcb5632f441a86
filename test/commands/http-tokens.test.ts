import { chmod, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadHttpTokens } from '../../src/commands/http-tokens.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { temporaryDirectory } from '../auth/temporary-directory.ts';

const OURS = 'our-own-token-for-calls-by-http-0001';
const THEIRS = 'the-token-of-somebody-else-by-http-2';
const SERVICE = 'the-access-token-of-the-service-0003';

/** What is logged, level by level. */
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

describe('those who may call by HTTP', () => {
  test('are nobody in particular where no token is given', async () => {
    expect(await tokensOf({})).toBeUndefined();
  });

  test('have the token of the environment, which child processes do not inherit', async () => {
    const env = { BUDGET_MCP_HTTP_TOKEN: OURS };
    expect(await tokensOf(env)).toEqual([OURS]);
    expect(env).toEqual({});
  });

  test('have one each in a file, a line for each', async () => {
    const file = await fileWith(`${OURS}\r\n\n${THEIRS}\n${OURS}\n`);
    expect(await tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: file })).toEqual([OURS, THEIRS]);
  });

  test('cannot be told where there are both', async () => {
    const env = { BUDGET_MCP_HTTP_TOKEN: OURS, BUDGET_MCP_HTTP_TOKEN_FILE: await fileWith(THEIRS) };
    await expect(tokensOf(env)).rejects.toMatchObject({ code: 'invalid_configuration' });
  });

  test.each([
    ['is empty', '\n', /is empty/],
    ['holds a short one', `${OURS}\nsecret\n`, /no token of at least 32/],
    ['holds a sentence', `${OURS} and ${THEIRS}`, /no token of at least 32/],
  ])('cannot be told where the file %s, which is not repeated', async (_, text, message) => {
    const error = tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: await fileWith(text) });
    await expect(error).rejects.toThrow(message);
    await expect(error).rejects.not.toThrow(/secret|our-own/);
  });

  test('cannot be told where the file is missing or others can write it', async () => {
    await expect(tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: '/nowhere' })).rejects.toThrow(/does not exist/);
    const file = await fileWith(OURS);
    await chmod(file, 0o666);
    await expect(tokensOf({ BUDGET_MCP_HTTP_TOKEN_FILE: file })).rejects.toThrow(/others can change it/);
  });

  test('may be told in a file that others can read, which gives a warning', async () => {
    const warnings: string[] = [];
    const file = await fileWith(OURS, 0o644);
    const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
    const tokens = await loadHttpTokens(loadConfig({}, { BUDGET_MCP_HTTP_TOKEN_FILE: file }), log);
    expect(tokens?.known).toEqual([OURS]);
    expect(warnings).toEqual([expect.stringContaining('has mode 0644: other users of this computer')]);
  });

  test.each(['BUDGET_MCP_TOKEN', 'BUDGET_MCP_TOKEN_FILE'])(
    'never have the token of the budgeting service: %s',
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

  test('counts as it is now', async () => {
    const { path, current, known } = await open(OURS);
    expect(await current()).toEqual([OURS]);
    await writeFile(path, `${OURS}\n${THEIRS}\n`);
    expect(await current()).toEqual([OURS, THEIRS]);
    await writeFile(path, THEIRS);
    expect(await current()).toEqual([THEIRS]);
    expect(known()).toEqual([THEIRS]);
  });

  test('may be replaced by another one of the same size, as mounted secrets are', async () => {
    const { path, current } = await open(OURS);
    await writeFile(`${path}.other`, THEIRS.slice(0, OURS.length));
    await rename(`${path}.other`, path);
    expect(await current()).toEqual([THEIRS.slice(0, OURS.length)]);
    const other = await fileWith(OURS);
    await rm(path);
    await symlink(other, path);
    expect(await current()).toEqual([OURS]);
  });

  test('that has not changed is not read again', async () => {
    const { current, log } = await open(OURS);
    const first = await current();
    for (let time = 0; time < 3; time += 1) expect(await current()).toBe(first);
    expect(log.lines).toEqual([]);
  });

  test.each<[string, (path: string) => Promise<void>, readonly string[]]>([
    ['gone leaves the tokens as they were', (path) => rm(path), [OURS]],
    ['writable by others leaves the tokens as they were', (path) => chmod(path, 0o666), [OURS]],
    ['empty lets nobody in', (path) => writeFile(path, ''), []],
    ['of words that are no tokens lets nobody in', (path) => writeFile(path, 'secret'), []],
    [
      'one with a misspelt line keeps the tokens in it',
      (path) => writeFile(path, `secret\n${OURS}\n`),
      [OURS],
    ],
    ['one with the token of the service lets nobody in', (path) => writeFile(path, SERVICE), []],
  ])('that is %s, and that is logged once', async (_, spoil, valid) => {
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
    'has at least 32 characters that a header may carry: %j',
    (token) => {
      const load = () => loadConfig({}, { BUDGET_MCP_HTTP_TOKEN: token });
      expect(load).toThrow(/^BUDGET_MCP_HTTP_TOKEN must be at least 32/);
      expect(load).not.toThrow(token);
    },
  );
});
