import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { noRegistry } from '../registry.helper.ts';
import { ALLOW_GIT, freshMachine } from './fresh-machine.helper.ts';
import { pack, publishDryRun } from './package.helper.ts';
import { stagePackage } from './staged.helper.ts';

describe.skipIf(noRegistry)('the npm package on a fresh machine', () => {
  test('npx runs the archive of the package in an empty folder', async () => {
    const machine = await freshMachine();
    const staged = await temporaryDirectory();
    stagePackage(staged);
    const { filename } = await pack(staged, `--pack-destination=${machine.cwd}`);
    const archive = ['--yes', `./${filename}`];
    expect((await machine.run('npx', ...archive, '--version')).trim()).toBe(packageJson.version);
    expect(await machine.run('npx', ...archive, 'demo')).toContain(
      'How much is left for groceries this month?',
    );
    const [accounts] = await machine.call('list_accounts', 'npx', ...archive, 'serve', '--demo');
    expect(accounts).toMatch(/^Budget "Household" \(EUR\) · 12 accounts/);
  });

  test('npx installs the package from a bare git repository, builds it, and runs it', async () => {
    const machine = await freshMachine();
    const source = await machine.repository();
    const [accounts] = await machine.call(
      'list_accounts',
      'npx',
      '--yes',
      ALLOW_GIT,
      source,
      'serve',
      '--demo',
    );
    expect(accounts).toMatch(/^Budget "Household" \(EUR\) · 12 accounts/);
  });

  test('an installation without development packages in a clone neither fails nor removes what was built', async () => {
    const machine = await freshMachine();
    const source = await machine.repository();
    await machine.run('git', 'clone', '--quiet', source.replace(/^git\+/, ''), '.');
    await machine.run('npm', 'ci', '--omit=dev');
    expect(existsSync(join(machine.cwd, 'dist'))).toBe(false);

    const built = join(machine.cwd, 'dist/main.js');
    await mkdir(join(machine.cwd, 'dist'));
    await writeFile(built, '');
    await machine.run('npm', 'ci', '--omit=dev');
    expect(existsSync(built)).toBe(true);
  });

  test('npm publish has nothing to correct or to warn about', async () => {
    const staged = await temporaryDirectory();
    stagePackage(staged);
    const { published, warnings } = await publishDryRun(staged);
    expect(published).toBe(`+ ${packageJson.name}@${packageJson.version}`);
    expect(warnings).toEqual([]);
  });
});
