import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProvidedToken } from '../../src/auth/provided-token.ts';
import { failureOf } from '../client/sending.ts';
import { temporaryDirectory } from './temporary-directory.ts';

async function tokenFile(content: string | Buffer = 'token-of-the-file\n', mode = '0600'): Promise<string> {
  const path = join(await temporaryDirectory(), 'token');
  await writeFile(path, content);
  await chmod(path, Number.parseInt(mode, 8));
  return path;
}

async function credentialsDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'budget-mcp-token'), 'token-of-systemd', { mode: 0o400 });
  return directory;
}

const read = async (...handedIn: Parameters<typeof findProvidedToken>) =>
  (await findProvidedToken(...handedIn))?.read();

describe('a token that is handed in', () => {
  test('is none where nothing is set', async () => {
    expect(await findProvidedToken({})).toBeUndefined();
  });

  test('comes from a file, from systemd, or from the environment, and says from which', async () => {
    const file = await tokenFile();
    const directory = await credentialsDirectory();
    const handedIns = [{ tokenFile: file }, { credentialsDirectory: directory }, { token: 'token' }];
    const tokens = await Promise.all(handedIns.map((handedIn) => findProvidedToken(handedIn)));
    expect(tokens.map((token) => token?.place)).toEqual([
      `the file ${file}`,
      `systemd's credential ${directory}/budget-mcp-token`,
      'the environment variable BUDGET_MCP_TOKEN',
    ]);
    expect(await Promise.all(tokens.map((token) => token?.read()))).toEqual([
      'token-of-the-file',
      'token-of-systemd',
      'token',
    ]);
  });

  test('comes from the file before it comes from systemd, whose credential the file may be', async () => {
    const directory = await credentialsDirectory();
    expect(await read({ tokenFile: await tokenFile(), credentialsDirectory: directory })).toBe(
      'token-of-the-file',
    );
  });

  test.each([
    ['a file', async () => ({ tokenFile: await tokenFile() })],
    ['systemd', async () => ({ credentialsDirectory: await credentialsDirectory() })],
  ])('is refused where it comes both from %s and from the environment', async (_, handIn) => {
    const failure = await failureOf(findProvidedToken({ ...(await handIn()), token: 'token' }));
    expect(failure.code).toBe('invalid_configuration');
    expect(failure.message).toMatch(/twice.*(the file|systemd).* and .*BUDGET_MCP_TOKEN/);
  });

  test("does not come from systemd where its credentials are others'", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'another-token'), 'secret');
    expect(await findProvidedToken({ credentialsDirectory: directory })).toBeUndefined();
    expect(await read({ credentialsDirectory: directory, token: 'token' })).toBe('token');
    expect(await findProvidedToken({ credentialsDirectory: '/nowhere' })).toBeUndefined();
  });
});

describe('a token file', () => {
  test.each(['token', 'token\n', 'token\r\n', 'token\n\n'])('may hold %j', async (content) => {
    expect(await read({ tokenFile: await tokenFile(content) })).toBe('token');
  });

  test.each(['0444', '0644', '0440', '0604'])(
    'may be read by others, as with mode %s, which gives one warning',
    async (mode) => {
      const warnings: string[] = [];
      const path = await tokenFile('token', mode);
      const token = await findProvidedToken({ tokenFile: path }, (message) => warnings.push(message));
      expect(await token?.read()).toBe('token');
      expect(await token?.read()).toBe('token');
      expect(warnings).toEqual([
        `${path} has mode ${mode}: other users of this computer can read the secret in it, unless its folder keeps them out. Mode 0600 does.`,
      ]);
    },
  );

  test.each(['0600', '0400', '0700'])('that nobody else can read gives no warning: %s', async (mode) => {
    const warnings: string[] = [];
    const path = await tokenFile('token', mode);
    const token = await findProvidedToken({ tokenFile: path }, (message) => warnings.push(message));
    expect(await token?.read()).toBe('token');
    expect(warnings).toEqual([]);
  });

  test.each(['0660', '0606', '0666', '0777'])(
    'may not be changed by others, as with mode %s',
    async (mode) => {
      const path = await tokenFile('token', mode);
      const failure = await failureOf(read({ tokenFile: path }));
      expect(failure.code).toBe('file_unusable');
      expect(failure.message).toBe(`${path} has mode ${mode}, so that others can change it.`);
    },
  );

  test('may be a link to a link, as Kubernetes has it, and what counts is the file at its end', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, '..2026_11_21'));
    const real = join(directory, '..2026_11_21', 'token');
    await writeFile(real, 'token', { mode: 0o644 });
    await symlink('..2026_11_21', join(directory, '..data'));
    await symlink('..data/token', join(directory, 'token'));
    expect(await read({ tokenFile: join(directory, 'token') })).toBe('token');
    await chmod(real, 0o666);
    expect((await failureOf(read({ tokenFile: join(directory, 'token') }))).message).toMatch(/0666/);
  });

  test('is read each time, so that a token which was exchanged is noticed', async () => {
    const path = await tokenFile('old');
    const token = await findProvidedToken({ tokenFile: path });
    expect(await token?.read()).toBe('old');
    await rename(await tokenFile('new'), path);
    expect(await token?.read()).toBe('new');
    await rm(path);
    expect((await failureOf(Promise.resolve(token?.read()))).message).toBe(`${path} does not exist.`);
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ['does not exist', async () => '/nowhere/token', /^\/nowhere\/token does not exist\.$/],
    ['lies below a file', async () => `${await tokenFile()}/token`, /not a directory/],
    ['is a directory', temporaryDirectory, /is a directory/],
    ['is empty', () => tokenFile(''), /is empty/],
    ['holds an empty line', () => tokenFile('\n'), /is empty/],
    ['holds two words', () => tokenFile('two words'), /something else than one word/],
    ['holds two lines', () => tokenFile('two\nlines\n'), /something else than one word/],
    ['holds what is no ASCII', () => tokenFile('tökén'), /something else than one word/],
    ['holds what is no text', () => tokenFile(Buffer.from([0, 255])), /something else than one word/],
    ['is larger than any token', () => tokenFile('x'.repeat(8_193)), /larger than 8192 bytes/],
    ['is a pipe, which is not waited for', pipe, /not a regular file/],
    ['is a device', async () => '/dev/zero', /not a regular file/],
  ])('that %s is refused by its name', async (_, make, message) => {
    const path = await make();
    const failure = await failureOf(read({ tokenFile: path }));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain(path);
  });

  test('of the largest size is read whole', async () => {
    expect(await read({ tokenFile: await tokenFile('x'.repeat(8_192)) })).toHaveLength(8_192);
  });
});

async function pipe(): Promise<string> {
  const path = join(await temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}
