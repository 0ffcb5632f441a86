/** Copies and builds the files that are published into an empty directory, without files of earlier builds. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));

function build(directory: string): void {
  execFileSync(process.execPath, ['--import', 'tsx', '.ci/build.ts', `--outdir=${join(directory, 'dist')}`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function stage(directory: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, source] of Object.entries(files)) cpSync(join(root, source), join(directory, name));
  build(directory);
}

/** The files of the npm package. */
export function stagePackage(directory: string): void {
  const files = ['package.json', 'README.md', 'LICENSE'];
  stage(directory, Object.fromEntries(files.map((name) => [name, name])));
}

/** Only a server for several people needs it, which a host does not start. */
const HOSTED = /^compose-hosted-/;

/** The files of the bundle. It has no native modules, because a bundle cannot name its processor. */
export function stageBundle(directory: string): void {
  stage(directory, {
    'manifest.json': 'manifest.json',
    'src/mcp/icon.png': 'src/mcp/icon.png',
    'README.md': 'README.md',
    LICENSE: 'LICENSE',
  });
  const chunks = join(directory, 'dist', 'chunks');
  for (const file of readdirSync(chunks)) if (HOSTED.test(file)) rmSync(join(chunks, file));
  const { name, version, type } = packageJson;
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
}
