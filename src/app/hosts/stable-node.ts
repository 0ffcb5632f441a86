/** The path of Node.js that stays when Node.js is upgraded, for the configuration of a host. */
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Machine } from './host-paths.ts';

/** Folders of one version, and the link that package and version managers keep beside them. */
const links: readonly (readonly [folder: RegExp, link: string])[] = [
  // Homebrew
  [/([\\/])Cellar[\\/]([^\\/]+)[\\/][^\\/]+(?=[\\/])/, '$1opt$1$2'],
  // fnm
  [/([\\/])node-versions[\\/][^\\/]+[\\/]installation(?=[\\/])/, '$1aliases$1default'],
  // mise and asdf
  [/([\\/]installs[\\/]node(?:js)?[\\/])[^\\/]+(?=[\\/])/, '$1latest'],
  // nvm, with NVM_SYMLINK_CURRENT
  [/([\\/])versions[\\/]node[\\/][^\\/]+(?=[\\/])/, '$1current'],
  // Scoop
  [/([\\/]apps[\\/]nodejs[^\\/]*[\\/])[^\\/]+(?=[\\/])/, '$1current'],
];

/** A folder of one version, or of one terminal, as fnm makes them. */
const IS_PASSING = /[\\/]v?\d+\.\d+\.\d[^\\/]*[\\/]|multishell/;

/**
 * Another path of the same file that names no version, if there is one: the link of a version manager, or an entry of `PATH`.
 * `isPassing` if there is none, so that an upgrade may remove the file.
 */
export function stableNode(execPath: string, { env, platform }: Pick<Machine, 'env' | 'platform'>) {
  if (!IS_PASSING.test(execPath)) return { path: execPath, isPassing: false };
  const file = platform === 'win32' ? 'node.exe' : 'node';
  const onPath = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [
    ...links.map(([folder, link]) => execPath.replace(folder, link)),
    ...onPath.map((folder) => join(folder, file)),
  ];
  const real = realOf(execPath);
  const path = candidates.find((each) => !IS_PASSING.test(each) && realOf(each) === real);
  return { path: path ?? execPath, isPassing: path === undefined };
}

/** Undefined if there is no such file. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
