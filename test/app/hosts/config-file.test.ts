import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfigFile, replaceConfigFile } from '../../../src/app/hosts/config-file.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { expectMode } from '../../posix.helper.ts';

/** A file with this text in a directory of its own. */
async function fileOf(text: string | Uint8Array, mode = 0o640) {
  const directory = await temporaryDirectory();
  const file = join(directory, 'config.json');
  await writeFile(file, text);
  await chmod(file, mode);
  return { directory, file };
}

test('a file is replaced with the same permissions, and a copy of it is kept', async () => {
  const { directory, file } = await fileOf('before');
  const copy = await replaceConfigFile(await readConfigFile(file), 'after');
  expect(copy).toBe(`${file}.budget-mcp-backup`);
  expect(await readFile(file, 'utf8')).toBe('after');
  expect(await readFile(copy ?? '', 'utf8')).toBe('before');
  await expectMode(file, 0o640);
  await expectMode(copy ?? '', 0o600);
  expect(await readdir(directory)).toHaveLength(2);
});

test('only one copy is kept: that of the last change', async () => {
  const { directory, file } = await fileOf('first');
  await replaceConfigFile(await readConfigFile(file), 'second');
  const copy = await replaceConfigFile(await readConfigFile(file), 'third');
  expect(await readFile(copy ?? '', 'utf8')).toBe('second');
  expect(await readdir(directory)).toHaveLength(2);
});

test('a file that does not exist is created with its directories, readable by the user only', async () => {
  const file = join(await temporaryDirectory(), 'a', 'b', 'config.json');
  expect(await replaceConfigFile(await readConfigFile(file), 'new')).toBe(undefined);
  expect(await readFile(file, 'utf8')).toBe('new');
  await expectMode(file, 0o600);
});

test('a symbolic link stays one, and its target is replaced', async () => {
  const { directory, file } = await fileOf('before');
  const link = join(directory, 'link.json');
  await symlink('config.json', link);
  const read = await readConfigFile(link);
  await replaceConfigFile(read, 'after');
  expect(await readFile(file, 'utf8')).toBe('after');
  expect(await readFile(link, 'utf8')).toBe('after');
  expect(
    (await readdir(directory, { withFileTypes: true })).filter((each) => each.isSymbolicLink()),
  ).toHaveLength(1);
});

test('a link to a file that does not exist is left alone', async () => {
  const link = join(await temporaryDirectory(), 'link.json');
  await symlink('missing.json', link);
  await expect(readConfigFile(link)).rejects.toMatchObject({ code: 'file_unusable' });
});

test('a file that has changed since it was read is left alone, and nothing stays beside it', async () => {
  const { directory, file } = await fileOf('before');
  const read = await readConfigFile(file);
  await writeFile(file, 'changed by the host');
  await expect(replaceConfigFile(read, 'after')).rejects.toThrow('has been changed in the meantime');
  expect(await readFile(file, 'utf8')).toBe('changed by the host');
  expect(await readdir(directory)).toEqual(['config.json']);
});

test('a text that is not UTF-8 and a directory are left alone', async () => {
  const { file } = await fileOf(new Uint8Array([0xff, 0xfe, 0x7b, 0x00]));
  await expect(readConfigFile(file)).rejects.toThrow('is not a text in UTF-8');
  const directory = join(await temporaryDirectory(), 'config.json');
  await mkdir(directory);
  await expect(readConfigFile(directory)).rejects.toThrow('is not a file');
});
