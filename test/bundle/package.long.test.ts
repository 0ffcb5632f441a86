import { publint } from 'publint';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { pack } from './package.helper.ts';
import { stagePackage } from './staged.helper.ts';

describe('the npm package', () => {
  test('the npm package contains the program, the views, the licenses of the bundled packages, and nothing else', async () => {
    const directory = await temporaryDirectory();
    stagePackage(directory);
    const { paths } = await pack(directory, '--dry-run');
    const outside = paths.filter((path) => !path.startsWith('dist/'));
    expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(paths).toContain(packageJson.bin['budget-mcp']);
    expect(paths.filter((path) => !path.endsWith('.js') && !outside.includes(path))).toEqual([
      'dist/THIRD-PARTY-NOTICES',
      'dist/views/forecast.html',
      'dist/views/month.html',
      'dist/views/report.html',
      'dist/views/statements.html',
      'dist/views/transactions.html',
      'dist/views/write.html',
    ]);
  });

  test('publint finds no problem in the npm package', async () => {
    const directory = await temporaryDirectory();
    stagePackage(directory);
    const { messages } = await publint({ pkgDir: directory, level: 'suggestion', strict: true });
    expect(messages).toEqual([]);
  });

  test('the only dependency of the npm package is the keychain library', () => {
    expect(Object.keys(packageJson.dependencies)).toEqual(['@napi-rs/keyring']);
  });
});
