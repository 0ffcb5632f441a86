import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRedirected } from '../../../src/app/commands/doctor-checks.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';

test('on Windows, a state below AppData is not shared with packaged programs, also where a link leads there', async () => {
  const home = await temporaryDirectory();
  const below = join(home, 'AppData', 'Local', 'budget');
  const beside = join(home, '.budget-mcp', 'state');
  await Promise.all([below, beside].map((path) => mkdir(path, { recursive: true })));
  await symlink(below, join(home, 'link'));
  const windows = { platform: 'win32', home } as const;
  expect(await isRedirected(below, windows)).toBe(true);
  expect(await isRedirected(join(home, 'link'), windows)).toBe(true);
  expect(await isRedirected(beside, windows)).toBe(false);
  expect(await isRedirected(below, { platform: 'linux', home })).toBe(false);
});
