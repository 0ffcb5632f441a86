import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { noRegistry } from '../registry.helper.ts';
import { pack } from './package.helper.ts';
import { stagePackage } from './staged.helper.ts';

test.skipIf(noRegistry)('npx runs the npm package in an empty folder', async () => {
  const directory = await temporaryDirectory();
  const [staged, empty] = [join(directory, 'staged'), join(directory, 'empty')];
  stagePackage(staged);
  const { filename } = await pack(staged);
  mkdirSync(empty);
  const npx = (...args: string[]) =>
    promisify(execFile)(
      'npx',
      ['--yes', '--prefer-offline', `--package=${join(staged, filename)}`, 'budget-mcp', ...args],
      {
        cwd: empty,
        env: { ...process.env, npm_config_cache: join(directory, 'cache') },
      },
    );
  expect((await npx('--version')).stdout.trim()).toBe(packageJson.version);
  expect((await npx('demo')).stdout).toContain('How much is left for groceries this month?');
});
