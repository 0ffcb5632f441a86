/** Where programs keep the configuration of a user on each system. */
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** The machine and the user that a configuration belongs to. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

type Files = (machine: Machine) => readonly string[];

const pathsOf = ({ platform }: Machine) => (platform === 'win32' ? win32 : posix);

const inFolder =
  (folderOf: (machine: Machine) => string) =>
  (...parts: string[]): Files =>
  (machine) => [pathsOf(machine).join(folderOf(machine), ...parts)];

export const inHome = inFolder(({ home }) => home);

/** In the directory that `variable` names, or in `folder` of the home directory. */
export const inDirectory = (variable: string, folder: string, file: string): Files =>
  inFolder((machine) => machine.env[variable] || pathsOf(machine).join(machine.home, folder))(file);

const xdgConfig = (machine: Machine) =>
  machine.env['XDG_CONFIG_HOME'] || pathsOf(machine).join(machine.home, '.config');

/** In `~/.config` on every system. */
export const inXdgConfig = inFolder(xdgConfig);

const roaming = ({ env, home }: Machine) => env['APPDATA'] || win32.join(home, 'AppData', 'Roaming');

const local = ({ env, home }: Machine) => env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local');

/** Where programs with windows keep the settings of a user. */
export const inApplicationData = inFolder((machine) => {
  if (machine.platform === 'win32') return roaming(machine);
  if (machine.platform === 'darwin') return posix.join(machine.home, 'Library', 'Application Support');
  return xdgConfig(machine);
});

/**
 * Claude Desktop for Windows is a packaged app (MSIX). Windows shows it a directory of the package in the place of the
 * user's application data, and what is written there from outside is not read.
 */
export const claudeDesktopFiles: Files = (machine) => {
  const file = ['Claude', 'claude_desktop_config.json'] as const;
  const usual = inApplicationData(...file)(machine);
  const packaged = () => win32.join(claudePackage(machine), 'LocalCache', 'Roaming', ...file);
  return machine.platform === 'win32' ? [packaged(), ...usual] : usual;
};

const claudePackage = (machine: Machine) => win32.join(local(machine), 'Packages', 'Claude_pzs8sxrjxfjjc');

export const isClaudeDesktopPackaged = (machine: Machine): boolean =>
  machine.platform === 'win32' && existsSync(claudePackage(machine));

/** On macOS in `~/.config` too, and there without regard to `XDG_CONFIG_HOME`. */
export const zedFiles: Files = (machine) => {
  if (machine.platform === 'win32') return [win32.join(roaming(machine), 'Zed', 'settings.json')];
  const folder = machine.platform === 'darwin' ? posix.join(machine.home, '.config') : xdgConfig(machine);
  return [posix.join(folder, 'zed', 'settings.json')];
};

export const gooseFiles: Files = (machine) => [
  machine.platform === 'win32'
    ? win32.join(roaming(machine), 'Block', 'goose', 'config', 'config.yaml')
    : posix.join(xdgConfig(machine), 'goose', 'config.yaml'),
];
