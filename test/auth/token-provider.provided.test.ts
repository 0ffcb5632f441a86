import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProvidedToken } from '../../src/auth/token-provider.ts';
import { isPosix } from '../posix.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';

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

describe('a provided token', () => {
  test('no token is provided if nothing is set', async () => {
    expect(await findProvidedToken({})).toBeUndefined();
  });

  test('a provided token comes from a file, from systemd or from the environment, and its place says which', async () => {
    const file = await tokenFile();
    const directory = await credentialsDirectory();
    const handedIns = [{ tokenFile: file }, { credentialsDirectory: directory }, { token: 'token' }];
    const tokens = await Promise.all(handedIns.map((handedIn) => findProvidedToken(handedIn)));
    expect(tokens.map((token) => token?.place)).toEqual([
      `the file ${file}`,
      `systemd's credential ${join(directory, 'budget-mcp-token')}`,
      'the environment variable BUDGET_MCP_TOKEN',
    ]);
    expect(await Promise.all(tokens.map((token) => token?.read()))).toEqual([
      'token-of-the-file',
      'token-of-systemd',
      'token',
    ]);
  });

  test('a token file is used before a systemd credential, and may be that credential', async () => {
    const directory = await credentialsDirectory();
    expect(await read({ tokenFile: await tokenFile(), credentialsDirectory: directory })).toBe(
      'token-of-the-file',
    );
  });

  test.each([
    ['a file', async () => ({ tokenFile: await tokenFile() })],
    ['systemd', async () => ({ credentialsDirectory: await credentialsDirectory() })],
  ])('a token from both %s and the environment is refused', async (_, provide) => {
    const failure = await failureOf(findProvidedToken({ ...(await provide()), token: 'token' }));
    expect(failure.code).toBe('invalid_configuration');
    expect(failure.message).toMatch(/twice.*(the file|systemd).* and .*BUDGET_MCP_TOKEN/);
  });

  test('no token comes from systemd if its credentials are for other programs', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'another-token'), 'secret');
    expect(await findProvidedToken({ credentialsDirectory: directory })).toBeUndefined();
    expect(await read({ credentialsDirectory: directory, token: 'token' })).toBe('token');
    expect(await findProvidedToken({ credentialsDirectory: '/nowhere' })).toBeUndefined();
  });
});

describe('a token file', () => {
  test.each([
    'token',
    'token\n',
    'token\r\n',
    'token\n\n',
    '\uFEFFtoken\r\n',
    Buffer.from('\uFEFFtoken\r\n', 'utf16le'),
  ])('a token file may contain %j', async (content) => {
    expect(await read({ tokenFile: await tokenFile(content) })).toBe('token');
  });

  test.runIf(isPosix).each(['0444', '0644', '0440', '0604'])(
    'a token file that others can read, with mode %s, is accepted with one warning',
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

  test.each(['0600', '0400', '0700'])(
    'a token file that others cannot read gives no warning: %s',
    async (mode) => {
      const warnings: string[] = [];
      const path = await tokenFile('token', mode);
      const token = await findProvidedToken({ tokenFile: path }, (message) => warnings.push(message));
      expect(await token?.read()).toBe('token');
      expect(warnings).toEqual([]);
    },
  );

  test.runIf(isPosix).each(['0660', '0606', '0666', '0777'])(
    'a token file that others can change, with mode %s, is refused',
    async (mode) => {
      const path = await tokenFile('token', mode);
      const failure = await failureOf(read({ tokenFile: path }));
      expect(failure.code).toBe('file_unusable');
      expect(failure.message).toBe(`${path} has mode ${mode}, so that others can change it.`);
    },
  );

  test.runIf(isPosix)(
    'a token file may be a link to a link, as in Kubernetes, and the rules apply to the target',
    async () => {
      const directory = await temporaryDirectory();
      await mkdir(join(directory, '..2026_11_21'));
      const real = join(directory, '..2026_11_21', 'token');
      await writeFile(real, 'token', { mode: 0o644 });
      await symlink('..2026_11_21', join(directory, '..data'));
      await symlink('..data/token', join(directory, 'token'));
      expect(await read({ tokenFile: join(directory, 'token') })).toBe('token');
      await chmod(real, 0o666);
      expect((await failureOf(read({ tokenFile: join(directory, 'token') }))).message).toMatch(/0666/);
    },
  );

  test('a token file is read each time, so that a replaced token is noticed', async () => {
    const path = await tokenFile('old');
    const token = await findProvidedToken({ tokenFile: path });
    expect(await token?.read()).toBe('old');
    await rename(await tokenFile('new'), path);
    expect(await token?.read()).toBe('new');
    await rm(path);
    expect((await failureOf(Promise.resolve(token?.read()))).message).toBe(`${path} does not exist.`);
  });

  const specialFiles: [string, () => Promise<string>, RegExp][] = [
    ['is a pipe, which must not block', pipe, /not a regular file/],
    ['is a device', async () => '/dev/zero', /not a regular file/],
  ];
  test.each<[string, () => Promise<string>, RegExp]>([
    ['does not exist', async () => '/nowhere/token', /^\/nowhere\/token does not exist\.$/],
    ['lies below a file', async () => join(await tokenFile(), 'token'), /not a directory|does not exist/],
    ['is a directory', temporaryDirectory, /is a directory/],
    ['is empty', () => tokenFile(''), /is empty/],
    ['contains an empty line', () => tokenFile('\n'), /is empty/],
    ['contains two words', () => tokenFile('two words'), /does not contain exactly one word/],
    ['contains two lines', () => tokenFile('two\nlines\n'), /does not contain exactly one word/],
    ['contains other characters than ASCII', () => tokenFile('tökén'), /does not contain exactly one word/],
    [
      'contains bytes that are not text',
      () => tokenFile(Buffer.from([0, 255])),
      /does not contain exactly one word/,
    ],
    ['is larger than any token', () => tokenFile('x'.repeat(65_537)), /larger than 65536 bytes/],
    ...(isPosix ? specialFiles : []),
  ])('a token file that %s is refused, and the error names it', async (_, make, message) => {
    const path = await make();
    const failure = await failureOf(read({ tokenFile: path }));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain(path);
  });

  test('a token file of the largest size is read completely', async () => {
    expect(await read({ tokenFile: await tokenFile('x'.repeat(65_536)) })).toHaveLength(65_536);
  });
});

async function pipe(): Promise<string> {
  const path = join(await temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}
