import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stableNode } from '../../../src/app/hosts/stable-node.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';

/** A machine with Node.js at `path`, and these links to it or to a folder above it. */
async function machineWith(path: string, made: Readonly<Record<string, string>> = {}, onPath: string[] = []) {
  const root = await realpath(await temporaryDirectory());
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
  for (const [link, target] of Object.entries(made)) {
    await mkdir(dirname(join(root, link)), { recursive: true });
    await symlink(join(root, target), join(root, link));
  }
  const env = { PATH: onPath.map((folder) => join(root, folder)).join(delimiter) };
  const { path: stable, isPassing } = stableNode(file, { env, platform: 'linux' });
  return { path: stable.slice(root.length + 1).replaceAll('\\', '/'), isPassing };
}

const CELLAR = 'Cellar/node/22.9.0';
const FNM = 'fnm/node-versions/v22.9.0/installation';

test.each([
  ['Homebrew', `${CELLAR}/bin/node`, { 'opt/node': CELLAR }, 'opt/node/bin/node'],
  ['fnm', `${FNM}/bin/node`, { 'fnm/aliases/default': FNM }, 'fnm/aliases/default/bin/node'],
  [
    'mise',
    'mise/installs/node/22.9.0/bin/node',
    { 'mise/installs/node/latest': 'mise/installs/node/22.9.0' },
    'mise/installs/node/latest/bin/node',
  ],
  [
    'nvm',
    '.nvm/versions/node/v22.9.0/bin/node',
    { '.nvm/current': '.nvm/versions/node/v22.9.0' },
    '.nvm/current/bin/node',
  ],
])('with %s, the path of Node.js is the one that stays after an upgrade', async (_, path, made, stable) => {
  expect(await machineWith(path, made)).toEqual({ path: stable, isPassing: false });
});

test('a link on the path is taken if it is the same file', async () => {
  const found = await machineWith(`${CELLAR}/bin/node`, { 'bin/node': `${CELLAR}/bin/node` }, ['bin']);
  expect(found).toEqual({ path: 'bin/node', isPassing: false });
});

test('another version is not taken, and neither is a folder of one terminal', async () => {
  const other = 'fnm/node-versions/v20.18.0/installation';
  const links = { 'fnm/aliases/default': other, 'fnm_multishells/1/bin': `${FNM}/bin` };
  const found = await machineWith(`${FNM}/bin/node`, links, ['fnm_multishells/1/bin']);
  expect(found).toEqual({ path: `${FNM}/bin/node`, isPassing: true });
});

test('a path without a version stays as it is', async () => {
  expect(await machineWith('usr/bin/node')).toEqual({ path: 'usr/bin/node', isPassing: false });
});
