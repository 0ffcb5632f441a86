import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../auth/temporary-directory.ts';
import { noRegistry } from '../registry.ts';
import { stagePackage } from './staged.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

const packed = z
  .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);

async function pack(cwd: string, ...args: string[]) {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', ...args], { cwd });
  const [made] = packed.parse(JSON.parse(stdout));
  return { filename: made?.filename ?? '', paths: made?.files.map(({ path }) => path) ?? [] };
}

describe('the npm package', () => {
  test('holds what runs, the licenses of what is bundled, and nothing else', async () => {
    const { paths } = await pack(root, '--dry-run');
    const outside = paths.filter((path) => !path.startsWith('dist/'));
    expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(paths).toContain(packageJson.bin['budget-mcp']);
    expect(paths.filter((path) => !path.endsWith('.js') && !outside.includes(path))).toEqual([
      'dist/THIRD-PARTY-NOTICES',
    ]);
  });

  test('is found to be in order by publint', async () => {
    const directory = await temporaryDirectory();
    stagePackage(directory);
    const { messages } = await publint({ pkgDir: directory, level: 'suggestion', strict: true });
    expect(messages).toEqual([]);
  });

  test('needs nothing installed but the keychain', () => {
    expect(Object.keys(packageJson.dependencies)).toEqual(['@napi-rs/keyring']);
  });

  test.skipIf(noRegistry)('runs by npx in an empty folder', { timeout: 120_000 }, async () => {
    const directory = await temporaryDirectory();
    const [staged, empty] = [join(directory, 'staged'), join(directory, 'empty')];
    stagePackage(staged);
    const { filename } = await pack(staged);
    mkdirSync(empty);
    const npx = (...args: string[]) =>
      run(
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
});
