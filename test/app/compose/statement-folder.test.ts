import { mkdirSync, rmdirSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statementFilesIn } from '../../../src/app/compose/statement-folder.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';

async function folderWith(files: Record<string, string>) {
  const outside = await temporaryDirectory();
  writeFileSync(join(outside, 'secret.csv'), 'secret');
  const folder = await temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return { folder, outside };
}

const namesIn = async (folder: string) => (await statementFilesIn(folder)).map(({ name }) => name);

describe('statementFilesIn', () => {
  it('lists the regular files below the folder, and reads them', async () => {
    const { folder } = await folderWith({ 'a.csv': 'one', '.hidden': 'x' });
    mkdirSync(join(folder, '2026'));
    writeFileSync(join(folder, '2026', 'b.csv'), 'two');
    const files = await statementFilesIn(folder);
    expect(files.map(({ name }) => name)).toEqual(['2026/b.csv', 'a.csv']);
    expect(Buffer.from((await files[0]?.read()) ?? []).toString()).toBe('two');
  });

  it('reads a folder that lies behind a link, as the folder for temporary files of macOS does', async () => {
    const { folder, outside } = await folderWith({ 'a.csv': 'one' });
    symlinkSync(folder, join(outside, 'link'));
    const [file] = await statementFilesIn(join(outside, 'link'));
    expect(Buffer.from((await file?.read()) ?? []).toString()).toBe('one');
  });

  it('follows no link, to a file or to a folder', async () => {
    const { folder, outside } = await folderWith({ 'a.csv': 'one' });
    symlinkSync(join(outside, 'secret.csv'), join(folder, 'link.csv'));
    symlinkSync(outside, join(folder, 'folder'));
    expect(await namesIn(folder)).toEqual(['a.csv']);
  });

  it('reads nothing outside if a file or a folder was replaced by a link since it was listed', async () => {
    const { folder, outside } = await folderWith({ 'a.csv': 'one' });
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'inner', 'secret.csv'), 'own');
    const files = await statementFilesIn(folder);
    unlinkSync(join(folder, 'a.csv'));
    symlinkSync(join(outside, 'secret.csv'), join(folder, 'a.csv'));
    unlinkSync(join(folder, 'inner', 'secret.csv'));
    rmdirSync(join(folder, 'inner'));
    symlinkSync(outside, join(folder, 'inner'));
    for (const { read } of files)
      await expect(read()).rejects.toThrow(/The file (cannot be read|is not a regular file)/);
  });

  it.runIf(process.platform === 'linux')(
    'reads nothing outside while its folder is replaced by a link and back',
    async () => {
      const { folder, outside } = await folderWith({});
      const [inner, aside, link] = [join(folder, 'inner'), join(outside, 'aside'), join(outside, 'link')];
      mkdirSync(inner);
      writeFileSync(join(inner, 'secret.csv'), 'own');
      symlinkSync(outside, link);
      const [file] = await statementFilesIn(folder);
      const swaps = [
        [inner, aside],
        [link, inner],
        [inner, link],
        [aside, inner],
      ] as const;
      const found = new Set<string>();
      const look = async () => {
        const bytes = await file?.read().catch(() => undefined);
        if (bytes) found.add(Buffer.from(bytes).toString());
      };
      await look();
      let isDone = false;
      const swapping = (async () => {
        for (let round = 0; round < 1_000; round += 1) for (const [from, to] of swaps) await rename(from, to);
        isDone = true;
      })();
      while (!isDone) await look();
      await swapping;
      expect([...found]).toEqual(['own']);
    },
  );

  it('refuses a file of more than ten megabytes', async () => {
    const { folder } = await folderWith({ 'a.csv': 'one' });
    truncateSync(join(folder, 'a.csv'), 10 * 2 ** 20 + 1);
    const [file] = await statementFilesIn(folder);
    await expect(file?.read()).rejects.toThrow('larger than 10 MB');
  });

  it('says that the folder cannot be read', async () => {
    await expect(statementFilesIn('/does/not/exist')).rejects.toThrow(/--statements cannot be read/);
  });
});
