/** Every way in which a place for tokens fails, each with secrets that are easy to find again. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileTokenStore } from '../../src/auth/file-token-store.ts';
import { findProvidedToken } from '../../src/auth/provided-token.ts';
import { openKeychain } from './keychain.ts';
import { expectNoSecret, MARK, marked, spoilt, toldBy } from './marked-secrets.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test('the search finds a secret wherever an error keeps it', () => {
  const cause = Object.assign(new Error('Deep.'), { response: { body: { token: MARK } } });
  expect(toldBy(new Error('Shallow.', { cause }))).toContain(MARK);
});

describe('no error tells a secret', () => {
  test.each([`${MARK} two words`, `${MARK}\n${MARK}`, `${MARK}-ü`, MARK.repeat(2_000)])(
    'of a token file that cannot be used',
    async (content) => {
      const tokenFile = join(await temporaryDirectory(), 'token');
      await writeFile(tokenFile, content);
      await expectNoSecret(Promise.resolve((await findProvidedToken({ tokenFile }))?.read()));
      await expectNoSecret(findProvidedToken({ tokenFile, token: MARK }));
      await chmod(tokenFile, 0o666);
      await expectNoSecret(Promise.resolve((await findProvidedToken({ tokenFile }))?.read()));
    },
  );

  test.each(spoilt)('of a file of sign-ins that cannot be read', async (content) => {
    const directory = await temporaryDirectory();
    const store = new FileTokenStore(directory);
    const file = join(directory, 'default.json');
    await writeFile(file, content, { mode: 0o600 });
    await expectNoSecret(store.read('default'));
    await expectNoSecret(store.write('default', marked));
    await chmod(file, 0o644);
    await expectNoSecret(store.write('default', marked));
  });

  test('of a file of sign-ins that cannot be written or removed', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'default.json', 'in the way'), { recursive: true });
    const store = new FileTokenStore(directory);
    await expectNoSecret(store.write('default', marked));
    await expectNoSecret(store.remove('default'));
    await expectNoSecret(new FileTokenStore('/dev/null/sign-ins').write('default', marked));
    await expectNoSecret(new FileTokenStore('/sys/sign-ins').write('default', marked));
  });

  test.each([
    ['is not there', undefined],
    ['says nothing', ''],
    ['says something else', `process.stdout.write('${MARK} is not JSON\\n');`],
    [
      'repeats what it is told',
      'process.stdin.pipe(process.stdout); process.stdin.once("data", (data) => process.exit());',
    ],
    ['throws what it knows', `throw new Error('${MARK}');`],
    ['writes the secret to stderr', `process.stderr.write('${MARK}');`],
  ])('of a keychain whose child process %s', async (_, program) => {
    const childPath = join(await temporaryDirectory(), 'child.mjs');
    if (program !== undefined) await writeFile(childPath, program);
    await expectNoSecret(openKeychain({}, { childPath }).write('default', marked));
  });

  test('of a keychain that has no session, no library or no room', async () => {
    await expectNoSecret(openKeychain({}).write('default', marked));
    const long = { ...marked, accessToken: MARK.repeat(300) };
    await expectNoSecret(openKeychain({}, { platform: 'win32' }).write('default', long));
  });
});
