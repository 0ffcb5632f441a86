/** Every failure of a place for tokens, each with secrets that are easy to find. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProvidedToken } from '../../src/auth/token-provider.ts';
import { hasNoKeychain } from '../terminal.helper.ts';
import { openKeychain } from './keychain.helper.ts';
import { everythingIn, expectNoSecret, MARK, marked, unreadableSignIns } from './marked-secrets.helper.ts';
import { signInFiles } from './sign-in-files.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';

test('the search finds a secret in any part of an error', () => {
  const cause = Object.assign(new Error('Deep.'), { response: { body: { token: MARK } } });
  expect(everythingIn(new Error('Shallow.', { cause }))).toContain(MARK);
});

describe('no error contains a secret', () => {
  test.each([`${MARK} two words`, `${MARK}\n${MARK}`, `${MARK}-ü`, MARK.repeat(20_000)])(
    'no error about an unusable token file contains a secret',
    async (content) => {
      const tokenFile = join(await temporaryDirectory(), 'token');
      await writeFile(tokenFile, content);
      await expectNoSecret(Promise.resolve((await findProvidedToken({ tokenFile }))?.read()));
      await expectNoSecret(findProvidedToken({ tokenFile, token: MARK }));
      await chmod(tokenFile, 0o666);
      await expectNoSecret(Promise.resolve((await findProvidedToken({ tokenFile }))?.read()));
    },
  );

  test.each(unreadableSignIns)(
    'no error about an unreadable sign-in file contains a secret',
    async (content) => {
      const directory = await temporaryDirectory();
      const store = signInFiles(directory);
      const file = join(directory, 'default.json');
      await writeFile(file, content, { mode: 0o600 });
      await expectNoSecret(store.read('default'));
      await expectNoSecret(store.write('default', marked));
      await chmod(file, 0o644);
      await expectNoSecret(store.write('default', marked));
    },
  );

  test('no error about a sign-in file that cannot be written or removed contains a secret', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'default.json', 'in the way'), { recursive: true });
    const store = signInFiles(directory);
    await expectNoSecret(store.write('default', marked));
    await expectNoSecret(store.remove('default'));
    await writeFile(join(directory, 'file'), '');
    await expectNoSecret(signInFiles(join(directory, 'file', 'sign-ins')).write('default', marked));
  });

  test.each([
    ['is not there', undefined],
    ['says nothing', ''],
    ['says something else', `process.stdout.write('${MARK} is not JSON\\n');`],
    [
      'repeats its input',
      'process.stdin.pipe(process.stdout); process.stdin.once("data", (data) => process.exit());',
    ],
    ['throws what it knows', `throw new Error('${MARK}');`],
    ['writes the secret to stderr', `process.stderr.write('${MARK}');`],
  ])('no error about a keychain whose child process %s contains a secret', async (_, program) => {
    const childPath = join(await temporaryDirectory(), 'child.mjs');
    if (program !== undefined) await writeFile(childPath, program);
    await expectNoSecret(openKeychain({}, { childPath }).write('default', marked));
  });

  test('no error about a keychain without a session, library or space contains a secret', async () => {
    if (hasNoKeychain) await expectNoSecret(openKeychain({}).write('default', marked));
    const long = { ...marked, accessToken: MARK.repeat(300) };
    await expectNoSecret(openKeychain({}, { platform: 'win32' }).write('default', long));
  });
});
