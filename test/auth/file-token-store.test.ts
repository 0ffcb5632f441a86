import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmdirSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileTokenStore } from '../../src/auth/file-token-store.ts';
import type { SignIn } from '../../src/auth/token-store.ts';
import { failureOf } from '../client/sending.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { describeSharedTokenStore, granted } from './token-store-contract.ts';

async function open() {
  const directory = join(await temporaryDirectory(), 'state', 'sign-ins');
  return { directory, store: new FileTokenStore(directory), file: join(directory, 'default.json') };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describeSharedTokenStore('a file', async () => {
  const { store, directory } = await open();
  return { store, opened: ['file', directory] };
});

describe('a file of sign-ins', () => {
  test('says where it is and that it is not encrypted', async () => {
    const { store, directory } = await open();
    expect(store.place).toBe(`unencrypted files in ${directory}`);
  });

  test('is for nobody else, as are the folders that are made for it', async () => {
    const { store, directory, file } = await open();
    await store.write('default', granted);
    const modes = await Promise.all([file, directory, join(directory, '..')].map(modeOf));
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  test('closes a folder that was open to others', async () => {
    const { store, directory } = await open();
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    await store.write('default', granted);
    expect(await modeOf(directory)).toBe(0o700);
  });

  test.each(['0640', '0604', '0620', '0602', '0610'])('is refused with mode %s', async (mode) => {
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
  });

  test.skipIf(process.getuid?.() !== 0)('is refused where it belongs to somebody else', async () => {
    const { store, file } = await open();
    await store.write('default', granted);
    await chown(file, 12_345, 12_345);
    expect((await failureOf(store.read('default'))).message).toBe(`${file} belongs to another user.`);
  });

  test('is refused where it is a link', async () => {
    const { store, directory, file } = await open();
    await store.write('other', granted);
    await symlink(join(directory, 'other.json'), file);
    expect((await failureOf(store.read('default'))).message).toBe(`${file} is a symbolic link.`);
  });

  test.each(['', 'not JSON', '{"kind":"personal"}', '[]'])(
    'is neither taken for a sign-in nor replaced where it holds %j, but can be removed',
    async (content) => {
      const { store, directory, file } = await open();
      await mkdir(directory, { recursive: true });
      await writeFile(file, content, { mode: 0o600 });
      expect((await failureOf(store.read('default'))).code).toBe('sign_in_unreadable');
      expect((await failureOf(store.write('default', granted))).code).toBe('sign_in_unreadable');
      expect(await readFile(file, 'utf8')).toBe(content);
      expect(await store.remove('default')).toBe(true);
      expect(await store.read('default')).toBeUndefined();
    },
  );

  test('that cannot be written says so', async () => {
    const { store, directory, file } = await open();
    await mkdir(join(directory, '..'), { recursive: true });
    await writeFile(directory, 'a file where a folder should be');
    const failure = await failureOf(store.write('default', granted));
    expect(failure.code).toBe('file_unusable');
    expect(failure.message).toContain(file);
  });

  test('that becomes another while it is to be replaced is called unreadable, and not replaced', async () => {
    const { directory, file } = await open();
    class Overtaken extends FileTokenStore {
      override async read(profile: string): Promise<SignIn | undefined> {
        const there = await super.read(profile);
        writeFileSync(file, 'not JSON', { mode: 0o600 });
        return there;
      }
    }
    await mkdir(directory, { recursive: true });
    const failure = await failureOf(new Overtaken(directory).write('default', granted));
    expect(failure.code).toBe('sign_in_unreadable');
    expect(await readFile(file, 'utf8')).toBe('not JSON');
    expect(await readdir(directory), 'no draft is left').toEqual(['default.json']);
  });

  test.skipIf(process.platform === 'win32')('that was written is not said to be unwritable', async () => {
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
  });

  test('is a whole one, the old or the new, while another process writes and when that is killed', async () => {
    const { store, directory } = await open();
    const signIns: SignIn[] = [granted, { ...granted, accessToken: 'long'.repeat(5_000) }];
    const script = new URL('store-process.ts', import.meta.url).pathname;
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

  test('takes the drafts that a crash has left along when it is removed, and only its own', async () => {
    const { store, directory } = await open();
    await store.write('default', granted);
    await store.write('default-2', granted);
    await writeFile(join(directory, 'default.json.draft'), '{"accessToken":"hal');
    expect(await store.read('default')).toEqual(granted);
    await store.remove('default');
    expect(await readdir(directory)).toEqual(['default-2.json']);
  });
});
