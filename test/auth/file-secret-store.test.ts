import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmdirSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FileSecretStore } from '../../src/auth/file-secret-store.ts';
import type { SignIn } from '../../src/auth/token-store.ts';
import { expectMode, isPosix } from '../posix.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { describeSecretStore } from './secret-store-contract.helper.ts';
import { signInFiles } from './sign-in-files.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';
import { describeSharedTokenStore, granted } from './token-store-contract.helper.ts';

async function open() {
  const directory = join(await temporaryDirectory(), 'state', 'sign-ins');
  return { directory, store: signInFiles(directory), file: join(directory, 'default.json') };
}

describeSharedTokenStore('a file', async () => {
  const { store, directory } = await open();
  return { store, opened: ['file', directory] };
});

describeSecretStore('a file', async () => {
  const { directory } = await open();
  return {
    store: new FileSecretStore(directory, '.json'),
    other: new FileSecretStore(directory, '.key'),
  };
});

describe('a file token store', () => {
  test('the file token store says where its files are and that they are not encrypted', async () => {
    const { store, directory } = await open();
    expect(store.place).toBe(`unencrypted files in ${directory}`);
  });

  test('only the user can read a stored sign-in file and the folders that were created for it', async () => {
    const { store, directory, file } = await open();
    await store.write('default', granted);
    await expectMode(file, 0o600);
    for (const folder of [directory, join(directory, '..')]) await expectMode(folder, 0o700);
  });

  test('the file token store closes a folder that was open to others', async () => {
    const { store, directory } = await open();
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    await store.write('default', granted);
    await expectMode(directory, 0o700);
  });

  test.runIf(isPosix).each(['0640', '0604', '0620', '0602', '0610'])(
    'a sign-in file with mode %s is refused',
    async (mode) => {
      const { store, file } = await open();
      await store.write('default', granted);
      await chmod(file, Number.parseInt(mode, 8));
      const failures = await Promise.all(
        [store.read('default'), store.write('default', granted)].map(failureOf),
      );
      for (const { code, message } of failures) {
        expect(code).toBe('file_unusable');
        expect(message).toContain(`${file} has mode ${mode}`);
      }
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'a sign-in file that belongs to another user is refused',
    async () => {
      const { store, file } = await open();
      await store.write('default', granted);
      await chown(file, 12_345, 12_345);
      expect((await failureOf(store.read('default'))).message).toBe(`${file} belongs to another user.`);
    },
  );

  test.runIf(isPosix)('a sign-in file that is a symbolic link is refused', async () => {
    const { store, directory, file } = await open();
    await store.write('other', granted);
    await symlink(join(directory, 'other.json'), file);
    expect((await failureOf(store.read('default'))).message).toBe(`${file} is a symbolic link.`);
  });

  test.each(['', 'not JSON', '{"kind":"personal"}', '[]'])(
    'a sign-in file with the content %j is neither read as a sign-in nor replaced, but can be removed',
    async (content) => {
      const { store, directory, file } = await open();
      await mkdir(directory, { recursive: true });
      await writeFile(file, content, { mode: 0o600 });
      expect((await failureOf(store.read('default'))).code).toBe('sign_in_unreadable');
      expect((await failureOf(store.write('default', granted))).code).toBe('sign_in_unreadable');
      expect(await readFile(file, 'utf8')).toBe(content);
      expect(await readdir(directory), 'no draft is left').toEqual(['default.json']);
      expect(await store.remove('default')).toBe(true);
      expect(await store.read('default')).toBeUndefined();
    },
  );

  test('a sign-in file that cannot be written gives an error that says so', async () => {
    const { store, directory, file } = await open();
    await mkdir(join(directory, '..'), { recursive: true });
    await writeFile(directory, 'a file where a folder should be');
    const failure = await failureOf(store.write('default', granted));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toContain(file);
  });

  test.skipIf(process.platform === 'win32')(
    'no error says that a sign-in file cannot be written after it was written',
    async () => {
      const { store, directory } = await open();
      // Its file lies beside the folder, which can therefore go just before the one takes the other's place.
      const profile = join('..', 'default');
      const removeFolder = () => {
        rmdirSync(directory);
        return true;
      };
      const failure = await failureOf(store.write(profile, granted, removeFolder));
      expect(failure.code).toBe('file_unusable');
      expect(failure.message).toMatch(
        /default\.json was written, but a power failure may undo that \(ENOENT\)\.$/,
      );
      expect(await store.read(profile)).toEqual(granted);
    },
  );

  test('a sign-in file is complete, old or new, while another process writes it and after that process is killed', async () => {
    const { store, directory } = await open();
    const signIns: SignIn[] = [granted, { ...granted, accessToken: 'long'.repeat(5_000) }];
    const script = fileURLToPath(new URL('store-process.helper.ts', import.meta.url));
    const texts = signIns.map((signIn) => JSON.stringify(signIn));
    const args = ['--import', 'tsx', script, 'keep-writing', 'file', directory, ...texts];
    const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    writer.stdout.resume();
    for (let i = 0; i < 500; i++) expect(signIns).toContainEqual(await store.read('default'));
    const ended = once(writer, 'exit');
    writer.kill('SIGKILL');
    await ended;
    expect(signIns).toContainEqual(await store.read('default'));
    await store.remove('default');
    expect(await readdir(directory), 'no draft is left').toEqual([]);
  });

  test('removing a sign-in removes the drafts that a crash has left, but no drafts of other profiles', async () => {
    const { store, directory } = await open();
    await store.write('default', granted);
    await store.write('default-2', granted);
    await writeFile(join(directory, 'default.json.draft'), '{"accessToken":"hal');
    expect(await store.read('default')).toEqual(granted);
    await store.remove('default');
    expect(await readdir(directory)).toEqual(['default-2.json']);
  });
});
